"""How far a deletion reaches: the foreign keys of a store followed from its sessions, unknown tables included."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from storage.engine.within import Reading, Within

_ROWIDS = ("rowid", "_rowid_", "oid")
_KEPT = frozenset({"SET NULL", "SET DEFAULT"})
"""What a foreign key does to its row when that row is to stay."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A foreign key: columns that name a row of another table."""

    columns: tuple[str, ...]
    target: str
    """In lower case."""
    target_columns: tuple[str, ...]
    on_delete: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table as its rows are copied and put back."""

    name: str
    """In lower case, as SQLite compares names."""
    columns: tuple[str, ...]
    """As the store spells them; computed ones are left out."""
    rowid: str | None
    """What its rowid is called; None where it has none."""
    foreign: tuple[Foreign, ...]

    @property
    def rowid_is_a_column(self) -> bool:
        """Whether the rowid is one of the columns (INTEGER PRIMARY KEY)."""
        return self.rowid in self.columns


@dataclass(frozen=True, slots=True)
class Going:
    """Rows that a deletion takes. Conditions are SQL that is handed session ids, a JSON list of them, as `?1`."""

    table: Table
    condition: str


@dataclass(frozen=True, slots=True)
class Loosened:
    """Rows that stay, but lose what they name in one column."""

    table: Table
    column: str
    condition: str


@dataclass(frozen=True, slots=True)
class Reach:
    """All that a deletion of sessions touches, whoever put it there."""

    going: tuple[Going, ...]
    """Tables that others name come first: sessions, messages, then the rest."""
    loosened: tuple[Loosened, ...]
    named: tuple[tuple[Table, str], ...]
    """Rows of other tables that the going ones name, which stay and which nobody may need any more then."""


def quoted(name: str) -> str:
    """A name for SQL, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def tables_of(reading: Reading) -> dict[str, Table]:
    """Every ordinary table of the store, by its name in lower case."""
    foreign = dict(_foreign_keys(reading))
    columns: dict[str, list[tuple[str, str, int]]] = {}
    for table, name, kind, key in reading.rows(
        "SELECT lower(t.name), c.name, c.type, c.pk FROM sqlite_master t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY t.name, c.cid"
    ):
        columns.setdefault(table, []).append((name, kind, key))
    return {
        table: Table(
            table,
            tuple(name for name, _, _ in found),
            None if table in reading.layout.rowless else _rowid(found),
            _complete(foreign.get(table, ()), columns),
        )
        for table, found in columns.items()
    }


def reach_of(reading: Reading) -> Reach:
    """What a deletion of sessions reaches in this store.

    Sessions and messages only ever go because they are named, or belong to what is named: a row of theirs that a
    foreign key would take as well is loosened instead.
    """
    tables = tables_of(reading)
    ours = "SELECT value FROM json_each(?1)"
    conditions = {"sessions": f"id IN ({ours})"}
    if "messages" in tables:
        conditions["messages"] = f"session_id IN ({ours})"
    for table in _takes_in_order(tables, conditions):
        found = [_matching(key, conditions) for key in _taking(table) if key.target in conditions]
        conditions[table.name] = " OR ".join(f"({one})" for one in found)
    going = tuple(Going(tables[name], condition) for name, condition in conditions.items())
    return Reach(going, tuple(_loosened(tables, conditions)), tuple(_named(tables, conditions)))


def release(within: Within, reach: Reach, session_ids: Sequence[str]) -> None:
    """Take away, and loosen, all that names these sessions, but for what `deleting.remove` sees to itself."""
    ids = (json.dumps(list(session_ids)),)
    # Rows that name each other in a circle go one after the other; at the commit nothing may lead nowhere.
    within.connection.execute("PRAGMA defer_foreign_keys=ON")
    for one in reach.loosened:
        table, column = quoted(one.table.name), quoted(one.column)
        within.change(f"UPDATE {table} SET {column} = NULL WHERE {one.condition}", ids)
    for row in reversed(reach.going):
        if row.table.name not in ("sessions", "messages"):
            within.change(f"DELETE FROM {quoted(row.table.name)} WHERE {row.condition}", ids)


