"""Fixtures of the tests that look behind the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from storage.engine.connection import Cancel, Reader, open_reader


@pytest.fixture
def opened() -> Iterator[Callable[[Path], Reader]]:
    """`opened(path)`: a reader that is closed after the test."""
    readers: list[Reader] = []

    def open_(path: Path) -> Reader:
        readers.append(open_reader(path))
        return readers[-1]

    yield open_
    for reader in readers:
        reader.close()


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements of one row that readers have run, from the first on."""
    statements: list[str] = []
    run = Reader.one

    def noting(self: Reader, sql: str, params: Sequence[object] = (), cancel: Cancel | None = None) -> object:
        statements.append(sql)
        return run(self, sql, params, cancel)

    monkeypatch.setattr(Reader, "one", noting)
    return statements
