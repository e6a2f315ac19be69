"""The search box: every printable key is text; the arrows belong to the list below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from hermes_tui.text import safe_text
from hermes_tui.widgets import key_order


class SearchBox(Input):
    """A one-line input in a frame; the result line stands in the frame's lower edge."""

    HELP = "Type to search every message, title and id. All words must match; the last one may be unfinished."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "resume", id="search.resume", tooltip="Resume the conversation"),
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
    class Entered(Message):
        """The person wants the conversation under the list's cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(placeholder="Search every message, title and id", id=id, select_on_focus=False)
        self.border_title = "search"

    def say(self, line: str) -> None:
        """Show the result line. It may hold the person's own words, so it is never markup."""
        self.border_subtitle = Content(line)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Moving and resuming are offered only while there is something below."""
        return self.has_list or action != "step"

    def action_enter(self) -> None:
        # A message, like every step and letter before it: Enter must not overtake them.
        self.post_message(self.Entered())

    def action_step(self, step: str) -> None:
        self.post_message(self.Stepped(step))

    async def _on_key(self, event: events.Key) -> None:
        await key_order.act(self, event, takes_text=True)

    def _on_paste(self, event: events.Paste) -> None:
        # Input keeps the first line only; here a pasted line break is a blank, and control bytes go.
        event.prevent_default()
        event.stop()
        start, end = self.selection
        if start == end:
            self.insert_text_at_cursor(safe_text.line(event.text))
        else:
            self.replace(safe_text.line(event.text), start, end)
