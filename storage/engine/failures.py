"""What SQLite says went wrong, as an error with a name and a sentence."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.errors import (
    DiskFull,
    IndexDamaged,
    IndexStopsWrites,
    Interrupted,
    NotAStore,
    RowRefused,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreNotWritable,
    StoreReplaced,
    StoreUnreadable,
    TooLarge,
)

_DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT))
_BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL))

_SENTENCES = {
    sqlite3.SQLITE_READONLY_ROLLBACK: (
        "a write was cut off and its journal is still there; Hermes finishes it when it next runs"
    ),
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_CORRUPT: "the database is damaged",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}
_LONGEST = 120
"""Characters that are kept of what SQLite says: it quotes names and statements whole."""

_NO_INDEX = re.compile(
    r"vtable constructor failed|no such (?:tokenizer|module)|no such table: .*messages_fts|SQL logic error|fts5"
)


@contextmanager
def decoded() -> Iterator[None]:
    """Within, an error in whose words SQLite quotes bad bytes is an sqlite3.DatabaseError as any other."""
    try:
        yield
    except UnicodeDecodeError as undecodable:
        raise as_reported(undecodable) from undecodable


def as_reported(undecodable: UnicodeDecodeError) -> sqlite3.DatabaseError:
    """The error that SQLite reported in words which the sqlite3 module fails to decode, and says nothing else.

    Only the schema of a damaged file has such names.
    """
    error = sqlite3.DatabaseError(undecodable.object.decode("utf-8", "replace"))
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def words(error: sqlite3.Error) -> str:
    """What SQLite says, in one line and as long as a sentence can bear."""
    line = " ".join(str(error).split())
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + "…"


def named(error: sqlite3.DatabaseError, path: Path, sql: str = "") -> StoreError:
    """The error to raise for `error`; one that SQLite did not report (wrong bindings) is raised as it is.

    Args:
        sql: The statement that failed: one that names a search index blames the index, not the store.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        raise error
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_INTERRUPT:
        return Interrupted()
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusy(path)
    if primary == sqlite3.SQLITE_NOTADB:
        return NotAStore(path, "is not a database")
    if "messages_fts" in sql and (primary == sqlite3.SQLITE_CORRUPT or _NO_INDEX.search(str(error))):
        return IndexDamaged(path, words(error))
    if primary == sqlite3.SQLITE_TOOBIG:
        return TooLarge(path, words(error))
    sentence = _SENTENCES.get(code) or _SENTENCES.get(primary)
    return StoreUnreadable(path, f"{sentence} ({words(error)})" if sentence else words(error))


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection is in the way, for now."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _BUSY


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether it is about what the file holds, rather than about reaching it."""
    return error.sqlite_errorcode & 0xFF in _DAMAGE


def refused(error: sqlite3.Error, path: Path) -> StoreError:
    """The error to raise for `error` when it stopped a write, none of which was kept."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        raise error
    if code == sqlite3.SQLITE_READONLY_DBMOVED:
        return StoreReplaced(path)
    match code & 0xFF:
        case sqlite3.SQLITE_CONSTRAINT if str(error) == "constraint failed":
            # A constraint of a table has a name; this one is of the tables behind a search index.
            return IndexStopsWrites(path, words(error))
        case sqlite3.SQLITE_CONSTRAINT | sqlite3.SQLITE_TOOBIG | sqlite3.SQLITE_MISMATCH:
            return RowRefused(words(error))
        case sqlite3.SQLITE_FULL:
            return DiskFull(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreNotWritable(path, words(error))
        case sqlite3.SQLITE_IOERR:
            return StoreNotWritable(path, f"the disk reports an error: {words(error)}")
        case sqlite3.SQLITE_CORRUPT if code == sqlite3.SQLITE_CORRUPT_VTAB:
            return IndexStopsWrites(path, words(error))
        case sqlite3.SQLITE_CORRUPT:
            return StoreDamaged(path, words(error))
    if _NO_INDEX.search(str(error)):
        return IndexStopsWrites(path, words(error))
    return (
        named(error, path)
        if isinstance(error, sqlite3.DatabaseError)
        else StoreUnreadable(path, words(error))
    )
