"""A small menu: which hidden classes are on show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from hermes_tui.text.figures import count
from storage import HiddenClass

WHAT = {
    HiddenClass.ARCHIVED: "put away",
    HiddenClass.HIDDEN: "hidden by Hermes",
    HiddenClass.SUBAGENT: "spawned by another conversation",
    HiddenClass.CRON: "scheduled jobs",
    HiddenClass.TOOL: "made by tools",
}


class HiddenMenu(ModalScreen["frozenset[HiddenClass] | None"]):
    """Tick the classes to show; the answer is the set, or None when nothing was changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "show", id="hidden.accept", priority=True, tooltip="Show what is ticked"),
        Binding("h", "accept", "show", show=False, id="hidden.accept_too", tooltip="Show what is ticked"),
        Binding("escape", "cancel", "cancel", id="hidden.cancel", tooltip="Change nothing"),
        Binding("a", "all", "all", id="hidden.all", tooltip="Tick all, or none"),
    ]

    def __init__(self, hidden: Mapping[HiddenClass, int], show: frozenset[HiddenClass]) -> None:
        super().__init__()
        self._hidden = hidden
        self._show = show

    def compose(self) -> ComposeResult:
        wide = max(len(name) for name in HiddenClass)
        rows = [
            Selection(
                Content(f"{name:<{wide}}  {count(self._hidden.get(name, 0)):>7}  {WHAT[name]}"),
                name,
                name in self._show,
            )
            for name in HiddenClass
        ]
        choices: SelectionList[HiddenClass] = SelectionList(*rows, id="choices")
        choices.border_title = "show as well"
        yield choices
        yield Static(Content("Space ticks · a all · Enter shows · Esc leaves"), id="hint")

    def action_accept(self) -> None:
        chosen: SelectionList[HiddenClass] = self.query_one(SelectionList)
        self.dismiss(frozenset(chosen.selected))

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_all(self) -> None:
        chosen: SelectionList[HiddenClass] = self.query_one(SelectionList)
        if len(chosen.selected) == len(HiddenClass):
            chosen.deselect_all()
        else:
            chosen.select_all()