def _rowid(columns: Sequence[tuple[str, str, int]]) -> str | None:
    keys = [(name, kind) for name, kind, key in columns if key]
    if len(keys) == 1 and keys[0][1].upper() == "INTEGER":
        return keys[0][0]
    taken = {name.lower() for name, _, _ in columns}
    return next((name for name in _ROWIDS if name not in taken), None)


def _foreign_keys(reading: Reading) -> Iterator[tuple[str, tuple[Foreign, ...]]]:
    found: dict[str, dict[int, list[tuple[str, str, str | None, str]]]] = {}
    for table, number, target, column, named, on_delete in reading.rows(
        'SELECT lower(t.name), f.id, lower(f."table"), f."from", f."to", f.on_delete'
        " FROM sqlite_master t, pragma_foreign_key_list(t.name) f"
        " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY t.name, f.id, f.seq"
    ):
        found.setdefault(table, {}).setdefault(number, []).append((column, target, named, on_delete))
    for table, keys in found.items():
        yield (
            table,
            tuple(
                Foreign(
                    tuple(column for column, *_ in key),
                    key[0][1],
                    tuple(named for _, _, named, _ in key if named is not None),
                    key[0][3].upper(),
                )
                for key in keys.values()
            ),
        )


def _complete(
    keys: Sequence[Foreign], columns: Mapping[str, Sequence[tuple[str, str, int]]]
) -> tuple[Foreign, ...]:
    """The keys that lead somewhere; one that names no columns means the primary key."""
    complete = []
    for key in keys:
        named = key.target_columns or tuple(
            name for name, _, place in sorted(columns.get(key.target, ()), key=lambda one: one[2]) if place
        )
        if len(named) == len(key.columns):
            complete.append(Foreign(key.columns, key.target, named, key.on_delete))
    return tuple(complete)


def _takes_in_order(tables: Mapping[str, Table], taken: Iterable[str]) -> Iterator[Table]:
    """The tables whose rows go because of what they name, each after those that it names; circles are cut."""
    done = set(taken)
    reached = set(done)
    while fresh := {
        table.name
        for table in tables.values()
        if table.name not in reached and any(key.target in reached for key in _taking(table))
    }:
        reached |= fresh
    while left := reached - done:
        named = {name: {key.target for key in _taking(tables[name])} - {name} for name in left}
        ready = [name for name in left if named[name] & done]
        first = min(ready, key=lambda name: (len(named[name] & left), name))
        done.add(first)
        yield tables[first]


def _taking(table: Table) -> Iterator[Foreign]:
    """The foreign keys that take a row of the table with what it names."""
    return (key for key in table.foreign if key.on_delete not in _KEPT)


def _matching(key: Foreign, conditions: Mapping[str, str]) -> str:
    columns = ", ".join(quoted(name) for name in key.columns)
    if len(key.columns) > 1:
        columns = f"({columns})"
    named = ", ".join(quoted(name) for name in key.target_columns)
    return f"{columns} IN (SELECT {named} FROM {quoted(key.target)} WHERE {conditions[key.target]})"


def _loosened(tables: Mapping[str, Table], conditions: Mapping[str, str]) -> Iterator[Loosened]:
    seen_to = {("sessions", "parent_session_id"), ("messages", "session_id")}
    for table in tables.values():
        goes = conditions.get(table.name)
        for key in table.foreign:
            if key.target not in conditions or (table.name, key.columns[0].lower()) in seen_to:
                continue
            stays = table.name in ("sessions", "messages") or key.on_delete in _KEPT
            if stays and len(key.columns) == 1 and table.rowid:
                condition = _matching(key, conditions)
                yield Loosened(
                    table, key.columns[0], f"{condition} AND ({goes}) IS NOT TRUE" if goes else condition
                )


def _named(tables: Mapping[str, Table], conditions: Mapping[str, str]) -> Iterator[tuple[Table, str]]:
    for name, condition in conditions.items():
        for key in tables[name].foreign:
            if key.target in tables and key.target not in conditions:
                columns = ", ".join(quoted(column) for column in key.columns)
                named = ", ".join(quoted(column) for column in key.target_columns)
                if len(key.columns) > 1:
                    named = f"({named})"
                yield (
                    tables[key.target],
                    f"{named} IN (SELECT {columns} FROM {quoted(name)} WHERE {condition})",
                )
