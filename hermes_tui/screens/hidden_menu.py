"""A small menu: which hidden classes are on show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from hermes_tui.screens.dialog import Dialog
from hermes_tui.styles import STYLES
from hermes_tui.text.figures import count
from hermes_tui.text.marks import Marks
from hermes_tui.widgets.choices import Choices
from storage import HiddenClass

WHAT = {
    HiddenClass.ARCHIVED: "put away",
    HiddenClass.HIDDEN: "hidden by Hermes",
    HiddenClass.SUBAGENT: "spawned by another conversation",
    HiddenClass.CRON: "scheduled jobs",
    HiddenClass.TOOL: "made by tools",
}


class HiddenMenu(Dialog["frozenset[HiddenClass] | None"]):
    """Tick the classes to show; the answer is the set, or None when it was left.

    Args:
        hidden: Conversations of each class.
        show: The classes on show now.
        marks: The glyphs in use.
    """

    CSS_PATH = STYLES / "hidden_menu.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "tick", "tick", id="hidden.tick", tooltip="Show this class, or hide it"),
        Binding(
            "enter,h", "accept", "show", priority=True, id="hidden.accept", tooltip="Show what is ticked"
        ),
        Binding("a", "all", "all", id="hidden.all", tooltip="Tick all, or none"),
        Binding("j", "step(1)", "down", show=False, id="hidden.down", tooltip="One class down"),
        Binding("k", "step(-1)", "up", show=False, id="hidden.up", tooltip="One class up"),
        Binding("escape,q", "cancel", "leave", id="hidden.cancel", tooltip="Change nothing"),
    ]

    def __init__(self, hidden: Mapping[HiddenClass, int], show: frozenset[HiddenClass], marks: Marks) -> None:
        super().__init__()
        self._hidden = hidden
        self._show = show
        self._marks = marks
        # Made here: a key may come before the menu is composed.
        self._choices = Choices(*(Option(self._line(name), id=name) for name in HiddenClass), id="choices")
        self._choices.border_title = "show as well"
        self._choices.highlighted = 0

    def compose(self) -> ComposeResult:
        yield self._choices
        yield Static(Content("Space ticks · a all · Enter shows · Esc cancels"), id="hint")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click ticks, like Space."""
        event.stop()
        self.action_tick()

    def action_tick(self) -> None:
        """Show or hide the class under the cursor."""
        if self._choices.highlighted is not None:
            self._set(self._show ^ {list(HiddenClass)[self._choices.highlighted]})

    def action_all(self) -> None:
        """All classes, or none when all are ticked."""
        everything = frozenset(HiddenClass)
        self._set(frozenset() if self._show == everything else everything)

    def action_step(self, by: int) -> None:
        """Move the cursor."""
        if by > 0:
            self._choices.action_cursor_down()
        else:
            self._choices.action_cursor_up()

    def action_accept(self) -> None:
        """Answer with what is ticked."""
        self.dismiss(self._show)

    def action_cancel(self) -> None:
        """Answer that nothing changes."""
        self.dismiss(None)

    def _set(self, show: frozenset[HiddenClass]) -> None:
        self._show = show
        for name in HiddenClass:
            self._choices.replace_option_prompt(name, self._line(name))

    def _line(self, name: HiddenClass) -> Content:
        tick = self._marks.ticked if name in self._show else self._marks.unticked
        return Content.assemble(
            (f"{tick} ", "$accent bold"),
            f"{name:<9}",
            f"{count(self._hidden.get(name, 0)):>8}",
            (f"   {WHAT[name]}", "$text-muted"),
        )
