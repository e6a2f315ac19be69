"""An app of one widget, with the colours that every theme of ours defines."""

from __future__ import annotations

from typing import TypeVar

from rich.console import Console
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from hermes_tui.themes import DARK

M = TypeVar("M", bound=Message)


class BareApp(App[None]):
    """Shows one widget and keeps the messages that it posts."""

    CSS = "Screen { background: $background; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, widget: Widget, *, colors: str = "truecolor") -> None:
        super().__init__()
        # What the terminal of whoever runs the tests can show must not matter.
        self.console = Console(color_system=colors, force_terminal=True)  # type: ignore[arg-type]
        self.widget = widget
        self.posted: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name

    def take(self, kind: type[M]) -> list[M]:
        """What was posted of one kind since the last time."""
        taken = [message for message in self.posted if isinstance(message, kind)]
        self.posted = [message for message in self.posted if not isinstance(message, kind)]
        return taken


def lines_of(widget: Widget) -> list[str]:
    """What a widget draws, line by line, without its padding."""
    return [widget.render_line(y).text.rstrip() for y in range(widget.scrollable_content_region.height)]
