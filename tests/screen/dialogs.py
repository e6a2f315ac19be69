"""Dialogs on their own: an app with our colours, one dialog over it, and what it answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual.app import App
from textual.screen import ModalScreen

from hermes_tui.styles import STYLES
from hermes_tui.themes import DARK

T = TypeVar("T")


class DialogApp(App[None], Generic[T]):
    """Shows one dialog, made once the app runs.

    Args:
        make: Makes it.
    """

    CSS_PATH = STYLES / "app.tcss"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, make: Callable[[], ModalScreen[T]]) -> None:
        super().__init__()
        self._make = make
        self.answers: list[T | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self._make(), self.answers.append)
