"""A calm page in place of the list when there is nothing to list: missing, empty, no match, loading, error."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.widget import Widget

from hermes_tui.text import safe_text


class Notice(Widget, can_focus=True):
    """A title and a few lines in the middle of an otherwise empty pane. Its text is never markup."""

    HELP = "Why there is nothing to list, and the keys that lead on from here."
    COMPONENT_CLASSES: ClassVar[set[str]] = {"notice--title", "notice--body", "notice--key"}
    DEFAULT_CSS = """
    Notice {
        height: 1fr;
        content-align: center middle;
        text-align: center;
        padding: 0 2;
        & .notice--title { color: $text; text-style: bold; }
        & .notice--body { color: $text-muted; }
        & .notice--key { color: $accent; text-style: bold; }
        &.-error .notice--title { color: $error; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title = ""
        self._body: tuple[str, ...] = ()
        self._keys: tuple[tuple[str, str], ...] = ()

    def say(
        self, title: str, *body: str, keys: tuple[tuple[str, str], ...] = (), error: bool = False
    ) -> None:
        """Show a title, lines below it, and the keys that lead on."""
        self._title, self._body, self._keys = title, body, keys
        self.set_class(error, "-error")
        self.refresh(layout=True)

    def render(self) -> Text:
        title, body, key = (
            self.get_component_rich_style(f"notice--{part}", partial=True)
            for part in ("title", "body", "key")
        )
        text = Text(justify="center")
        text.append(safe_text.line(self._title), title)
        # Where there is little room, the keys that lead on matter more than the words.
        lines = self._body[: max(0, self.size.height - 5)]
        for number, line in enumerate(lines):
            text.append("\n\n" if number == 0 else "\n")
            text.append(safe_text.line(line), body)
        if self._keys:
            text.append("\n\n")
            for number, (name, label) in enumerate(self._keys):
                text.append("   " if number else "")
                text.append(name, key)
                text.append(f" {label}", body)
        return text
