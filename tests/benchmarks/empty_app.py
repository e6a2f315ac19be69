"""The floor of a start: a Textual app with nothing in it but a word to wait for."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class EmptyApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("ready")


if __name__ == "__main__":
    EmptyApp().run()
