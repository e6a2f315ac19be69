"""Throwaway stores, made or copied for one test."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol

DATA = Path(__file__).parent.parent / "data"
STORES = DATA / "stores"

NOW = 1780020000.0
"""The frozen clock of the cases, in Unix seconds."""

CopyStore = Callable[[str], Path]


class BuildV11(Protocol):
    def __call__(self, sql: str = "", *, home: str = "home") -> Path: ...


def write_v11(path: Path, sql: str = "") -> Path:
    """A cleanly closed WAL store of version 11 (inline index), then `sql` run on it with foreign keys off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise FileExistsError(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((DATA / "fixture_v11.sql").read_text(encoding="utf-8"))
        connection.executescript(sql)
    return path


def copy_of(name: str, directory: Path) -> Path:
    """A writable copy of a stored store, in a directory of its own."""
    directory.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(STORES / name, directory / name))


def dump(path: Path) -> list[str]:
    """Everything a store holds, the shadows of virtual tables as plain rows, without changing its bytes."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        schema = connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2"
        ).fetchall()
        lines = [repr(row) for row in schema]
        for kind, name, _, sql in schema:
            if kind == b"table" and not (sql or b"").upper().startswith(b"CREATE VIRTUAL"):
                lines += sorted(repr(row) for row in connection.execute(f'SELECT * FROM "{name.decode()}"'))
    return lines
