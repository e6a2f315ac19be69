"""The search box: every printable key is text; the arrows belong to the list below."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from hermes_tui.text import completion, safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.text.result_text import ResultLine
from hermes_tui.widgets.line_input import LineInput


class _Chips(Highlighter):
    """Draws the filters that are understood as chips."""

    def __init__(self, box: SearchBox) -> None:
        self._box = box

    def highlight(self, text: Text) -> None:
        # Only a box with text in it needs the grammar: the first frame does without.
        from storage.finding.grammar import filter_spans

        chip, marks = self._box.get_component_rich_style("search-box--chip"), self._box.marks
        cells, edges = list(text.plain), []
        for start, end in filter_spans(text.plain):
            if end > len(self._box.asked):
                continue
            text.stylize(chip, start, end)
            # A blank beside it gives half of itself: not the one under the cursor, nor both halves of one.
            for place, edge in ((start - 1, marks.left_edge), (end, marks.right_edge)):
                if cells[place : place + 1] == [" "] and place != self._box.cursor_place:
                    cells[place] = edge
                    edges.append(place)
        text.plain = "".join(cells)
        for place in edges:
            text.stylize(Style(color=chip.bgcolor), place, place + 1)


class SearchBox(LineInput):
    """A one-line input in a frame; the result line stands in the frame's lower edge."""

    HELP = "Type to search every message, title and id. All words must match; the last one may be unfinished."
    COMPONENT_CLASSES: ClassVar[set[str]] = {"search-box--chip"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "resume", id="search.resume", tooltip="Resume the conversation"),
        Binding(
            "right",
            "cursor_right",
            "complete",
            show=False,
            id="search.complete",
            tooltip="Accept the completion",
        ),
        Binding("up", "step('up')", "move", key_display="↑↓", id="search.up", tooltip="One conversation up"),
        Binding(
            "down", "step('down')", "move", show=False, id="search.down", tooltip="One conversation down"
        ),
        Binding("pageup", "step('page_up')", "page up", show=False, id="search.page_up", tooltip="A page up"),
        Binding(
            "pagedown",
            "step('page_down')",
            "page down",
            show=False,
            id="search.page_down",
            tooltip="A page down",
        ),
    ]

    has_list = True
    """Whether there is, or will be, anything below to move in and to resume."""

    @dataclass
    class Stepped(Message):
        """The person moved in the list without leaving the box: up, down, page_up, page_down."""

        step: str

    @dataclass
    class ValuesWanted(Message):
        """The values of this key would help; to be answered by `offer`."""

        key: str

    @dataclass
    class KeyTyped(Message):
        """A filter has begun: what its value will be compared with can be read meanwhile."""

        key: str

    @dataclass
    class Entered(Message):
        """The person wants the conversation under the list's cursor."""

    def __init__(self, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(placeholder="Search every message, title and id", id=id, select_on_focus=False)
        self.marks = marks
        self.highlighter = _Chips(self)
        self.border_title = "search"
        self._values: dict[str, tuple[str, ...]] = {}
        self._asked: set[str] = set()
        self._said = ResultLine(), ""

    def say(self, line: ResultLine | None, marked: str = "") -> None:
        """Show the result line, what is marked in front. It may hold the person's own words, so it is never markup."""
        self._said = line or ResultLine(), marked
        self._draw_said()

    def on_resize(self) -> None:
        self._draw_said()

    def _draw_said(self) -> None:
        line, marked = self._said
        front = f"{marked} · " if marked else ""
        room = self.outer_size.width - 6 - safe_text.width(front)
        self.border_subtitle = Content.styled(front, "$accent bold") + Content(
            line.within(room, self.marks.ellipsis)
        )

    @property
    def asked(self) -> str:
        """What is asked for: the text, but for a filter whose value has only begun."""
        return completion.asked(self.value, self._values.get)

    @property
    def cursor_place(self) -> int | None:
        """The character under the cursor; None without one."""
        return self.cursor_position if self.has_focus else None

    def offer(self, key: str, values: Iterable[str]) -> None:
        """Take the values that there are for a key, the most frequent first. They are store text: unsafe ones go."""
        self._values[key] = tuple(value for value in values if safe_text.line(value) == value)
        self._complete(self.value)

    def ask_for_values_again(self) -> None:
        """The store moved on: what was offered stands until it was asked anew."""
        self._asked.clear()

    def watch_value(self, before: str, value: str) -> None:
        self._complete(value)
        if bool(before) != bool(value):
            # There is something to clear now, or nothing any more.
            self.refresh_bindings()
        key = completion.unfinished_key(value)
        if key in (*completion.FROM_THE_STORE, *completion.COMPARED) and key not in self._asked:
            self._asked.add(key)
            compared = key in completion.COMPARED
            self.post_message(self.KeyTyped(key) if compared else self.ValuesWanted(key))

    def _complete(self, line: str) -> None:
        # At once, not in a worker as a Suggester would: what is offered must never be of an older line.
        self._suggestion = completion.completed(line, lambda key: self._values.get(key, ()))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Moving and resuming are offered only while there is something below."""
        return self.has_list or action != "step"

    def action_cursor_right(self, select: bool = False) -> None:
        if not select and self.cursor_at_end and completion.is_whole(self._suggestion):
            # What is typed next is another word.
            self._suggestion += " "
        super().action_cursor_right(select)

    def action_enter(self) -> None:
        # A message, like every step and letter before it: Enter must not overtake them.
        self.post_message(self.Entered())

    def action_step(self, step: str) -> None:
        self.post_message(self.Stepped(step))
