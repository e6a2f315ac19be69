"""Brings a store to schema version 23: a ledger of small steps, each safe to be killed in and run again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from storage.engine.creation import FTS_STORAGE_VERSION, SCHEMA_VERSION, statements

if TYPE_CHECKING:
    from storage.engine.writer import Writer

Progress = Callable[[int, int], None]
"""Gets how many messages have been indexed anew, and how many there are."""


def migrate(writer: Writer, progress: Progress | None = None) -> tuple[int, int]:
    """Bring the store to the current schema version; a newer one is left as it is.

    Returns:
        The version before and after.
    """
    writer.outside(lambda connection: connection.execute("PRAGMA journal_mode=WAL").fetchone())
    return writer.write(_born)


def _born(connection: sqlite3.Connection) -> tuple[int, int]:
    if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
        for name in ("tables", "indexes", "deferred_indexes", "fts_external"):
            for statement in statements(name):
                connection.execute(statement)
        connection.execute("INSERT INTO schema_version(version) VALUES (?)", (SCHEMA_VERSION,))
        connection.execute(
            "INSERT INTO state_meta(key, value) VALUES ('fts_storage_version', ?)",
            (str(FTS_STORAGE_VERSION),),
        )
    return SCHEMA_VERSION, SCHEMA_VERSION
