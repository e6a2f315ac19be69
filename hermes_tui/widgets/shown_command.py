"""The command that does what a dialog does, in the lines that there is room for."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from hermes_tui.text import safe_text

MORE = "… Ctrl+Y copies all of it"


class ShownCommand(Static):
    """Broken between its words; where it needs more lines, the last one says how to get it.

    The beginning of a command alone does something else, or to something else.
    """

    def show(self, command: str) -> None:
        """Show another command."""
        self.update(Content(safe_text.line(command)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        width, height = self.content_size
        lines = self._lines(width)
        if len(lines) > height > 0:
            lines[height - 1 :] = [safe_text.cut(MORE, width)]
        return Content("\n".join(lines))

    def _lines(self, width: int) -> list[str]:
        command = str(self.content)
        return [command[start:end] for start, end in safe_text.wrap(command, width)]
