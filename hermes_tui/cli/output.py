"""Where a command's words go: answers to the output, remarks and errors to the error stream."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from hermes_tui.text import safe_text
from hermes_tui.text.marks import Marks, for_encoding


class Output:
    """The two streams of a command. Lines are safe text already, except where a method says so."""

    def __init__(self, answers: TextIO | None = None, remarks: TextIO | None = None) -> None:
        self._answers = answers or sys.stdout
        self._remarks = remarks or sys.stderr

    @property
    def marks(self) -> Marks:
        """The glyphs that the answers can carry."""
        return for_encoding(self._answers.encoding)

    @property
    def is_watched(self) -> bool:
        """Whether answers and remarks both go to a person, not to a program."""
        return self._answers.isatty() and self._remarks.isatty()

    def show(self, text: str) -> str:
        """Make any text one safe line that the answers can carry: what their encoding lacks becomes "?"."""
        return self._carried(safe_text.line(text))

    def line(self, text: str) -> None:
        """Write a line of the answer."""
        self._answers.write(self._carried(text) + "\n")

    def exactly(self, text: str) -> None:
        """Write store text for a program as it is, and as one safe line for a person."""
        if self._answers.isatty():
            self.line(self.show(text))
        else:
            self._answers.write(f"{text}\n")

    def remark(self, text: str) -> None:
        """Say something beside the answer."""
        self._answers.flush()
        dim = self._remarks.isatty() and not os.environ.get("NO_COLOR")
        self._remarks.write(f"\x1b[2m{text}\x1b[0m\n" if dim else f"{text}\n")

    def error(self, text: str) -> None:
        """Say in one line what is wrong; the text may come from anywhere."""
        self._remarks.write(f"hermes-tui: {safe_text.line(text)}\n")

    def _carried(self, text: str) -> str:
        encoding = self._answers.encoding or "ascii"
        return text.encode(encoding, "replace").decode(encoding)
