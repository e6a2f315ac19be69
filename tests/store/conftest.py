"""Fixtures of the tests that look behind the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from storage.engine.connection import Reader, open_reader


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
