"""Fills a store of our own with rows: how the demo and the tests come by one."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from storage.engine.failures import named
from storage.errors import RowRefused, StoreMissing, WritingNotSupported

_SURROGATES = re.compile("[\ud800-\udfff]")
_ENCODED = "\x00json:"
"""Stands before content that is a list or a dict, as JSON (spec 4.2)."""


def create_store(path: Path) -> None:
    """Make a new, empty store at schema version 23, readable by its owner alone, and its directory.

    Raises:
        WritingNotSupported: There is something at `path`, if only an empty file.
        CannotCreate: The file cannot be made.
    """
    if os.path.lexists(path):
        raise WritingNotSupported(path)
    # Here, for whoever only reads should not wait for what writes to be imported.
    from storage.engine.writer import open_writer

    open_writer(path).close()


def fill(path: Path, sessions: Iterable[Mapping[str, Any]], messages: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, column name → value, in one transaction: all of them or none.

    Values become what Hermes would store (spec 4.2): a list or a dict is JSON text (behind a marker in
    `content`), an empty one NULL, a lone surrogate U+FFFD. Each message adds to its session's `message_count`
    and `tool_call_count` as appending it would. Rows may come in any order, children before parents too.

    Raises:
        RowRefused: A row names a column that the store lacks, or breaks one of its rules.
        StoreMissing, StoreBusy, StoreUnreadable: with a sentence to show.
    """
    with _transaction(path) as connection:
        insert_session = _inserter(connection, "sessions")
        insert_message = _inserter(connection, "messages")
        for session in sessions:
            insert_session(session)
        counts: Counter[str] = Counter()
        calls: Counter[str] = Counter()
        for message in messages:
            insert_message(message)
            counts[message["session_id"]] += 1
            calls[message["session_id"]] += _call_count(message.get("tool_calls"))
        for session_id, count in counts.items():
            connection.execute(
                "UPDATE sessions SET message_count = coalesce(message_count, 0) + ?,"
                " tool_call_count = coalesce(tool_call_count, 0) + ? WHERE id = ?",
                (count, calls[session_id], session_id),
            )


@contextmanager
def _transaction(path: Path) -> Iterator[sqlite3.Connection]:
    if not path.is_file():
        raise StoreMissing(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        try:
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("BEGIN IMMEDIATE")
            # Until the commit, so that the order of the rows does not matter.
            connection.execute("PRAGMA defer_foreign_keys=ON")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.IntegrityError as error:
            orphan = error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
            raise RowRefused("a row names a session that is not there" if orphan else str(error)) from error
        except sqlite3.DatabaseError as error:
            raise named(error, path) from error


def _inserter(connection: sqlite3.Connection, table: str) -> Callable[[Mapping[str, Any]], None]:
    known = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}

    def insert(row: Mapping[str, Any]) -> None:
        if unknown := sorted(set(row) - known):
            raise RowRefused(f"{table} has no column named {', '.join(unknown)}")
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        values = [_stored(column, value) for column, value in row.items()]
        connection.execute(f"INSERT INTO {table}({columns}) VALUES ({marks})", values)

    return insert


def _stored(column: str, value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if not isinstance(value, list | tuple | dict):
        return value
    if column == "content":
        return _ENCODED + json.dumps(value)
    return json.dumps(value) if value else None


def _call_count(tool_calls: Any) -> int:
    if isinstance(tool_calls, list | tuple):
        return len(tool_calls)
    return 0 if tool_calls is None else 1
