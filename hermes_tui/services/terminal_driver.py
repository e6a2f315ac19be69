"""Textual's driver for terminals, for whatever a terminal sends and however the process is ended."""

from __future__ import annotations

import asyncio
import codecs
import os
import selectors
import signal
from contextlib import suppress
from types import FrameType
from typing import IO, Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

ENDINGS = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)
"""Signals that end the browser, with the terminal given back and the exit status 128 + the signal's number."""
POLL_SECONDS = 0.1
CHUNK = 4096


class TerminalDriver(LinuxDriver):
    """Reads bytes that are no UTF-8, ends in order when it is told to, and survives the terminal."""

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, **others)
        self._file: Any = _WithoutErrors(self._file)
        self._loop = asyncio.get_running_loop()
        self._handlers: dict[signal.Signals, Any] = {}
        """What the signals did before."""

    def start_application_mode(self) -> None:
        # Whoever started the process to outlive its terminal (nohup) had the signal ignored.
        heeded = [number for number in ENDINGS if signal.getsignal(number) is not signal.SIG_IGN]
        self._handlers = {number: signal.signal(number, self._told_to_end) for number in heeded}
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        super().stop_application_mode()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def run_input_thread(self) -> None:
        """Read until the end; as LinuxDriver does, but for bytes that cannot be decoded and a terminal that is gone."""
        # A paste in Latin-1, or the report of a mouse far to the right in the oldest of the protocols.
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        parser = XTermParser(self._debug)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(POLL_SECONDS):
                    data = self._read()
                    if not data:
                        self._loop.call_soon_threadsafe(self._end, signal.SIGHUP)
                        return
                    # To the parser an empty text is the end, and half a letter decodes to one.
                    for event in parser.feed(text) if (text := decode(data)) else ():
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, CHUNK)
        except OSError:
            return b""

    def _told_to_end(self, number: int, _: FrameType | None) -> None:
        # Who says it twice will not wait.
        signal.signal(number, signal.SIG_DFL)
        self._loop.call_soon_threadsafe(self._end, number)

    def _end(self, number: int) -> None:
        self._app.exit(return_code=128 + number)


class _WithoutErrors:
    """A stream to a terminal that may go away: the thread that writes would end, and everybody else wait for it."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()
