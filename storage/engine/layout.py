"""Looks at a store and says what it is: anything at all may be missing from it."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from storage.errors import StoreError

Execute = Callable[[str], list[tuple[Any, ...]]]
"""Runs one statement and returns all its rows."""

_OPTION = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL)
_ARGUMENT = re.compile(r"""(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|[^,'"])+""")
_FTS5 = re.compile(r"USING\s+fts5\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)


_WITHOUT_ROWID = re.compile(r"\)[^)]*\bWITHOUT\s+ROWID\b[^)]*\Z", re.IGNORECASE)

_NEEDED = {
    "sessions": frozenset({"id"}),
    "messages": frozenset({"id", "session_id"}),
    "state_meta": frozenset({"key", "value"}),
}
"""Columns without which nothing can be asked of a table."""


@dataclass(frozen=True, slots=True)
class FtsTable:
    """A full-text index over the messages (spec 1.5)."""

    name: str
    kind: str
    """How it stands to the messages.

    "inline": layout B, its own copy of content, tool name and tool calls in one column. "external": layout C
    and later, a column each, the text stays in `messages`. "one column": layout A, the same for content alone.
    """
    columns: tuple[str, ...]
    tokenizer: str


@dataclass(frozen=True)
class Layout:
    """What a store has. Names are in lower case, as SQLite compares them."""

    version: int | None = None
    """The number in `schema_version`; None where there is none."""
    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By table; virtual tables are left out, and views that no table of a store is named like: looking can fail."""
    indexes: frozenset[str] = frozenset()
    rowless: frozenset[str] = frozenset()
    """Tables WITHOUT ROWID, and views."""
    odd: Mapping[str, str] = field(default_factory=dict)
    """Tables that are not as any Hermes makes them, and what they are instead: nothing may be written into them.

    One that lacks what tells its rows apart is left out of `columns`.
    """
    fts: FtsTable | None = None
    """`messages_fts`, whole words."""
    trigram: FtsTable | None = None
    """`messages_fts_trigram`, substrings of three characters and more."""
    cjk: FtsTable | None = None
    """`messages_fts_cjk`, pairs of CJK characters (spec 1.6)."""
    turn_fences: tuple[str, ...] = ()
    """Triggers that refuse every writer but the Hermes that made them (spec 1.4)."""
    cjk_triggers: tuple[str, ...] = ()
    """Triggers of `messages_fts_cjk`, which needs a tokenizer that SQLite does not have (spec 1.6)."""

    def key(self, table: str) -> str:
        """The column that tells the rows of a table apart: `rowid`, or `id` of what has none."""
        return "id" if table in self.rowless else "rowid"

    @property
    def refusal(self) -> str:
        """Why this is no session store, to end a sentence with; empty for one."""
        if "sessions" in self.columns:
            return ""
        what = f"its table sessions is {self.odd['sessions']}" if "sessions" in self.odd else ""
        return f"is a database, but not a session store: {what or 'it has no table named sessions'}"

    def has(self, table: str, column: str) -> bool:
        """Whether the store has this column."""
        return column in self.columns.get(table, frozenset())

    def column(self, table: str, column: str, default_sql: str = "NULL", alias: str = "") -> str:
        """SQL for a column, or `default_sql` where the store lacks it."""
        if not self.has(table, column):
            return default_sql
        return f"{alias}.{column}" if alias else column


def look(execute: Execute) -> Layout:
    """Read the layout of the store behind `execute`; a store without any table has an empty one."""
    schema = execute("SELECT type, lower(name), coalesce(sql, '') FROM sqlite_master")
    sql = {name: text for kind, name, text in schema if kind == "table"}
    triggers = sorted((name, text) for kind, name, text in schema if kind == "trigger")
    views = {name for kind, name, _ in schema if kind == "view"}
    rowless = {name for name, text in sql.items() if _WITHOUT_ROWID.search(text)}
    columns = _columns(execute) | _of_views(execute, views & _NEEDED.keys())
    odd = dict.fromkeys(views & _NEEDED.keys(), "a view")
    odd |= dict.fromkeys(rowless & _NEEDED.keys(), "a table WITHOUT ROWID")
    for name, needed in _NEEDED.items():
        if lacking := needed - columns.get(name, needed):
            odd[name] = f"without a column {' and '.join(sorted(lacking))}"
            del columns[name]
    return Layout(
        version=_version(execute) if "version" in columns.get("schema_version", ()) else None,
        columns=columns,
        rowless=frozenset(rowless | views),
        odd=odd,
        indexes=frozenset(name for kind, name, _ in schema if kind == "index"),
        fts=_fts_table("messages_fts", sql),
        trigram=_fts_table("messages_fts_trigram", sql),
        cjk=_fts_table("messages_fts_cjk", sql),
        turn_fences=tuple(name for name, text in triggers if "turn_fence" in name or "turn_fence" in text),
        cjk_triggers=tuple(name for name, _ in triggers if name.startswith("messages_fts_cjk_")),
    )


def _columns(execute: Execute) -> dict[str, frozenset[str]]:
    # Asking a virtual table for its columns constructs it, which fails where its tokenizer or data are lost.
    found: dict[str, set[str]] = defaultdict(set)
    for table, column in execute(
        "SELECT lower(t.name), lower(c.name) FROM sqlite_master AS t, pragma_table_info(t.name) AS c"
        " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'"
    ):
        found[table].add(column)
    return {table: frozenset(names) for table, names in found.items()}


def _of_views(execute: Execute, views: Iterable[str]) -> dict[str, frozenset[str]]:
    found = {}
    for view in views:
        # What it selects from may be gone.
        with suppress(StoreError, sqlite3.DatabaseError):
            columns = execute(f"SELECT lower(name) FROM pragma_table_info('{view}')")
            found[view] = frozenset(name for (name,) in columns)
    return found


def _version(execute: Execute) -> int | None:
    version = execute("SELECT max(version) FROM schema_version")[0][0]
    return version if isinstance(version, int) else None


def _fts_table(name: str, sql: Mapping[str, str]) -> FtsTable | None:
    declared = _FTS5.search(sql.get(name, ""))
    if declared is None:
        return None
    arguments = [argument.strip() for argument in _ARGUMENT.findall(declared[1])]
    options = {found[1].lower(): found[2] for text in arguments if (found := _OPTION.fullmatch(text))}
    columns = tuple(
        _unquoted(text.split()[0]).lower() for text in arguments if text and not _OPTION.fullmatch(text)
    )
    external = "one column" if columns == ("content",) else "external"
    kind = external if "content" in options else "inline"
    return FtsTable(name, kind, columns, _unquoted(options.get("tokenize", "unicode61")))


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in tuple("\"'`[") and len(text) > 1 else text
