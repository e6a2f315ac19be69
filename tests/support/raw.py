"""Everything that a store's own tables hold, each value with its type and byte for byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

Raw = dict[str, list[tuple[object, ...]]]


def raw_rows(path: Path) -> Raw:
    """The rows of every ordinary table but those behind a search index: rowid, types, values."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            " AND name NOT LIKE 'messages\\_fts%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ).fetchall()
        return {name.decode(): _rows(connection, name.decode(), sql) for name, sql in tables}


def _rows(connection: sqlite3.Connection, table: str, sql: bytes) -> list[tuple[object, ...]]:
    columns = [
        '"' + name.decode().replace('"', '""') + '"'
        for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    ]
    rowid = "NULL" if b"WITHOUT ROWID" in sql.upper() else "rowid"
    wanted = ", ".join([rowid, *(f"typeof({name}), {name}" for name in columns)])
    return sorted(connection.execute(f'SELECT {wanted} FROM "{table}"').fetchall(), key=repr)
