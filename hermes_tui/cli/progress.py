"""How far long work is: a bar on a terminal, nothing in a pipe. Ctrl+C lets the step that runs be finished."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TextIO

from hermes_tui.text.figures import count
from hermes_tui.text.marks import for_encoding
from hermes_tui.text.safe_text import cut

if TYPE_CHECKING:
    from hermes_tui.cli.output import Output
    from storage import Cancel

Progress = Callable[[int, int], None]
"""Gets what is done and how much there is."""

_PATIENCE = 0.3
"""Seconds before there is a bar, for most work is done by then; and no two looks of it are closer than a third."""
_CELLS = 24
_CLEAR = "\r\x1b[K"


class Bar:
    """One line of a terminal that is written again and again."""

    def __init__(self, stream: TextIO, doing: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._doing = doing
        self._clock = clock
        self._due = clock() + _PATIENCE
        self._drawn = False
        marks = for_encoding(stream.encoding)
        wide = marks is not for_encoding("ascii")
        self._ellipsis = marks.ellipsis
        self._full, self._empty = ("█", "░") if wide else ("#", ".")
        self._colour = "" if os.environ.get("NO_COLOR") else "\x1b[36m"

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _PATIENCE / 3
        share = min(done / total, 1.0) if total > 0 else 0.0
        full = int(share * _CELLS)
        bar = self._full * full + self._empty * (_CELLS - full)
        line = cut(
            f"{self._doing} {bar} {share:4.0%}  {count(done)} of {count(total)}", _columns(self._stream)
        )
        coloured = line.replace(bar, f"{self._colour}{bar}\x1b[0m") if self._colour else line
        self._write(f"{_CLEAR}{coloured}")
        self._drawn = True

    def say(self, doing: str) -> None:
        """Show, at once, what is being done now of which nobody can tell how far it is."""
        self._write(f"{_CLEAR}{cut(f'{doing} {self._ellipsis}', _columns(self._stream))}")
        self._drawn = True

    def clear(self) -> None:
        """Leave the line as if nothing had been there."""
        if self._drawn:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextmanager
def progress(output: Output, doing: str) -> Iterator[Bar | None]:
    """A bar for the time of the block; None where nobody would see it.

    Args:
        doing: What is being done, in one word: "Deleting".
    """
    terminal = output.terminal
    if terminal is None or os.environ.get("TERM") == "dumb":
        yield None
        return
    bar = Bar(terminal, doing)
    try:
        yield bar
    finally:
        bar.clear()


@contextmanager
def stopping(cancel: Cancel) -> Iterator[None]:
    """Have Ctrl+C cancel the work in the block instead of breaking it off; a second one breaks it off."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        # Not here: the thread that was interrupted may hold the lock of the token.
        threading.Thread(target=cancel.cancel).start()

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns - 1
    except (OSError, ValueError):
        return 79
