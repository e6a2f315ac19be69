"""Reading, wherever it happens: what a Reader and the inside of a transaction have in common."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from storage.engine.connection import Cancel, Row, by_name
from storage.engine.layout import Layout
from storage.errors import VersionTooOld

Params = Sequence[Any]


class Reading(Protocol):
    """Whoever answers a SELECT with all of its rows."""

    @property
    def layout(self) -> Layout: ...

    def rows(self, sql: str, params: Params = ..., cancel: Cancel | None = ...) -> list[Row]: ...

    def one(self, sql: str, params: Params = ..., cancel: Cancel | None = ...) -> Row | None: ...

    def json(self, sql: str, params: Params = ..., cancel: Cancel | None = ...) -> Any: ...

    def dicts(self, sql: str, params: Params = ..., cancel: Cancel | None = ...) -> list[dict[str, Any]]: ...


class Within:
    """A transaction that is open: its own changes are seen, and nobody else's until it ends.

    SQLite's errors pass through: whoever began the transaction gives them their names.
    """

    def __init__(self, connection: sqlite3.Connection, layout: Layout) -> None:
        self.connection = connection
        self.layout = layout

    def rows(self, sql: str, params: Params = (), cancel: Cancel | None = None) -> list[Row]:
        return self.connection.execute(sql, params).fetchall()

    def one(self, sql: str, params: Params = (), cancel: Cancel | None = None) -> Row | None:
        row: Row | None = self.connection.execute(sql, params).fetchone()
        return row

    def json(self, sql: str, params: Params = (), cancel: Cancel | None = None) -> Any:
        row = self.one(sql, params)
        return None if row is None or row[0] is None else json.loads(row[0])

    def dicts(self, sql: str, params: Params = (), cancel: Cancel | None = None) -> list[dict[str, Any]]:
        return by_name(self.connection.execute(sql, params))

    def require(self, table: str, column: str) -> None:
        """Refuse to go on where the store lacks the column that is about to be written.

        Raises:
            VersionTooOld
        """
        if not self.layout.has(table, column):
            raise VersionTooOld(table, column)

    def change(self, sql: str, params: Params = ()) -> int:
        """Run a statement that changes rows; returns how many."""
        return self.connection.execute(sql, params).rowcount

    def insert(self, table: str, row: Mapping[str, Any]) -> int:
        """Insert a row, column name → value; returns its rowid."""
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        cursor = self.connection.execute(
            f"INSERT INTO {table}({columns}) VALUES ({marks})", tuple(row.values())
        )
        return int(cursor.lastrowid or 0)
