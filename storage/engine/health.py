"""Whether a store is whole: its pages, its schema, its indexes, and whether a message could be written."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from storage.engine import cjk_tokenizer, fts
from storage.engine.failures import decoded, is_damage, words
from storage.engine.layout import FtsTable, Layout, look

_UNUSED_PAGE = re.compile(r"Page \d+ is never used|\*\*\* in database \w+ \*\*\*|ok")
_PROBE = "hermes-tui-health-probe"


def problem(connection: sqlite3.Connection) -> str | None:
    """The first thing that is wrong, in SQLite's words; None when nothing is. To be called in a transaction.

    Pages that nothing uses are no problem: VACUUM takes them away.
    """
    try:
        with decoded():
            return _first_problem(connection)
    except sqlite3.DatabaseError as error:
        if not is_damage(error):
            raise
        return words(error)


def _first_problem(connection: sqlite3.Connection) -> str | None:
    for line in _of_the_pages(connection):
        return line
    layout = look(lambda sql: connection.execute(sql).fetchall())
    if layout.columns:
        connection.execute("SELECT count(*) FROM sessions").fetchone()
    for table in (layout.fts, layout.trigram):
        if table is not None:
            _check_index(connection, table, layout)
    _write_and_take_back(connection, layout)
    return None


def _of_the_pages(connection: sqlite3.Connection) -> Iterator[str]:
    for (lines,) in connection.execute("PRAGMA integrity_check").fetchall():
        yield from (line for line in lines.splitlines() if not _UNUSED_PAGE.fullmatch(line))


def _check_index(connection: sqlite3.Connection, table: FtsTable, layout: Layout) -> None:
    # 1: compare with the messages as well, which an index that is being built cannot stand up to.
    building = layout.has("state_meta", "value") and fts.meta(connection, fts.HIGH_WATER) is not None
    compared = int(table.kind != "inline" and not building)
    connection.execute(f"INSERT INTO {table.name}({table.name}, rank) VALUES ('integrity-check', {compared})")


def _write_and_take_back(connection: sqlite3.Connection, layout: Layout) -> None:
    if layout.turn_fences or layout.odd or not {"sessions", "messages"} <= layout.columns.keys():
        return
    connection.execute("SAVEPOINT probe")
    try:
        if layout.cjk_triggers:
            cjk_tokenizer.detach(connection)
        connection.execute("INSERT INTO sessions(id, source, started_at) VALUES (?, 'cli', 0)", (_PROBE,))
        connection.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, 'user', 'probe', 0)",
            (_PROBE,),
        )
    finally:
        connection.execute("ROLLBACK TO probe")
        connection.execute("RELEASE probe")
