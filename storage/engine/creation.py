"""What a new store is made of: a file of its own, and the statements of the current schema."""

from __future__ import annotations

import os
import sqlite3
from functools import cache
from pathlib import Path

from storage.errors import CannotCreate

SCHEMA_VERSION = 23
FTS_STORAGE_VERSION = 1
"""Layout C, as `state_meta` records it."""


def script(name: str) -> str:
    """The text of `schema/<name>.sql`; it may be run on a store that has some of it already."""
    return (Path(__file__).parent / "schema" / f"{name}.sql").read_text(encoding="utf-8")


def claim(path: Path) -> None:
    """Make an empty file, readable by its owner alone, and the directories above it; one that is there stays.

    Raises:
        CannotCreate: The file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        if path.exists():
            return
        raise CannotCreate(path, error.strerror or str(error)) from error


@cache
def statements(name: str) -> tuple[str, ...]:
    """The statements of `schema/<name>.sql` one by one: running them as a script would commit first."""
    found: list[str] = []
    pending = ""
    for line in script(name).splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    return tuple(found)
