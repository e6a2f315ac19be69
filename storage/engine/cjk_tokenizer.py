"""`messages_fts_cjk` needs a tokenizer from a library that is rarely here; without it no message could be written."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from storage import locations

_LIBRARY = "HERMES_FTS5_CJK_SO"
"""In the environment: where the library is."""

_MISSING = ("no such tokenizer", "no such table")


def make_writable(connection: sqlite3.Connection, file: Path) -> None:
    """Load the tokenizer, or else detach the index from the messages; inside the transaction of the write."""
    if not _usable(connection) and not (_load(connection, file) and _usable(connection)):
        detach(connection)


def make_readable(connection: sqlite3.Connection, file: Path) -> bool:
    """Whether the index can be asked, its tokenizer loaded if need be."""
    with suppress(sqlite3.DatabaseError):
        return _usable(connection) or (_load(connection, file) and _usable(connection))
    return False


def detach(connection: sqlite3.Connection) -> None:
    """Let messages be written without the index, as Hermes does it (spec 1.6).

    The flag that the index is stale first, then its triggers; the index stays for a host that can rebuild it.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)")
    connection.execute("INSERT OR REPLACE INTO state_meta(key, value) VALUES ('fts_cjk_stale', '1')")
    for operation in ("insert", "delete", "update"):
        connection.execute(f"DROP TRIGGER IF EXISTS messages_fts_cjk_{operation}")


def _usable(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT rowid FROM messages_fts_cjk LIMIT 0").fetchall()
    except sqlite3.OperationalError as error:
        if not str(error).startswith(_MISSING):
            raise
        return False
    return True


def _wanted() -> bool:
    return os.environ.get("HERMES_CJK_FTS", "").strip().lower() not in ("0", "false", "off", "no")


def _load(connection: sqlite3.Connection, file: Path) -> bool:
    library = _library(file)
    if library is None or not hasattr(connection, "enable_load_extension"):
        return False
    connection.enable_load_extension(True)
    try:
        with suppress(sqlite3.OperationalError):
            connection.load_extension(library)
            return True
        return False
    finally:
        connection.enable_load_extension(False)


def _library(file: Path) -> str | None:
    """What the environment names, or what lies in the store's home if that is one of Hermes' own.

    To open a store that somebody sent must not run what was sent with it.
    """
    named = os.environ.get(_LIBRARY)
    own = file.name == locations.STORE_NAME and file.is_relative_to(locations.root())
    library = named or (str(file.parent / "lib" / "libfts5_cjk.so") if own else None)
    return library if library and _wanted() and os.path.isfile(library) else None
