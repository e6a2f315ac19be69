"""The six triggers and two tables of the search index: what is there, and bringing back what is not."""

from __future__ import annotations

import sqlite3

from storage.engine.creation import FTS_STORAGE_VERSION, statements
from storage.engine.layout import FtsTable, Layout

TABLES = ("messages_fts", "messages_fts_trigram")
OPERATIONS = ("insert", "delete", "update")

HIGH_WATER = "fts_rebuild_high_water"
PROGRESS = "fts_rebuild_progress"
STORAGE_VERSION = "fts_storage_version"
OPTIMIZE_AVAILABLE = "fts_optimize_available"

_AS_ONE_TEXT = "COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')"


def kind_of(layout: Layout) -> str | None:
    """The kind of the store's index ("one column", "inline", "external": spec 1.5); None where it has none."""
    table = layout.fts or layout.trigram
    return table.kind if table else None


def is_ours(layout: Layout) -> bool:
    """Whether the index is exactly layout C, whose columns and gate we know; newer ones index other columns."""
    expected = ("content", "tool_name", "tool_calls")
    return all(
        table is not None and table.kind == "external" and table.columns == expected
        for table in (layout.fts, layout.trigram)
    )


def incomplete(connection: sqlite3.Connection, layout: Layout) -> tuple[str, ...]:
    """The tables of the index that are missing, that lack one of their three triggers, or that were never filled."""
    present = {
        name for (name,) in connection.execute("SELECT lower(name) FROM sqlite_master WHERE type = 'trigger'")
    }
    tables: dict[str, FtsTable | None] = dict(zip(TABLES, (layout.fts, layout.trigram), strict=True))
    return tuple(
        name
        for name, table in tables.items()
        if table is None
        or not all(f"{name}_{operation}" in present for operation in OPERATIONS)
        or _was_never_filled(connection, table, layout)
    )


def _was_never_filled(connection: sqlite3.Connection, table: FtsTable, layout: Layout) -> bool:
    """Whether it is empty and should not be: some releases make a lost table again and leave it at that."""
    if not layout.has(f"{table.name}_docsize", "id") or not layout.has("messages", "role"):
        return False
    if layout.has("state_meta", "value") and meta(connection, HIGH_WATER) is not None:
        return False
    left_out = "tool" if table.kind == "external" and table.tokenizer == "trigram" else ""
    return bool(
        connection.execute(
            f"SELECT NOT EXISTS (SELECT 1 FROM {table.name}_docsize)"
            " AND EXISTS (SELECT 1 FROM messages WHERE role <> ?)",
            (left_out,),
        ).fetchone()[0]
    )


def complete(connection: sqlite3.Connection, layout: Layout) -> None:
    """Bring back missing tables and triggers, and index again what they did not see; keeps the kind of the index.

    With a trigger missing, the releases 0.16 to 0.19 would write inline rows into layout C and damage it.
    """
    missing = incomplete(connection, layout)
    if not missing:
        return
    inline = kind_of(layout) == "inline"
    create(connection, inline=inline)
    if not inline and meta(connection, HIGH_WATER) is not None:
        # A half-built index cannot tell which of its rows the missing triggers have made wrong.
        missing = TABLES
        forget(connection, HIGH_WATER, PROGRESS)
    for table in missing:
        refill(connection, table, inline=inline)


def create(connection: sqlite3.Connection, *, inline: bool) -> None:
    """Create what is missing of the tables, the view and the triggers; nothing is indexed by it."""
    connection.execute("CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)")
    for statement in statements("fts_inline" if inline else "fts_external"):
        connection.execute(statement)


def refill(connection: sqlite3.Connection, table: str, *, inline: bool) -> None:
    """Index every message anew, in one statement: for an index that missed some."""
    if not inline:
        connection.execute(f"INSERT INTO {table}({table}) VALUES ('rebuild')")
        return
    connection.execute(f"DELETE FROM {table}")
    connection.execute(f"INSERT INTO {table}(rowid, content) SELECT id, {_AS_ONE_TEXT} FROM messages")


def rebuild(connection: sqlite3.Connection, layout: Layout) -> None:
    """Build every index anew from what it indexes, in one transaction: for one whose own tables are damaged."""
    for table in (layout.fts, layout.trigram):
        if table is not None:
            connection.execute(f"INSERT INTO {table.name}({table.name}) VALUES ('rebuild')")
    if layout.has("state_meta", "value"):
        forget(connection, HIGH_WATER, PROGRESS)


def stamp(connection: sqlite3.Connection) -> None:
    """Say in `state_meta` that the index is layout C and complete; a value that is there stays."""
    connection.execute(
        "INSERT OR IGNORE INTO state_meta(key, value) VALUES (?, ?)",
        (STORAGE_VERSION, str(FTS_STORAGE_VERSION)),
    )


def meta(connection: sqlite3.Connection, key: str) -> int | None:
    """A number from `state_meta`, read as the triggers read it; None where the key is not."""
    row = connection.execute("SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def note(connection: sqlite3.Connection, key: str, value: int) -> None:
    """Write a number to `state_meta`."""
    connection.execute("INSERT OR REPLACE INTO state_meta(key, value) VALUES (?, ?)", (key, str(value)))


def forget(connection: sqlite3.Connection, *keys: str) -> None:
    """Take keys out of `state_meta`."""
    connection.executemany("DELETE FROM state_meta WHERE key = ?", [(key,) for key in keys])
