"""An app of one widget, with the colours that every theme of ours defines."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.message import Message
from textual.theme import Theme
from textual.widget import Widget

DARK = Theme(
    name="bare",
    primary="#CD7F32",
    accent="#FFBF00",
    warning="#FFA726",
    error="#EF5350",
    foreground="#EDE6D6",
    background="#15120E",
    surface="#1B1712",
    panel="#262019",
    dark=True,
    variables={
        "text": "#EDE6D6",
        "text-muted": "#8B8682",
        "faint": "#5D564D",
        "bronze": "#CD7F32",
        "gold": "#DAA520",
        "green": "#6DBE6F",
        "cursor-row": "#3A2C1A",
        "scrollbar": "#3A332A",
        "scrollbar-background": "#15120E",
    },
)


class BareApp(App[None]):
    """Shows one widget and keeps every message of its own kind that it posts."""

    CSS = "Screen { background: $background; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.posted: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = "bare"

    async def on_event(self, event: object) -> None:
        await super().on_event(event)  # type: ignore[arg-type]

    def take(self, kind: type[Message]) -> list[Message]:
        """What was posted of this kind since the last time."""
        taken = [message for message in self.posted if isinstance(message, kind)]
        self.posted = [message for message in self.posted if not isinstance(message, kind)]
        return taken
