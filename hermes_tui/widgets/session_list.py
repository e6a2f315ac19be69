"""The conversations, one a line: of any number, the ones on the screen are drawn, the ones around it asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from hermes_tui.text.marks import UNICODE, Marks
from hermes_tui.widgets.columns import MARKER, Columns, plan
from hermes_tui.widgets.known_rows import KnownRows
from hermes_tui.widgets.line_view import LineView
from hermes_tui.widgets.session_rows import STYLES, RowPainter

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery
    from storage.readings import Excerpt
    from storage.records import Conversation, Entry


class SessionList(LineView, can_focus=True):
    """The session list: a cursor over `Entry`s, drawn from details that arrive later and in any order."""

    HELP: ClassVar[str] = (
        "Every line is one conversation; pinned ones stand first. Typing in the search box narrows the list, "
        "Enter resumes the one under the cursor."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor_up", "Up", id="list.up", show=False, tooltip="The conversation above"),
        Binding(
            "down,j", "cursor_down", "Down", id="list.down", show=False, tooltip="The conversation below"
        ),
        Binding("pageup", "page_up", "Page up", id="list.page_up", show=False, tooltip="One screen up"),
        Binding(
            "pagedown", "page_down", "Page down", id="list.page_down", show=False, tooltip="One screen down"
        ),
        Binding("g,home", "first", "First", id="list.first", show=False, tooltip="The first conversation"),
        Binding("G,end", "last", "Last", id="list.last", show=False, tooltip="The last conversation"),
        Binding("enter", "choose", "resume", id="list.choose", tooltip="Resume this conversation"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"session-list--{name}" for name in ("header", "cursor", *STYLES)
    }
    DEFAULT_CSS = """
    SessionList {
        height: 1fr;
        color: $text;
        & > .session-list--header { color: $text-muted; }
        &:focus > .session-list--header { color: $bronze; }
        & > .session-list--cursor { background: $cursor-row; }
        &.-few-colours > .session-list--cursor { text-style: reverse; }
        & > .session-list--mark { color: $accent; text-style: bold; }
        & > .session-list--title { text-style: bold; }
        & > .session-list--title-match { color: $accent; text-style: bold; }
        & > .session-list--branch { color: $text-muted; }
        & > .session-list--untitled { color: $faint; }
        & > .session-list--preview { color: $text-muted; }
        & > .session-list--match { color: $accent; text-style: bold; }
        & > .session-list--count { color: $text-muted; }
        & > .session-list--time { color: $text-muted; }
        & > .session-list--source { color: $text-muted; }
        & > .session-list--complete { color: $green; }
        & > .session-list--interrupted { color: $warning; }
        & > .session-list--error { color: $error; }
        & > .session-list--empty { color: $faint; }
        & > .session-list--running { color: $accent; }
    }
    """

    marked: reactive[frozenset[str]] = reactive(frozenset(), repaint=False, init=False)
    """Ids of the conversations that are marked."""

    @dataclass
    class Wanted(Message):
        """These conversations are on or near the screen, and something of them is not here yet."""

        details: tuple[Entry, ...]
        """To be answered by `put`."""
        excerpts: tuple[Entry, ...]
        """To be answered by `put_excerpts`; empty unless there is a search."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SessionList.Wanted)

    @dataclass
    class Moved(Message):
        """The cursor is on another conversation, or on none."""

        entry: Entry | None

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SessionList.Moved)

    @dataclass
    class Chosen(Message):
        """The reader chose a conversation."""

        entry: Entry

    @dataclass
    class Ticked(Message):
        """The person clicked where its mark is, or would be."""

        entry: Entry

    @dataclass
    class NearEnd(Message):
        """Less than one screen is left below; posted once for every length of the list."""

        length: int

    def __init__(
        self,
        now: Callable[[], float],
        marks: Marks = UNICODE,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._now = now
        self._marks = marks
        self._entries: Sequence[Entry] = ()
        self._query: SessionQuery | None = None
        self._cursor = 0
        self.known = KnownRows()
        self._near_end = -1
        self._painter: tuple[int, RowPainter] | None = None

    # What is shown

    def show(
        self, entries: Sequence[Entry], *, keep: str | None = None, query: SessionQuery | None = None
    ) -> None:
        """Replace the order.

        Args:
            entries: Conversations from top to bottom; never copied.
            keep: A session on whose conversation the cursor should be; None: the one it is on now; "": the top.
                Where that is not in `entries` the cursor keeps its place in the order.
            query: What was searched for; None for the plain list. Another one than before forgets hits and excerpts.
        """
        before = self.cursor_entry
        if keep is None:
            keep = before.id if before else ""
        index = _find(entries, keep) if keep else 0
        if index is None:
            index = max(min(self._cursor, len(entries) - 1), 0)
        if query != self._query:
            self._query = query
            self.known.forget_search()
            self._repaint()
        top, rows = self.scroll_offset.y, self._rows
        line = self._cursor - top
        self._entries, self._cursor, self._near_end = entries, index, -1
        self.set_line_count(len(entries) + 1 if entries else 0)
        if keep and not 0 <= line < rows:
            self.jump(top)  # the reader has scrolled away from the cursor
        else:
            # At the very top the list stays, so that what is new is seen; elsewhere the cursor keeps its line.
            self.jump(0 if top == 0 and index < rows else index - line)
            self._reveal_cursor()
        self.refresh()
        self._look_around()
        after = self.cursor_entry
        if (before and before.id) != (after and after.id):
            self.post_message(self.Moved(after))

    def put(self, rows: Iterable[Conversation]) -> None:
        """Details of conversations, new or changed."""
        ids = self.known.put(rows)
        self._changed(ids)
        if any(entry.id in ids and not self.known.fits(entry) for entry in self.visible_entries()):
            self._look_around()

    def put_excerpts(self, excerpts: Mapping[str, Excerpt | None]) -> None:
        """Best excerpts by conversation; None where there is none (its title matched)."""
        self.known.put_excerpts(excerpts)
        self._changed(set(excerpts))

    def set_hits(self, hits: Mapping[str, str]) -> None:
        """Numbers of hits as words ("7", "7+") by conversation, all of them; drawn while there is a search."""
        self.known.hits = hits
        self._repaint()

    def outdate(self, ids: Iterable[str] | None = None) -> None:
        """Details of these conversations (None: of all) are to be asked for again; they are drawn until then."""
        self.known.outdate(ids)
        self._look_around()

    def watch_marked(self) -> None:
        self._repaint()

    # Where the cursor is

    @property
    def cursor(self) -> int:
        """The line of the cursor, from 0."""
        return self._cursor

    @property
    def cursor_entry(self) -> Entry | None:
        """The conversation under the cursor; None in an empty list."""
        return self._entries[self._cursor] if self._cursor < len(self._entries) else None

    def current_row(self) -> Conversation | None:
        """Details of the conversation under the cursor, if they are here."""
        entry = self.cursor_entry
        return self.known.details(entry) if entry else None

    def cursor_up(self) -> None:
        self._move_to(self._cursor - 1)

    def cursor_down(self) -> None:
        self._move_to(self._cursor + 1)

    def page_up(self) -> None:
        self._move_to(self._cursor - max(self._rows - 1, 1))

    def page_down(self) -> None:
        self._move_to(self._cursor + max(self._rows - 1, 1))

    def first(self) -> None:
        self._move_to(0)

    def last(self) -> None:
        self._move_to(len(self._entries) - 1)

    action_cursor_up = cursor_up
    action_cursor_down = cursor_down
    action_page_up = page_up
    action_page_down = page_down
    action_first = first
    action_last = last

    def action_choose(self) -> None:
        if entry := self.cursor_entry:
            self.post_message(self.Chosen(entry))

    def _move_to(self, index: int) -> None:
        index = max(min(index, len(self._entries) - 1), 0)
        if index == self._cursor or not self._entries:
            self._reveal_cursor()
            return
        old, self._cursor = self._cursor, index
        self.refresh_lines(old + 1)
        self.refresh_lines(index + 1)
        self._reveal_cursor()
        self.post_message(self.Moved(self._entries[index]))

    def _reveal_cursor(self) -> None:
        top = self.scroll_offset.y
        if self._cursor < top:
            self.jump(self._cursor)
        elif self._rows and self._cursor >= top + self._rows:
            self.jump(self._cursor - self._rows + 1)

    # Mouse and screen

    def on_mount(self) -> None:
        self.set_interval(60, self._repaint, name="times grow old")

    def on_click(self, event: events.Click) -> None:
        y = event.get_content_offset_capture(self).y
        index = self.scroll_offset.y + y - 1
        if 0 < y <= self._rows and index < len(self._entries):
            self._move_to(index)
            if event.ctrl or event.get_content_offset_capture(self).x < MARKER:
                self.post_message(self.Ticked(self._entries[index]))
            elif event.chain == 2:
                self.action_choose()

    def fit(self) -> None:
        self._repaint()
        self._reveal_cursor()
        self._look_around()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter = None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._look_around()

    def visible_entries(self) -> tuple[Entry, ...]:
        """The conversations on the screen."""
        top = self.scroll_offset.y
        return tuple(self._entries[top : top + self._rows])

    @property
    def _searching(self) -> bool:
        return self._query is not None and self._query.is_search

    @property
    def _rows(self) -> int:
        """Conversations that fit the screen below the names of the columns."""
        return max(self.scrollable_content_region.height - 1, 0)

    def _look_around(self) -> None:
        """Ask for what is missing within one screen of the visible lines, and for more of the list."""
        rows, top = self._rows, self.scroll_offset.y
        if self.is_hidden_now() or not rows or not self._entries:
            return
        near = self._entries[max(top - rows, 0) : top + 2 * rows]
        details = tuple(entry for entry in near if self.known.lacks_details(entry))
        excerpts = tuple(entry for entry in near if self._searching and self.known.lacks_excerpt(entry))
        if details or excerpts:
            self.post_message(self.Wanted(details, excerpts))
        if top + 2 * rows >= len(self._entries) and self._near_end != len(self._entries):
            self._near_end = len(self._entries)
            self.post_message(self.NearEnd(self._near_end))

    # Drawing

    def _repaint(self) -> None:
        self._painter = None
        self.strips.clear()
        self.refresh()

    def _changed(self, ids: set[str]) -> None:
        if self._painter and self._columns() != self._painter[1].columns:
            self._repaint()
            return
        for id in ids:
            self.strips.discard((id, True))
            self.strips.discard((id, False))
        top = self.scroll_offset.y
        for index, entry in enumerate(self._entries[top : top + self._rows], top):
            if entry.id in ids:
                self.refresh_lines(index + 1)

    def _columns(self) -> Columns:
        return plan(self.line_width, searching=self._searching, title=self.known.title_width)

    def _paint(self) -> RowPainter:
        width = self.line_width
        if self._painter is None or self._painter[0] != width:
            self.strips.clear()
            painter = RowPainter(self._columns(), self._marks, self.look, self._now(), self._query)
            self._painter = width, painter
        return self._painter[1]

    def render_line(self, y: int) -> Strip:
        painter, width = self._paint(), self.line_width
        if not self._entries:
            return self.blank()
        if y == 0:
            return painter.header(width)
        index = self.scroll_offset.y + y - 1
        if index >= len(self._entries):
            return self.blank()
        entry, at_cursor = self._entries[index], index == self._cursor
        strip = self.strips.get((entry.id, at_cursor))
        if strip is None:
            row = self.known.row(entry, cursor=at_cursor, marked=entry.id in self.marked)
            strip = painter.row(row, width)
            self.strips.set((entry.id, at_cursor), strip)
        return strip


def _find(entries: Sequence[Entry], session_id: str) -> int | None:
    """The line of the conversation that has this tip, else of the one that has this part."""
    if not session_id:
        return None
    for index, entry in enumerate(entries):
        if entry.id == session_id:
            return index
    for index, entry in enumerate(entries):
        if session_id in entry.parts:
            return index
    return None
