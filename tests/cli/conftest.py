"""Fixtures for commands that are run in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.commands import Commands

OnStore = Callable[[Path], Commands]


@pytest.fixture
def on_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[OnStore]:
    """`on_store(path)`: the commands of `hermes-tui sessions` on that store, in UTC."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield lambda path: Commands(path, monkeypatch)
    time.tzset()
