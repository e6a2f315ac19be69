"""A case's store opened in each way that writes: as it lies there, and brought up to date first."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB
from tests.support.stores import NOW

both_ways = pytest.mark.parametrize("migrate", [False, True], ids=["as it is", "migrated"])


def opened(path: Path, migrate: bool, *, now: float = NOW) -> SessionDB:
    """The store, open for writing, at a time that stands still; close it after use."""
    return SessionDB(path, migrate=migrate, clock=lambda: now)
