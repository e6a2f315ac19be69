"""The journal mode: WAL wherever it can work (spec 3.2)."""

from __future__ import annotations

import sqlite3

from storage.engine.failures import is_busy

_WAL_CANNOT_WORK = ("locking protocol", "not authorized", "disk i/o error")


def use_wal(connection: sqlite3.Connection) -> str:
    """Switch the store to WAL if it can be, and say which mode it has now.

    It stays as it is on a file system without shared memory or real locks, and while somebody else uses it.
    """
    if _mode(connection) == "wal":
        return "wal"
    try:
        return str(connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])
    except sqlite3.OperationalError as error:
        mode = _mode(connection)
        if mode == "wal" or not _is_refusal(error):
            raise
        return mode


def _mode(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _is_refusal(error: sqlite3.OperationalError) -> bool:
    return is_busy(error) or any(text in str(error).lower() for text in _WAL_CANNOT_WORK)
