"""A command in a real terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
import tty
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

PATIENCE = 30.0
"""Seconds until a test gives up; only a failure takes so long."""


class PseudoTerminal:
    """Runs a command with a terminal as its controlling one, and reads its screen.

    Args:
        stdin, stdout, stderr: A descriptor in place of the terminal for one of its streams.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (100, 30),
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        self.raw = b""
        """Everything that was written to the terminal."""
        self._screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.attributes = termios.tcgetattr(slave)
        """How the terminal was set before the command began."""
        self.slave = slave
        self.process = subprocess.Popen(
            argv,
            # Some test runners set these, and they would say another size than the terminal does.
            env={name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")},
            cwd=cwd,
            stdin=slave if stdin is None else stdin,
            stdout=slave if stdout is None else stdout,
            stderr=slave if stderr is None else stderr,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.slave)
        if self._master >= 0:
            os.close(self._master)

    @property
    def screen(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def is_raw(self) -> bool:
        """Whether a screen reads the keys, not a line editor."""
        flags: int = termios.tcgetattr(self.slave)[tty.LFLAG]
        return not flags & termios.ICANON

    @property
    def attributes_now(self) -> list[object]:
        return termios.tcgetattr(self.slave)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        os.close(self._master)
        self._master = -1

    def wait_for(self, text: str, patience: float = PATIENCE) -> None:
        """Read until the text stands on the screen."""
        self.wait_until(lambda: text in self.screen, repr(text), patience)

    def wait_until(self, came: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Read until it came."""
        end = time.monotonic() + patience
        while not came():
            if time.monotonic() > end or (self.process.poll() is not None and not self._read(0.1)):
                raise AssertionError(f"{what} never came:\n{self.screen}\n{self.raw[-2000:]!r}")
            self._read(0.05)

    def wait(self) -> int:
        """Read until the command ends; returns its exit status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise AssertionError(f"It never ended:\n{self.screen}")
            self._read(0.05)
        while self._read(0.1):
            pass
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        data = os.read(self._master, 65536)
        self.raw += data
        # pyte takes the keyboard protocol's sequences, which no emulator draws, for text.
        self._stream.feed(data.replace(b"\x1b[<u", b""))
        return True
