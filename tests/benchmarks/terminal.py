"""A program in a real pseudo-terminal with an emulator behind it: what is on its screen, and since when."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence

import pyte

COLUMNS, ROWS = 120, 40

# What a modern emulator answers at once, so that programs do not wait for a timeout.
_ANSWERS = {b"\x1b[?2026$p": "\x1b[?2026;2$y", b"\x1b[?2048$p": "\x1b[?2048;0$y", b"\x1b[c": "\x1b[?62;22c"}
# What pyte would print instead of ignoring.
_UNKNOWN = re.compile(
    rb"\x1b\[[<>=?][0-9;]*[a-zA-Z]|\x1bP.*?\x1b\\|\x1b_.*?\x1b\\|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[\??[0-9;]*\$p",
    re.DOTALL,
)


class Terminal:
    """Runs a command until `close`.

    Args:
        command: Program and arguments.
        environment: The whole environment of the program.
    """

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._alive = True
        self.first_byte: float | None = None
        """Seconds from the start to the first byte of output."""
        self.started = self._came = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.execvpe(command[0], list(command), environment)

    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(self._screen.display)

    def wait_for(self, pattern: str, timeout: float = 30) -> float:
        """Seconds from the start until the screen matches.

        Raises:
            TimeoutError: It never did.
        """
        expression = re.compile(pattern)
        deadline = time.perf_counter() + timeout
        while not expression.search(self.text()):
            if not self._alive or time.perf_counter() > deadline:
                raise TimeoutError(f"{pattern!r} did not appear in:\n{self.text()}")
            self._read(deadline - time.perf_counter())
        return time.perf_counter() - self.started

    def quiet(self, seconds: float, at_most: float = 5) -> None:
        """Read until nothing came for so long."""
        deadline = time.perf_counter() + at_most
        while self._alive and time.perf_counter() < deadline and self._read(seconds):
            pass

    def changes(self, seconds: float) -> list[tuple[float, frozenset[int]]]:
        """What comes within so long: when, and the lines of the screen that it draws."""
        found = []
        deadline = time.perf_counter() + seconds
        while self._alive and (left := deadline - time.perf_counter()) > 0:
            self._screen.dirty.clear()
            if self._read(left):
                found.append((self._came, frozenset(self._screen.dirty)))
        return found

    @staticmethod
    def now() -> float:
        """Seconds on the clock of `changes`."""
        return time.perf_counter()

    def send(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def close(self) -> None:
        """End the program and everything that it started."""
        for kind in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.killpg(self.pid, kind)
            except ProcessLookupError:
                break
            self.quiet(0.05, 0.3)
        os.waitpid(self.pid, 0)
        os.close(self._fd)

    def _read(self, timeout: float) -> bool:
        if not select.select([self._fd], [], [], max(0, timeout))[0]:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        self._alive = bool(data)
        self._came = time.perf_counter()
        if data and self.first_byte is None:
            self.first_byte = time.perf_counter() - self.started
        for question, answer in _ANSWERS.items():
            if question in data:
                self.send(answer)
        self._stream.feed(_UNKNOWN.sub(b"", data))
        return bool(data)
