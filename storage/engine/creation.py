"""Makes a new store: a file of our own, born at the current schema."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from storage.errors import CannotCreate, WritingNotSupported

SCHEMA_VERSION = 23
FTS_STORAGE_VERSION = 1
"""Layout C, as `state_meta` records it."""

_SCRIPTS = ("tables", "indexes", "deferred_indexes", "fts_external")


def script(name: str) -> str:
    """The text of `schema/<name>.sql`; it may be run on a store that has some of it already."""
    return (Path(__file__).parent / "schema" / f"{name}.sql").read_text(encoding="utf-8")


def create(path: Path) -> None:
    """Make an empty store in WAL mode that only its owner may read, and the directories above it.

    Raises:
        WritingNotSupported: There is something at `path`.
        CannotCreate: The file cannot be made or not be filled; what was made of it is gone again.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCreate(path, f"{path.parent}: {error.strerror}") from error
    try:
        # By hand, for SQLite would let the umask decide who may read it, and would open one that is there.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise WritingNotSupported(path) from None
    except OSError as error:
        raise CannotCreate(path, error.strerror or str(error)) from error
    try:
        _fill_in(path)
    except sqlite3.Error as error:
        path.unlink(missing_ok=True)
        raise CannotCreate(path, str(error)) from error


def _fill_in(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL").fetchone()
        tables = "\n".join(script(name) for name in _SCRIPTS)
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{tables}\n"
            f"INSERT INTO schema_version(version) VALUES ({SCHEMA_VERSION});\n"
            f"INSERT INTO state_meta(key, value) VALUES ('fts_storage_version', '{FTS_STORAGE_VERSION}');\n"
            "COMMIT;"
        )


def claim(path: Path) -> None:
    """Make an empty file, readable by its owner alone, and the directories above it; one that is there stays.

    Raises:
        CannotCreate: The file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return
    except OSError as error:
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
