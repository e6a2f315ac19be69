"""One line on top: what this is, which store, how many conversations, and what is hidden."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from hermes_tui.text import safe_text


class HeaderLine(Widget):
    """Name, store and number at the left; at the right what is hidden, shorter when the line is narrow."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"header-line--name", "header-line--store", "header-line--faint"}
    DEFAULT_CSS = """
    HeaderLine {
        height: 1;
        padding: 0 1;
        & .header-line--name { color: $accent; text-style: bold; }
        & .header-line--store { color: $text-muted; }
        & .header-line--faint { color: $faint; }
    }
    """

    store = reactive("")
    """The store's path, for people."""
    number = reactive("")
    """How many conversations are on show."""
    hidden_long = reactive("")
    hidden_short = reactive("")

    def __init__(self, sign: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sign = sign

    def render(self) -> Text:
        width = self.size.width
        name, store, faint = (
            self.get_component_rich_style(f"header-line--{part}", partial=True)
            for part in ("name", "store", "faint")
        )
        title = f"{self._sign} Hermes sessions" if width >= 60 else f"{self._sign} Hermes"
        right = self.hidden_long if width >= 100 else self.hidden_short
        number = self.number if width >= 60 else ""
        room = width - safe_text.width(title) - 3
        if safe_text.width(right) > room:
            right = ""
        if right:
            room -= safe_text.width(right) + 2
        if number:
            room -= safe_text.width(number) + 3
        path = safe_text.cut(self.store, room) if room >= 8 else ""
        left = Text.assemble((title, name), ("   ", ""), (path, store), no_wrap=True, end="")
        if number and room >= 0:
            left.append(f" · {number}" if path else number, faint)
        left.append(" " * max(1, width - left.cell_len - safe_text.width(right)))
        left.append(right, faint)
        return left
