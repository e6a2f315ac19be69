"""Brings tables, columns and indexes to the declared schema: declaratively, so that it can be run at any time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from storage.engine.creation import statements
from storage.engine.layout import Layout

_TITLE_INDEX = "idx_sessions_title_unique"


@dataclass(frozen=True, slots=True)
class Column:
    """A column as `schema/tables.sql` declares it."""

    table: str
    name: str
    declaration: str
    """What follows the name in ALTER TABLE … ADD COLUMN."""


def is_reconciled(layout: Layout) -> bool:
    """Whether nothing is missing, without touching the store."""
    columns, indexes = _declared()
    return indexes <= layout.indexes and all(layout.has(column.table, column.name) for column in columns)


def reconcile_tables(connection: sqlite3.Connection) -> None:
    """Create the tables that are missing, and add the columns that are missing to the others (spec 2.3).

    Nothing is ever dropped, renamed or changed; columns that are not ours stay.
    """
    for statement in statements("tables"):
        connection.execute(statement)
    columns, _ = _declared()
    for column in columns:
        if column.name not in _present(connection, column.table):
            connection.execute(
                f'ALTER TABLE "{column.table}" ADD COLUMN "{column.name}" {column.declaration}'
            )


def reconcile_indexes(connection: sqlite3.Connection) -> None:
    """Create the indexes that are missing; after the columns, for some name late ones.

    Where titles are double, all but the newest row lose theirs, so that the index over them can be unique.
    """
    for statement in (*statements("indexes"), *statements("deferred_indexes")):
        try:
            connection.execute(statement)
        except sqlite3.IntegrityError:
            if _TITLE_INDEX not in statement:
                raise
            make_titles_single(connection)
            connection.execute(statement)


def make_titles_single(connection: sqlite3.Connection) -> None:
    """Of the sessions with one title, leave it to the newest row alone (spec 1.2)."""
    connection.execute("""
        UPDATE sessions SET title = NULL
        WHERE title IS NOT NULL
          AND rowid NOT IN (SELECT max(rowid) FROM sessions WHERE title IS NOT NULL GROUP BY title)
    """)


def key_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The columns of a table's primary key, in its order."""
    rows = connection.execute(f'SELECT name FROM pragma_table_info("{table}") WHERE pk > 0 ORDER BY pk')
    return tuple(name for (name,) in rows)


@cache
def _declared() -> tuple[tuple[Column, ...], frozenset[str]]:
    """Every column and the names of all indexes, as SQLite itself reads the declarations."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as declared:
        for name in ("tables", "indexes", "deferred_indexes"):
            for statement in statements(name):
                declared.execute(statement)
        indexes = declared.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        return tuple(_columns(declared)), frozenset(name for (name,) in indexes)


def _columns(declared: sqlite3.Connection) -> Iterator[Column]:
    rows = declared.execute(
        'SELECT t.name, c.name, c.type, c."notnull", c.dflt_value'
        " FROM sqlite_master AS t, pragma_table_info(t.name) AS c"
        " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.rowid, c.cid"
    ).fetchall()
    for table, name, kind, notnull, default in rows:
        # SQLite adds no column that may not be NULL and has no default.
        required = " NOT NULL" if notnull and default is not None else ""
        yield Column(table, name, kind + required + (f" DEFAULT {default}" if default is not None else ""))


def _present(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name.lower() for (name,) in connection.execute(f'SELECT name FROM pragma_table_info("{table}")')}
