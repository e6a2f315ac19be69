"""Copied rows put back into the tables that they came from, whatever has become of those."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from storage.engine.within import Within
from storage.keeping.trash_reach import Table, quoted, tables_of
from storage.keeping.trash_values import Value, mark, read

Row = tuple[Value, Mapping[str, Any]]
"""Rowid, and column name → value as it is written."""

_OURS = frozenset({"sessions", "messages"})


class RowsBack:
    """Puts the rows of one conversation back, inside one transaction."""

    def __init__(self, within: Within) -> None:
        self._within = within
        self._tables = tables_of(within)
        self._renumbered: dict[tuple[str, Value], int] = {}
        self._put: list[tuple[Table, int, dict[str, Value]]] = []
        self.left_out = False
        """Something did not come back, for the store has no column (or table) for it."""

    def put(self, table_name: str, rows: Sequence[Row]) -> int:
        """Insert rows of one table under their own rowids if all of those are free, else under new ones.

        Returns:
            How many; a row of a table that we do not know is left out where its like is there.
        """
        table = self._tables.get(table_name)
        if table is None:
            self.left_out |= bool(rows)
            return 0
        keeps = table.rowid is not None and not self._any_taken(table, [rowid for rowid, _ in rows])
        return sum(self._insert(table, rowid if keeps else None, rowid, values) for rowid, values in rows)

    def provide(self, table_name: str, rowid: Value, values: Mapping[str, Any]) -> None:
        """Insert a row that others name, unless it is there."""
        if table := self._tables.get(table_name):
            self._insert(table, rowid if table.rowid_is_a_column else None, rowid, values)
        else:
            self.left_out = True

    def tighten(self, table_name: str, rowid: Value, values: Mapping[str, Any]) -> None:
        """Let a row that stayed name again what it named, unless it names something else by now."""
        table = self._tables.get(table_name)
        if table is None or table.rowid is None:
            return
        for column, value in self._known(table, values).items():
            new = self._pointed(table, {column: value})[column]
            self._within.change(
                f"UPDATE {quoted(table.name)} SET {quoted(column)} = {mark(new)}"
                f" WHERE {quoted(table.rowid)} = ? AND {quoted(column)} IS NULL",
                (new, rowid),
            )

    def undo_triggers(self) -> None:
        """Let the rows be as they were where triggers that are not of the search index changed them."""
        foreign = {
            name
            for (name,) in self._within.rows(
                "SELECT lower(tbl_name) FROM sqlite_master"
                " WHERE type = 'trigger' AND lower(name) NOT LIKE 'messages\\_fts%' ESCAPE '\\'"
            )
        }
        for table, rowid, row in self._put if foreign else ():
            assignments = ", ".join(f"{quoted(name)} = {mark(value)}" for name, value in row.items())
            same = " AND ".join(f"{quoted(name)} IS {mark(value)}" for name, value in row.items())
            self._within.change(
                f"UPDATE {quoted(table.name)} SET {assignments}"
                f" WHERE {quoted(table.rowid or '')} = ? AND NOT ({same})",
                (*row.values(), rowid, *row.values()),
            )

    def _any_taken(self, table: Table, rowids: Iterable[Value]) -> bool:
        listed = json.dumps([rowid for rowid in rowids if isinstance(rowid, int)])
        found = self._within.one(
            f"SELECT 1 FROM {quoted(table.name)} WHERE {quoted(table.rowid or '')}"
            " IN (SELECT value FROM json_each(?)) LIMIT 1",
            (listed,),
        )
        return found is not None

    def _insert(self, table: Table, rowid: Value, old: Value, values: Mapping[str, Any]) -> int:
        row = self._pointed(table, self._known(table, values))
        if table.rowid is not None:
            if rowid is not None:
                row = {**row, table.rowid: rowid}
            elif table.rowid_is_a_column:
                row.pop(table.rowid, None)
        columns = ", ".join(quoted(name) for name in row)
        marks = ", ".join(mark(value) for value in row.values())
        otherwise = "" if table.name in _OURS else " ON CONFLICT DO NOTHING"
        cursor = self._within.connection.execute(
            f"INSERT INTO {quoted(table.name)}({columns}) VALUES ({marks}){otherwise}", tuple(row.values())
        )
        if cursor.rowcount and table.rowid is not None:
            new = int(cursor.lastrowid or 0)
            self._put.append(
                (table, new, {name: value for name, value in row.items() if name != table.rowid})
            )
            if new != old:
                self._renumbered[table.name, old] = new
        return cursor.rowcount

    def _known(self, table: Table, values: Mapping[str, Any]) -> dict[str, Value]:
        names = {name.lower(): name for name in table.columns}
        known = {}
        for name, value in values.items():
            if (there := names.get(name.lower())) is not None:
                known[there] = read(value)
            elif value is not None:
                self.left_out = True
        return known

    def _pointed(self, table: Table, row: dict[str, Value]) -> dict[str, Value]:
        """The row with the new number of each row that it names and that could not keep its own."""
        if self._renumbered:
            for key in table.foreign:
                for column, named in zip(key.columns, key.target_columns, strict=True):
                    target = self._tables.get(key.target)
                    if target is not None and target.rowid == named and column in row:
                        row[column] = self._renumbered.get((target.name, row[column]), row[column])
        return row
