"""A box to tick: one line that says what is on, and what that means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from hermes_tui.text import safe_text
from hermes_tui.text.marks import Marks


class Tick(Widget, can_focus=True):
    """Space or a click ticks it; Enter is left to the dialog.

    Args:
        label: What is on or off.
        marks: The glyphs in use.
        on: Ticked at first.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tick--mark", "tick--why"}
    DEFAULT_CSS = """
    Tick {
        height: 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        & > .tick--mark { color: $accent; text-style: bold; }
        & > .tick--why { color: $text-muted; }
        &:focus { background: $cursor-row; text-style: bold; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "tick", id="tick.tick", tooltip="Tick it, or not"),
    ]

    on = reactive(False)
    label = reactive("")
    """What is on or off."""
    why = reactive("")
    """What it means as it stands."""

    @dataclass
    class Changed(Message):
        """The person ticked it, or not."""

        tick: Tick

        @property
        def control(self) -> Tick:
            return self.tick

    def __init__(self, label: str, marks: Marks, *, on: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks = marks
        self.set_reactive(Tick.label, label)
        self.set_reactive(Tick.on, on)

    def render(self) -> Text:
        mark, why = (self.get_component_rich_style(f"tick--{part}", partial=True) for part in ("mark", "why"))
        text = Text(no_wrap=True, overflow="ellipsis", end="")
        text.append(f"{self._marks.ticked if self.on else self._marks.unticked} ", mark)
        text.append(safe_text.line(self.label))
        if self.why:
            text.append(f"  {safe_text.line(self.why)}", why)
        return text

    def on_click(self) -> None:
        self.action_tick()

    def action_tick(self) -> None:
        """Tick it, or take the tick away."""
        self.on = not self.on
        self.post_message(self.Changed(self))
