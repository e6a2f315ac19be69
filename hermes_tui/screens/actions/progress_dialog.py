"""A bar over the browser while many conversations are written; Esc stops before the next one.

It owns the keys from the first moment, and is seen once it has something to show: what is quick must not flash.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ProgressBar, Static

from hermes_tui.screens.dialog import Dialog
from hermes_tui.styles import STYLES
from hermes_tui.text.figures import count


class ProgressDialog(Dialog[None]):
    """How far a write has come.

    Args:
        serial: Of the write.
        doing: What is going on: "Deleting 30 conversations".
        stop: Called when the person wants no more of it.
    """

    CSS_PATH = STYLES / "progress_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop", id="progress.stop", tooltip="Stop before the next conversation"),
    ]

    def __init__(self, serial: int, doing: str, stop: Callable[[], None]) -> None:
        super().__init__(classes="-unseen")
        self.serial = serial
        self._doing = doing
        self._stop = stop
        self._reported = (0, 0)
        self._stopping = self._composed = False

    def compose(self) -> ComposeResult:
        with Vertical(id="progress"):
            yield Static(id="done")
            yield ProgressBar(id="bar", show_eta=False, show_percentage=False)

    def on_mount(self) -> None:
        # An app that is leaving composes nothing any more.
        self._composed = bool(self.children)
        self._draw()

    def show(self, done: int, total: int) -> None:
        """So many are done, of how many; from now on it is seen."""
        self.remove_class("-unseen")
        self._reported = done, total
        self._draw()

    def action_stop(self) -> None:
        """Stop before the next conversation; what is done stays done."""
        self.remove_class("-unseen")
        self._stopping = True
        self._stop()
        self._draw()

    def _draw(self) -> None:
        if not (self._composed and self.stands):
            return
        done, total = self._reported
        self.query_one("#done", Static).update(Content(f"{count(done)} of {count(total)}"))
        self.query_one("#bar", ProgressBar).update(total=total or None, progress=done)
        self.query_one("#progress").border_title = Content(self._doing)
        self.query_one("#progress").border_subtitle = "stopping …" if self._stopping else "Esc stops"
