"""Where a command's words go: answers to the output, remarks and errors to the error stream."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from hermes_tui.errors import BrowserError
from hermes_tui.text import safe_text
from hermes_tui.text.marks import Marks, for_encoding

_COLUMNS = 80
"""Of a terminal that does not say how wide it is."""


class OutputFailed(BrowserError):
    """The output takes no answers: it is closed, or its disk is full."""


class Output:
    """The two streams of a command. Lines are safe text already, except where a method says so.

    Every method that answers raises OutputFailed where nothing can be written, and BrokenPipeError where the reader
    has gone away.
    """

    def __init__(self, answers: TextIO | None = None, remarks: TextIO | None = None) -> None:
        # Python has no stream for a descriptor that was closed when it started.
        self._answers: TextIO | None = answers or sys.stdout
        self._remarks: TextIO | None = remarks or sys.stderr

    @property
    def marks(self) -> Marks:
        """The glyphs that the answers can carry."""
        return for_encoding(self._answers.encoding if self._answers else None)

    @property
    def is_watched(self) -> bool:
        """Whether answers and remarks both go to a person, not to a program."""
        return all(stream is not None and stream.isatty() for stream in (self._answers, self._remarks))

    @property
    def columns(self) -> int | None:
        """Cells of a line of the terminal that shows the answers; None where a program reads them."""
        if self._answers is None or not self._answers.isatty():
            return None
        try:
            # Not of shutil, which is slow to import. A terminal that does not know its width says 0.
            return os.get_terminal_size(self._answers.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS

    @property
    def terminal(self) -> TextIO | None:
        """The stream of the remarks, where a person reads it at once; None where a program does."""
        return self._remarks if self._remarks is not None and self._remarks.isatty() else None

    def show(self, text: str) -> str:
        """Make any text one safe line that the answers can carry: what their encoding lacks becomes "?"."""
        return self._carried(safe_text.line(text))

    def line(self, text: str) -> None:
        """Write a line of the answer."""
        with self._answering() as answers:
            answers.write(self._carried(text) + "\n")

    def sentence(self, text: str) -> None:
        """Write a line of the answer; on a terminal that is too narrow for it, as lines that end between two words."""
        for line in self.broken(text):
            self.line(line)

    def broken(self, text: str) -> list[str]:
        """The lines that a sentence takes on the terminal; one where a program reads it.

        A word that is wider than the terminal is left to it: a path can be copied in one piece.
        """
        columns = self.columns
        if columns is None or any(safe_text.width(word) > columns for word in text.split()):
            return [text]
        return [text[start:end] for start, end in safe_text.wrap(text, columns)]

    def json(self, value: Any) -> None:
        """Write a value for a program: store text as it is, in nothing but printable ASCII."""
        self.line(as_json(value))

    def exactly(self, text: str) -> None:
        """Write store text for a program as it is, whatever the encoding; as one safe line for a person."""
        with self._answering() as answers:
            if answers.isatty():
                self.line(self.show(text))
                return
            answers.flush()
            answers.buffer.write(_as_argument(text) + b"\n")

    @contextmanager
    def stream(self) -> Iterator[TextIO]:
        """Take text for a program as it is, in UTF-8; for a person as safe lines."""
        with self._answering() as answers:
            if answers.isatty():
                yield _SafeLines(answers)
                return
            answers.flush()
            exact = io.TextIOWrapper(answers.buffer, "utf-8", "surrogatepass", newline="")
            try:
                yield exact
            finally:
                exact.detach()

    def finish(self) -> None:
        """Have all answers arrive."""
        with self._answering() as answers:
            answers.flush()

    def remark(self, text: str) -> None:
        """Say something beside the answer."""
        self.finish()
        self.aside(text)

    def aside(self, text: str) -> None:
        """Say something at once, whatever has become of the answer."""
        dim = self.terminal is not None and not os.environ.get("NO_COLOR")
        self._say(f"\x1b[2m{text}\x1b[0m\n" if dim else f"{text}\n")

    def error(self, text: str) -> None:
        """Say in one line what is wrong; the text may come from anywhere."""
        self._say(f"hermes-tui: {safe_text.line(text)}\n")

    def _say(self, text: str) -> None:
        if self._remarks is None:
            return
        try:
            self._remarks.write(text)
            self._remarks.flush()
        except OSError:
            # Nobody can be told; the exit status still says it.
            let_go(self._remarks)

    @contextmanager
    def _answering(self) -> Iterator[TextIO]:
        if self._answers is None:
            raise OutputFailed("Cannot write the answer: the output is closed.")
        try:
            yield self._answers
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(f"Cannot write the answer: {error.strerror or error}.") from error

    def _carried(self, text: str) -> str:
        encoding = (self._answers.encoding if self._answers else None) or "ascii"
        return text.encode(encoding, "replace").decode(encoding)


class _SafeLines(io.TextIOBase, TextIO):
    """A terminal to which any text can be written."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        encoding = self._terminal.encoding
        self._terminal.write(safe_text.block(text).encode(encoding, "replace").decode(encoding))
        return len(text)


def as_json(value: Any) -> str:
    """JSON in nothing but printable ASCII, for a terminal may read it too."""
    import json

    # The one control byte that JSON leaves as it is.
    return json.dumps(value, indent=2).replace("\x7f", "\\u007f")


def let_go(stream: TextIO | None) -> None:
    """Write no more to a stream that failed: Python flushes it once more on its way out, and would complain again."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _as_argument(text: str) -> bytes:
    """The bytes with which another command is told this text; those of the store where no command line can carry it."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
