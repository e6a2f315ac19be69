"""What tests do to a store's file themselves: SQL on a connection of their own, or one opening for writing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from storage.engine.writer import open_writer


def run(path: Path, sql: str, *params: Any) -> list[Any]:
    """The rows of one statement."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(sql, params).fetchall()


def script(path: Path, *sql: str) -> Path:
    """Run statements, each with a semicolon behind it or not, and give the path back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(";".join(sql))
    return path


def migrated(path: Path) -> Path:
    """A store after it was opened for writing once, which brings it to the newest version."""
    open_writer(path).close()
    return path
