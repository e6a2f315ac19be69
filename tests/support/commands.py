"""Command lines carried out in this process: what they print, with which status they end, what is typed to them."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import start
from hermes_tui.__main__ import main
from hermes_tui.cli import command
from hermes_tui.options import Options
from storage import WritePolicy
from tests.support.stores import NOW


class _Stream(io.TextIOWrapper):
    """A stream that says whether it is a terminal."""

    def __init__(self, content: bytes = b"", *, terminal: bool = False, encoding: str = "utf-8") -> None:
        self.content = io.BytesIO(content)
        super().__init__(self.content, encoding=encoding, write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        return self.content.getvalue().decode()


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its answer, which must be JSON in printable ASCII, with nothing said beside it."""
        assert self.err == ""
        assert self.out.isascii()
        assert self.out.replace("\n", "").isprintable()
        return json.loads(self.out)


class Commands:
    """`hermes-tui sessions` on one store, at a time that stands still."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.now = NOW
        self._patch = monkeypatch

    def __call__(
        self,
        *words: str,
        typed: str | None = None,
        watched: bool = False,
        encoding: str = "utf-8",
        given: bytes = b"",
        policy: WritePolicy | None = None,
    ) -> Ended:
        """Run a command.

        Args:
            typed: What a person types; None where there is no terminal to type on.
            watched: The answers go to a terminal, too.
            given: What stands in the input, where it is no terminal.
        """
        person = typed is not None
        streams = {
            "stdin": _Stream((typed or "").encode() or given, terminal=person),
            "stdout": _Stream(terminal=watched, encoding=encoding),
            "stderr": _Stream(terminal=person or watched, encoding=encoding),
        }
        options_for, call = start.options_for, command.Call

        def options(*said: Any, **more: Any) -> Options:
            return replace(options_for(*said, **more), clock=lambda: self.now)

        with self._patch.context() as patch:
            patch.setattr(start, "options_for", options)
            patch.setattr(command, "Call", lambda said, options, output: call(said, options, output, policy))
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            try:
                status = main(["sessions", "--db", str(self.path), *words])
            except SystemExit as error:
                status = int(error.code or 0)
        return Ended(status, streams["stdout"].text(), streams["stderr"].text())


def files(directory: Path) -> dict[str, bytes]:
    """Every file below a directory to the byte, but the empty side files that SQLite lays beside a store it reads."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
        and not path.name.endswith("-shm")
        and (path.stat().st_size or path.suffix != ".db-wal")
    }
