"""What a store must be whatever was done to it: sound, indexed, and with every row that it had."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

TRIGGERS = frozenset(
    f"{table}_{operation}"
    for table in ("messages_fts", "messages_fts_trigram")
    for operation in ("insert", "delete", "update")
)

Rows = dict[str, list[dict[str, Any]]]


def assert_whole(path: Path, version: int | None = 23) -> None:
    """Pages, indexes, the search index against the messages, and the six triggers that keep it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if version is not None:
            assert connection.execute("SELECT version FROM schema_version").fetchall() == [(version,)]
        assert triggers(connection) >= TRIGGERS
        marks = connection.execute("SELECT key FROM state_meta WHERE key LIKE 'fts_rebuild%'").fetchall()
        assert marks == []
        connection.execute("BEGIN IMMEDIATE")
        for table in ("messages_fts", "messages_fts_trigram"):
            # 1 compares with the messages, which an inline index has copied: its rows are counted instead.
            compared = int(is_external(connection, table))
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', {compared})")
            where = " WHERE role <> 'tool'" if compared and "trigram" in table else ""
            wanted = connection.execute(f"SELECT id FROM messages{where} ORDER BY id").fetchall()
            assert connection.execute(f"SELECT id FROM {table}_docsize ORDER BY id").fetchall() == wanted
        connection.execute("ROLLBACK")


def triggers(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}


def is_external(connection: sqlite3.Connection, table: str = "messages_fts") -> bool:
    sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    return "tool_name" in sql


def rows_of(path: Path) -> Rows:
    """Every session and message, column name → value."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            table: [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY {key}")]
            for table, key in (("sessions", "id"), ("messages", "id"))
        }


def without_markers(rows: Rows) -> Rows:
    """The rows without `model_config`, to which a migration adds who delegated a session (spec 2.2)."""
    return {
        table: [{name: value for name, value in row.items() if name != "model_config"} for row in found]
        for table, found in rows.items()
    }


def contains(after: Rows, before: Rows) -> bool:
    """Whether every row is still there with every value that it had; new columns and new rows are allowed."""
    for table, rows in before.items():
        there = {row["id"]: row for row in after[table]}
        for row in rows:
            now = there.get(row["id"])
            if now is None or any(now[name] != value for name, value in row.items()):
                return False
    return True
