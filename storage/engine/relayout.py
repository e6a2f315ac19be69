"""Moves an older search index to layout C in small transactions, each of which may be the last for a while.

First the old index steps aside under another name and an empty one takes its place, its gate shut: from then on
every release keeps it right. Then the messages are indexed from the oldest on, a chunk and its progress in one
transaction. At last the old index is taken apart. What a killed process left is gone on with by the next.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from storage.engine import fts, upkeep
from storage.engine.creation import SCHEMA_VERSION
from storage.engine.fts import HIGH_WATER, PROGRESS, TABLES
from storage.engine.layout import Layout
from storage.errors import StoreTooNew

if TYPE_CHECKING:
    from storage.engine.writer import Writer

Progress = Callable[[int, int], None]
"""Gets how many messages have been indexed and how many there are."""

CHUNK = 500
"""Messages, or rows of an old index, in one transaction."""
PAUSE = 0.01
"""Seconds between two chunks in which other writers get their turn."""

_TRASH = "fts_v22_trash_"


def is_pending(connection: sqlite3.Connection, layout: Layout) -> bool:
    """Whether a move was begun and not finished."""
    return bool(layout.has("state_meta", "value")) and (
        fts.meta(connection, HIGH_WATER) is not None or bool(_trash(connection))
    )


def begin(connection: sqlite3.Connection) -> None:
    """Put the old index aside and an empty layout C in its place, gate shut; inside the caller's transaction."""
    for table in TABLES:
        for operation in fts.OPERATIONS:
            connection.execute(f"DROP TRIGGER IF EXISTS {table}_{operation}")
    connection.execute("DROP VIEW IF EXISTS messages_fts_trigram_src")
    for name, _ in _trash(connection):
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    _put_aside(connection)
    fts.create(connection, inline=False)
    fts.forget(connection, fts.OPTIMIZE_AVAILABLE, fts.STORAGE_VERSION, HIGH_WATER, PROGRESS)
    last = connection.execute("SELECT max(id) FROM messages").fetchone()[0]
    if last is None:
        fts.stamp(connection)
    else:
        fts.note(connection, HIGH_WATER, last)
        fts.note(connection, PROGRESS, min(0, _first(connection) - 1))


def finish(writer: Writer, progress: Progress | None = None) -> None:
    """Index what is left and take the old index apart: chunk by chunk, others may write in between.

    Raises:
        What `Writer.write` raises; the next call goes on where this one stopped.
    """
    total = _count(writer) if progress else 0
    done = total - writer.read(_left) if progress else 0
    while indexed := writer.write(_index_a_chunk):
        done += indexed
        if progress:
            progress(min(done, total), total)
        time.sleep(PAUSE)
    while writer.write(_take_apart_a_chunk):
        time.sleep(PAUSE)


def optimize_storage(writer: Writer, progress: Progress | None = None, *, vacuum: bool = True) -> bool:
    """Move an inline index to layout C, or go on with a move (spec 2.4). The library behind `optimize-storage`.

    Args:
        vacuum: Give the freed pages back to the file system at the end, which needs room for a second copy.

    Returns:
        False when there was nothing to do.

    Raises:
        StoreTooNew: A newer Hermes made the store, which indexes otherwise.
        NotEnoughRoom: The disk has too little room; nothing was begun.
    """
    pending = writer.read(lambda connection: is_pending(connection, writer.layout))
    if (writer.layout.version or 0) > SCHEMA_VERSION:
        raise StoreTooNew(writer.path, writer.layout.version or 0)
    if not pending and fts.kind_of(writer.layout) == "external":
        return False
    upkeep.require_room(writer, 1.0 if vacuum else 0.3)
    if not (pending and fts.is_ours(writer.layout)):
        writer.write(begin)
    finish(writer, progress)
    if vacuum:
        upkeep.vacuum(writer)
    return True


def _put_aside(connection: sqlite3.Connection) -> None:
    # Renaming checks every trigger of the store, also one whose tokenizer is not here; the old way does not.
    connection.execute("PRAGMA legacy_alter_table=ON")
    try:
        for (table,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)", TABLES
        ).fetchall():
            connection.execute(f"ALTER TABLE {table} RENAME TO {_TRASH}{table}")
    finally:
        connection.execute("PRAGMA legacy_alter_table=OFF")


def _index_a_chunk(connection: sqlite3.Connection) -> int:
    high, low = fts.meta(connection, HIGH_WATER), fts.meta(connection, PROGRESS)
    if high is None:
        return 0
    low = -1 if low is None else low
    ids = connection.execute(
        "SELECT count(*), max(id) FROM (SELECT id FROM messages WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)",
        (low, high, CHUNK),
    ).fetchone()
    if not ids[0]:
        fts.forget(connection, HIGH_WATER, PROGRESS)
        fts.stamp(connection)
        return 0
    for table, source in zip(TABLES, ("messages", "messages_fts_trigram_src"), strict=True):
        connection.execute(
            f"INSERT INTO {table}(rowid, content, tool_name, tool_calls)"
            f" SELECT id, content, tool_name, tool_calls FROM {source} WHERE id > ? AND id <= ? ORDER BY id",
            (low, ids[1]),
        )
    fts.note(connection, PROGRESS, ids[1])
    return int(ids[0])


def _take_apart_a_chunk(connection: sqlite3.Connection) -> bool:
    """Delete some rows of the old index; True while there are more. Dropped whole it would fill the WAL."""
    trash = _trash(connection)
    try:
        for name, _ in trash:
            if name.endswith(("_content", "_docsize", "_data")) and _delete_some(connection, name):
                return True
    except sqlite3.OperationalError as error:
        # Some builds of SQLite protect these tables from everybody but FTS5 itself.
        if "may not be modified" not in str(error):
            raise
    for name, _ in sorted(trash, key=lambda table: not table[1]):
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
    return False


def _delete_some(connection: sqlite3.Connection, table: str) -> bool:
    # The rows 1 and 10 of a _data table are what FTS5 needs to be dropped.
    cursor = connection.execute(
        f'DELETE FROM "{table}" WHERE rowid IN (SELECT rowid FROM "{table}" WHERE rowid > 10 LIMIT {CHUNK})'
    )
    return cursor.rowcount > 0


def _trash(connection: sqlite3.Connection) -> list[tuple[str, bool]]:
    """The tables of an index that was put aside, and whether each is the virtual one."""
    return [
        (name, bool(virtual))
        for name, virtual in connection.execute(
            "SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master WHERE type = 'table' AND name GLOB ?",
            (f"{_TRASH}*",),
        )
    ]


def _first(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT min(id) FROM messages").fetchone()[0])


def _count(writer: Writer) -> int:
    return writer.read(
        lambda connection: int(connection.execute("SELECT count(*) FROM messages").fetchone()[0])
    )


def _left(connection: sqlite3.Connection) -> int:
    high, low = fts.meta(connection, HIGH_WATER), fts.meta(connection, PROGRESS)
    if high is None:
        return 0
    counted = "SELECT count(*) FROM messages WHERE id > ? AND id <= ?"
    return int(connection.execute(counted, (-1 if low is None else low, high)).fetchone()[0])
