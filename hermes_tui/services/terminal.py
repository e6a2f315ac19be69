"""Drawing on the terminal of a process whose own streams lead elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from hermes_tui.errors import BrowserError

TERMINAL = "/dev/tty"


class NoTerminal(BrowserError):
    """There is no terminal to draw on."""


@contextmanager
def drawing_on_terminal() -> Iterator[None]:
    """Have the standard streams be the terminal, as far as they are not, and give them back afterwards.

    Textual draws on the error stream, reads the input stream and asks the output stream for the size, each by
    its descriptor. So it is the descriptors that change places: `id=$(hermes-tui browse --print)` draws, and
    what is written to the output once the body has ended still goes to whoever captures it.

    Raises:
        NoTerminal: A stream is no terminal and the process has none.
    """
    if None in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        raise NoTerminal("There is no terminal to draw on (a standard stream is closed).")
    elsewhere = [number for number in (0, 1, 2) if not os.isatty(number)]
    if not elsewhere:
        yield
        return
    with ExitStack() as stack:
        try:
            terminal = os.open(TERMINAL, os.O_RDWR)
            stack.callback(os.close, terminal)
            for number in elsewhere:
                own = os.dup(number)
                stack.callback(os.close, own)
                stack.callback(os.dup2, own, number)
        except OSError as error:
            raise NoTerminal(f"There is no terminal to draw on ({TERMINAL}: {error.strerror}).") from error
        stack.callback(_flush)
        _flush()
        for number in elsewhere:
            os.dup2(terminal, number)
        yield


def _flush() -> None:
    """Let nothing that was written for one place come out at another."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            stream.flush()
