"""Reading what decides families: everybody at once, or only what stands around some sessions.

Every answer crosses as one row of JSON: hundreds of rows would each wait for the interpreter beside a busy
main thread.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from storage.conversation.expressions import newest_message, newest_messages, number, text
from storage.conversation.family import Kin, markers, readable
from storage.engine import session_ids
from storage.engine.connection import Cancel
from storage.engine.layout import Layout
from storage.engine.within import Reading

# A delegate's parent can have thousands of them; none continues it, so the walk down leaves them out. What
# this SQL lets through is judged again by the rules. How a parent ended stands behind its prompt, and most sessions
# have no child: the child is looked for first.
_MAY_CONTINUE = """parent.end_reason = 'compression' AND COALESCE({source}, '') NOT IN ('tool', 'subagent')
    AND CASE WHEN {config} LIKE '%_delegate_from%' AND json_valid({config})
        THEN json_extract({config}, '$._delegate_from') IS NULL ELSE 1 END"""

SLICE = 4_000
"""Sessions that are read at a time: some tens of milliseconds."""

_LAST_ROWID = (1 << 63) - 1

_NO_END = (None, 0, None)
_UNMARKED: frozenset[str] = frozenset()

_PARENTS = f"""SELECT json_group_array(json_array(rowid, {session_ids.text("parent_session_id")}))
    FROM sessions INDEXED BY idx_sessions_parent WHERE parent_session_id IS NOT NULL"""

_ENDS_COUNT = """(s.rowid IN (SELECT value FROM json_each(?3))
    OR EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id))"""
"""Of what has siblings, whose rowids are the parameter, or children."""

_AROUND = """WITH RECURSIVE
    up(id) AS (
        SELECT value FROM json_each(?1)
        UNION
        SELECT {parent} FROM up CROSS JOIN sessions child ON child.id = up.id WHERE {parent} IS NOT NULL),
    wanted(id) AS (
        SELECT id FROM up
        UNION
        SELECT child.id FROM wanted CROSS JOIN sessions child ON {parent} = wanted.id
        CROSS JOIN sessions parent ON parent.id = wanted.id WHERE {condition})"""


def everyone(reader: Reading, cancel: Cancel | None = None) -> dict[str, Kin]:
    """All sessions of the store; how a session ended is left out where it decides nothing.

    Most columns stand behind the system prompt, and reaching them means reading all of it. So starts and parents
    are taken from their indexes, and the ends only of what has children, or siblings to be told from. It is read
    in slices, so that a visible page never waits for the whole; a session that moves meanwhile is seen by the next
    look for changes.
    """
    layout = reader.layout
    if "sessions" not in layout.columns:
        return {}
    if layout.key("sessions") != "rowid":
        sql = f"SELECT {_array(layout)} FROM sessions s{_joined(layout)}"
        return _kin(reader.json(sql, (), cancel))
    start = number(layout.column("sessions", "started_at"))
    starts = dict(
        reader.json(f"SELECT json_group_array(json_array(rowid, {start})) FROM sessions", (), cancel)
    )
    parents: dict[int, str | None] | None = None
    own = _array(layout, "s.rowid")
    siblings: tuple[str, ...] = ()
    if "idx_sessions_parent" in layout.indexes and layout.has("sessions", "parent_session_id"):
        parents = dict(reader.json(_PARENTS, (), cancel))
        children = Counter(parents.values())
        siblings = (json.dumps([rowid for rowid, parent in parents.items() if children[parent] > 1]),)
        own = _array(layout, "s.rowid", "NULL", _ENDS_COUNT)
    sql = f"""SELECT {own} FROM sessions s{_joined(layout)}
        WHERE s.id IS NOT NULL AND s.rowid BETWEEN ?1 AND ?2"""
    kin: dict[str, Kin] = {}
    late: list[str] = []
    for first, last in _slices(sorted(starts), SLICE if _seeks(layout) else max(1, len(starts))):
        rows = reader.json(sql, (first, last, *siblings), cancel)
        for row in rows:
            if row[0] not in starts:
                late.append(row[1])
            if parents is not None:
                row[2] = parents.get(row[0])
            row[0] = starts.get(row[0])
        kin.update(_kin(rows))
    return kin | around(reader, late, cancel) if late else kin


def _slices(rowids: Sequence[int], size: int) -> Iterator[tuple[int, int]]:
    """First and last rowid of each slice; the last slice takes in what has come since."""
    for place in range(0, len(rowids), size):
        following = place + size
        yield rowids[place], rowids[following] - 1 if following < len(rowids) else _LAST_ROWID


def around(reader: Reading, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Kin]:
    """These sessions with all their ancestors and whatever may continue one of those.

    Enough for `chains` to put each of them into its whole chain; unknown ids are not in the answer.
    """
    layout = reader.layout
    condition = "0"
    if layout.has("sessions", "end_reason"):
        condition = _MAY_CONTINUE.format(
            source=layout.column("sessions", "source", "NULL", "child"),
            config=layout.column("sessions", "model_config", "NULL", "child"),
        )
    return _selected(reader, condition, session_ids, cancel)


def family(reader: Reading, session_id: str) -> dict[str, Kin]:
    """The session with all its ancestors and all their descendants."""
    return _selected(reader, "1", [session_id], None)


def _selected(
    reader: Reading, condition: str, session_ids: Iterable[str], cancel: Cancel | None
) -> dict[str, Kin]:
    layout = reader.layout
    if "sessions" not in layout.columns:
        return {}
    around = _AROUND.format(
        parent=layout.column("sessions", "parent_session_id", "NULL", "child"), condition=condition
    )
    people = f"wanted CROSS JOIN sessions s ON s.id = wanted.id{_joined(layout)}"
    sql = f"{around} SELECT {_array(layout)} FROM {people}"
    return _kin(reader.json(sql, [json.dumps(list(session_ids))], cancel))


def _seeks(layout: Layout) -> bool:
    return "messages" not in layout.columns or "idx_messages_session" in layout.indexes


def _joined(layout: Layout) -> str:
    """Without the index every seek would be a scan: one pass for all is joined instead."""
    return (
        "" if _seeks(layout) else f" LEFT JOIN ({newest_messages(layout)}) newest ON newest.session_id = s.id"
    )


def _array(layout: Layout, started: str = "", parent: str | None = None, related: str = "1") -> str:
    """The rows as JSON, with `started` and `parent` for what is read elsewhere; ends are read where `related` holds."""

    def column(name: str) -> str:
        return layout.column("sessions", name, "NULL", "s")

    def flag(name: str) -> str:
        return f"(COALESCE({column(name)}, 0) <> 0)"

    config = column("model_config")
    end = (
        number(column("ended_at")),
        f"{column('ended_at')} IS NOT NULL",
        text(column("end_reason")),
    )
    values = (
        started or number(column("started_at")),
        session_ids.text("s.id"),
        parent or session_ids.text(column("parent_session_id")),
        text(column("source")),
        text(column("session_key")),
        f"json(CASE WHEN {related} THEN json_array({', '.join(end)}) END)",
        f"CASE WHEN instr({config}, '_from') THEN {text(config)} END",
        newest_message(layout, "s.id") if _seeks(layout) else "newest.time",
        f"{flag('archived')} + 2 * {flag('hidden')} + 4 * {flag('pinned')}",
    )
    return f"json_group_array(json_array({', '.join(values)}))"


def _kin(rows: list[list[Any]] | None) -> dict[str, Kin]:
    kin: dict[str, Kin] = {}
    for started, id_, parent, source, key, end, config, newest, flags in rows or ():
        if not session_ids.is_usable(id_):
            continue
        ended, has_ended, reason = end or _NO_END
        start = readable(started)
        kin[id_] = Kin(
            id_,
            parent or None,
            source or "",
            start,
            readable(ended),
            bool(has_ended),
            reason or "",
            key or "",
            markers(config) if config else _UNMARKED,
            readable(newest) or start,
            bool(flags & 1),
            bool(flags & 2),
            bool(flags & 4),
        )
    return kin
