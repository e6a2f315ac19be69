"""The browser: search box, list, transcript, lineage. It carries messages between them and draws nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from hermes_tui.screens import states
from hermes_tui.screens.hand_over import HandOver
from hermes_tui.screens.pane_order import PaneOrder
from hermes_tui.screens.panes import ANYWHERE, ListPane
from hermes_tui.screens.picture import Picture
from hermes_tui.screens.type_ahead import TypeAhead
from hermes_tui.screens.way_out import WayOut
from hermes_tui.screens.what_works import works
from hermes_tui.services.store_worker import StoreWorker
from hermes_tui.text import figures, safe_text
from hermes_tui.widgets.header_line import HeaderLine
from hermes_tui.widgets.key_line import KeyLine
from hermes_tui.widgets.notice import Notice
from hermes_tui.widgets.search_box import SearchBox
from hermes_tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from hermes_tui.app import BrowserApp
    from hermes_tui.options import Options
    from hermes_tui.screens.detail import Detail
    from hermes_tui.screens.finder import Finder
    from hermes_tui.widgets.lineage_tree import LineageTree
    from storage import HiddenClass, SessionDB

POLL_SECONDS = 1.0
FOLLOW_SECONDS = 0.05
"""How long the cursor must rest on a row before its transcript is read."""


class BrowserScreen(Screen[None]):
    """One store, open for browsing."""

    BINDINGS: ClassVar[list[BindingType]] = ANYWHERE

    app: BrowserApp
    header = getters.query_one("#header", HeaderLine)
    box = getters.query_one("#search", SearchBox)
    notice = getters.query_one("#notice", Notice)
    sessions = getters.query_one("#sessions", SessionList)
    keys = getters.query_one("#keys", KeyLine)

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-medium"), (100, "-roomy"), (150, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self.options = options
        self.worker = StoreWorker(self, self._open_store)
        self.finder: Finder
        self.detail: Detail
        self.panes = PaneOrder(self)
        self.hand_over = HandOver(self)
        self.picture = Picture(self)
        self.way_out = WayOut(self)
        self._follow_timer: Timer | None = None
        self.type_ahead = TypeAhead(self)
        self.furnished = False
        self.opened = False
        self._was_open = False
        """It is, or was until the file was taken away."""

    def _open_store(self) -> SessionDB:
        from storage import SessionDB

        return SessionDB(self.options.db_path, read_only=True, clock=self.options.clock)

    def compose(self) -> ComposeResult:
        marks = self.app.marks
        yield HeaderLine(marks.sign, id="header")
        yield SearchBox(id="search")
        with Container(id="body"), ListPane(id="list-pane"):
            yield SessionList(now=self.options.clock, marks=marks, id="sessions")
            yield Notice(id="notice")
        yield KeyLine(id="keys")

    def on_mount(self) -> None:
        self.header.store = self.app.display_path
        self.box.focus()
        self.call_after_refresh(self._furnish)
        # A store that opens at once must not flash a "loading" page first.
        self.set_timer(0.3, self._say_loading)
        self.set_interval(POLL_SECONDS, self.worker.poll)

    def _furnish(self) -> None:
        """What needs the store comes behind the first frame: it is empty until then anyway."""
        from hermes_tui.screens.detail import Detail
        from hermes_tui.screens.finder import Finder

        if not self.is_attached or self.app.return_code is not None:
            return
        self.detail = Detail(self.worker, self.app.marks, id="detail")
        self.query_one("#body", Container).mount(self.detail)
        self.finder = Finder(self.worker, self.options.source, self.options.limit)
        self.furnished = True
        self.finder.open()
        self.finder.typed(self.box.value)

    def on_unmount(self) -> None:
        self.worker.close()

    # --- answers of the store

    @on(StoreWorker.Opened)
    def _store_opened(self, answer: StoreWorker.Opened) -> None:
        if self._was_open:
            # Another file is there now.
            self.sessions.outdate()
            self.detail.reading.changed()
        self.opened = self._was_open = True
        self.box.ask_for_values_again()
        if self.box.disabled:
            self.box.disabled = False
            self.box.focus()
        if answer.info.notes:
            self.app.say("\n".join(answer.info.notes), severity="warning", timeout=12)
        self.finder.opened()

    @on(StoreWorker.Listed)
    def _store_listed(self, answer: StoreWorker.Listed) -> None:
        changed = self.finder.listed(answer)
        self.picture.draw_header()
        if changed:
            self.picture.draw_list(keep=None)
            self._follow_soon()
            self.type_ahead.catch_up()
        elif self.finder.result is not None:
            self.picture.draw_result_line()

    @on(StoreWorker.Found)
    def _store_found(self, answer: StoreWorker.Found) -> None:
        going_on = self.finder.result is not None
        if not self.finder.found(answer):
            return
        self.picture.draw_list(keep=None if going_on else "")
        # The row under the cursor may be the same one, and yet there is a match to open it at.
        self._follow_soon()
        self.type_ahead.catch_up()

    @on(StoreWorker.Rows)
    def _store_rows(self, answer: StoreWorker.Rows) -> None:
        if self.worker.is_current("rows", answer.serial):
            self.sessions.put_excerpts(answer.excerpts)
        self.sessions.put(answer.rows)
        self.detail.describe(self.sessions.current_row())

    @on(StoreWorker.Read)
    def _store_read(self, answer: StoreWorker.Read) -> None:
        self.detail.read(answer)

    @on(StoreWorker.Family)
    def _store_family(self, answer: StoreWorker.Family) -> None:
        self.detail.family(answer)

    @on(StoreWorker.Changed)
    def _store_changed(self, answer: StoreWorker.Changed) -> None:
        changes = answer.changes
        if not changes.session_ids and not changes.reordered:
            return
        self.finder.changed(reordered=changes.reordered)
        self.box.ask_for_values_again()
        touched = frozenset(changes.session_ids)
        stale = [entry.id for entry in self.finder.entries if not touched.isdisjoint(entry.parts)]
        self.sessions.outdate(None if changes.reordered else stale)
        self.detail.reading.changed(None if changes.reordered else touched)

    @on(StoreWorker.Failed)
    def _store_failed(self, answer: StoreWorker.Failed) -> None:
        self.type_ahead.forget()
        self.finder.failed(answer.lane)
        if answer.lost or not self.opened:
            if self.opened:
                self.opened = False
                self.finder.lost()
                self.picture.clear()
                self._follow()
            self.picture.draw_failure(answer.error, was_open=self._was_open)
            return
        if answer.lane == "read":
            self.detail.transcript.message(safe_text.line(str(answer.error)))
        elif answer.lane not in ("live", "family"):
            # What a look by itself cannot get is no news; a relative may be gone a moment before its row is.
            self.app.say(str(answer.error), severity="error")

    @on(StoreWorker.Replaced)
    def _store_replaced(self) -> None:
        """Open what lies there now; where nothing does, look again with every poll."""
        if self.opened:
            self.finder.refresh()
        else:
            self.finder.open()

    # --- the search box and the list

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self.type_ahead.forget()
        words = self.box.value
        # Who looks at a conversation, rather than typing for one, goes on looking at it.
        keep = not words.strip() and (self.sessions.cursor > 0 or not self.box.has_focus)
        if self.furnished and self.finder.typed(words):
            self.picture.draw_list(keep=None if keep else "")
            self._follow_soon()
        elif self.furnished:
            self.picture.draw_result_line()

    @on(SearchBox.ValuesWanted)
    def _values_wanted(self, event: SearchBox.ValuesWanted) -> None:
        self.worker.values(event.key)

    @on(StoreWorker.Values)
    def _values_there(self, answer: StoreWorker.Values) -> None:
        self.box.offer(answer.key, answer.values)

    @on(SearchBox.Stepped)
    def _stepped(self, event: SearchBox.Stepped) -> None:
        self.type_ahead.step(event.step)

    @on(SessionList.Wanted)
    def _rows_wanted(self, event: SessionList.Wanted) -> None:
        hits = [hit for entry in event.excerpts if (hit := self.finder.hit(entry)) is not None]
        self.worker.rows(event.details, self.finder.query, hits)

    @on(SessionList.NearEnd)
    def _near_end(self) -> None:
        self.finder.more()

    @on(SessionList.Chosen)
    @on(SearchBox.Entered)
    def _chosen(self) -> None:
        self.action_resume()

    @on(SessionList.Moved)
    def _follow_soon(self) -> None:
        if self._follow_timer is not None:
            self._follow_timer.stop()
        self._follow_timer = self.set_timer(FOLLOW_SECONDS, self._follow)

    def _follow(self) -> None:
        """Show the conversation under the cursor in the transcript and the lineage."""
        entry = self.sessions.cursor_entry
        hit = self.finder.hit(entry) if entry is not None else None
        query = self.finder.query if self.finder.searching else None
        self.detail.follow(entry, query, hit.messages[0] if hit is not None and hit.messages else None)
        self.detail.describe(self.sessions.current_row())

    # These are found by their names: their widget is not imported yet when this class is made.

    def on_lineage_tree_shown(self, event: LineageTree.Shown) -> None:
        if self.panes.small:
            self.panes.go("transcript")

    def on_lineage_tree_back(self) -> None:
        self.action_leave_pane()

    def on_lineage_tree_moved(self) -> None:
        self.draw_note()

    # --- drawing

    def draw_note(self) -> None:
        """What stands at the right of the footer: what Hermes would do here, or the count that has no other place."""
        node = self.hand_over.relative
        if node is not None and self.detail.relatives.is_inner(node):
            self.keys.note = "Hermes continues the live tip"
        else:
            self.keys.note = self.picture.brief() if self.has_class("-short") and self.furnished else ""

    def on_descendant_focus(self) -> None:
        self.draw_note()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        """The pane that had the focus is gone: the list takes it."""
        if self.focused is None and self.opened and self.is_current and self.app.app_focus:
            self.panes.go("sessions")

    def _say_loading(self) -> None:
        if not self.opened and not self.has_class("-notice"):
            self.picture.say(states.loading(self.app.display_path))

    # --- what the keys do

    def action_escape(self) -> None:
        """Clear the search, else leave the pane, else ask once and quit."""
        self.way_out.escape()

    def remember(self) -> Callable[[], None]:
        """How things stand before an Esc that may turn out to be half an arrow key."""
        return self.way_out.remember()

    def action_leave_pane(self) -> None:
        """From transcript and lineage to the list, from the list to the search box."""
        self.panes.go("search" if self.panes.focused in ("sessions", "search") else "sessions")

    def action_next_pane(self, by: int) -> None:
        self.panes.step(by)

    def action_search(self) -> None:
        self.panes.go("search")

    def action_lineage(self) -> None:
        """Go to the family tree, where there is one to see."""
        if self.has_class("-relatives"):
            self.panes.go("lineage")
        else:
            self.app.say("This conversation has no relatives.")

    def action_help(self) -> None:
        from hermes_tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.focused, self.app.marks))

    def action_refresh(self) -> None:
        """Read the store again; after a failure, open it again."""
        if not self.opened:
            if self.furnished:
                self.picture.say(states.loading(self.app.display_path))
                self.finder.open()
            return
        self.finder.refresh()
        self.sessions.outdate()
        self.detail.reading.changed()

    def action_demo(self) -> None:
        """Open the demo in place of a store that is not there."""
        self.app.open_demo()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what has something to act on is offered."""
        return works(self, action) if self.is_mounted else True

    def action_sort(self) -> None:
        """The next order of the list; of a search, the other one."""
        self.finder.next_order()

    def action_hidden(self) -> None:
        """Choose which hidden classes are on show."""
        from hermes_tui.screens.hidden_menu import HiddenMenu

        listing = self.finder.listing
        counts = listing.hidden if listing is not None else {}
        self.app.push_screen(HiddenMenu(counts, self.finder.show, self.app.marks), self._hidden_chosen)

    def _hidden_chosen(self, show: frozenset[HiddenClass] | None) -> None:
        if show is not None:
            self.finder.toggled(show)

    def action_resume(self) -> None:
        """Leave with the conversation under the cursor, unless Hermes could not resume it."""
        self.type_ahead.enter()

    def leave(self) -> None:
        """Do so now."""
        if (entry := self.sessions.cursor_entry) is not None:
            self.hand_over.leave_with(entry.id)

    def action_resume_and_return(self) -> None:
        """Run Hermes on what is pointed at, and come back to the list as it is."""
        if (session_id := self.hand_over.pointed_at) is not None and self.hand_over.and_return(session_id):
            self.action_refresh()

    def action_copy_command(self) -> None:
        """Copy the shell command that resumes it."""
        if (session_id := self.hand_over.pointed_at) is not None:
            self.hand_over.copy_command(session_id)

    def action_copy_id(self) -> None:
        """Copy the session id."""
        if (session_id := self.hand_over.pointed_at) is not None:
            self.hand_over.copy_id(session_id)

    def action_copy_message(self) -> None:
        """Copy the message that the transcript is at."""
        if (message := self.detail.transcript.current_message()) is not None:
            self.app.copy(message.text, f"the message, {figures.plural(len(message.text), 'character')}")
