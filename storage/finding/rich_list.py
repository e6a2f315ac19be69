"""The lists of sessions that the seeds name, with the rows and the order of the real store (spec 4.9)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from storage.conversation.content import flatten
from storage.conversation.continuing import compression_tips
from storage.conversation.expressions import newest_message
from storage.engine.connection import Reader
from storage.engine.layout import Layout
from storage.engine.store import Store

Session = dict[str, Any]

_PREVIEW, _SHORT = 63, 60
"""Characters that are read of the first words, and that are left of more than so many."""

_OF_THE_TIP = (
    "id",
    "ended_at",
    "end_reason",
    "message_count",
    "tool_call_count",
    "title",
    "last_active",
    "preview",
    "model",
    "system_prompt",
    "cwd",
    "git_branch",
    "git_repo_root",
)
"""What a compressed conversation shows of its live tip; the rest is its first part's."""

_SIGNS = re.compile(r"[\W_]+")
_JOINTS = str.maketrans("", "", "-_. ")


def list_sessions_rich(
    store: Store,
    source: str | None = None,
    exclude_sources: Collection[str] | None = None,
    cwd_prefix: str | None = None,
    limit: int = 20,
    offset: int = 0,
    include_children: bool = False,
    min_message_count: int = 0,
    project_compression_tips: bool = True,
    order_by_last_active: bool = False,
    include_archived: bool = False,
    archived_only: bool = False,
    id_query: str | None = None,
    search_query: str | None = None,
    compact_rows: bool = False,
) -> list[Session]:
    """Sessions with their first words and their last activity, the one that was started last first.

    Without `include_children` a session with a parent is left out unless it is a branch, and so is whatever was
    delegated. A conversation that was compressed is one row.

    Args:
        source: Only this source; `exclude_sources` leaves some out.
        cwd_prefix: Only sessions that worked in this directory or below it.
        limit: At most so many, a negative number for all; `offset` are left out first.
        min_message_count: By the stored counter.
        project_compression_tips: Show a compressed conversation as its live tip, `_lineage_root_id` being its first
            part. Never done with `include_children`.
        order_by_last_active: By the last activity of the whole conversation instead.
        archived_only: Only archived ones; `include_archived` shows both.
        id_query: Only where a part's id holds this; only with `order_by_last_active`, and so is
        search_query: Only where a part's id or title holds this, whatever the case, the title also without its signs.
        compact_rows: Without `system_prompt`.

    Returns:
        All columns of `sessions`, and `last_active` (Unix seconds) and `preview` (one line of up to 63 characters).
    """
    reader = store.reading()
    layout = reader.layout
    condition, values = _conditions(
        layout,
        source=source,
        exclude_sources=exclude_sources,
        cwd_prefix=cwd_prefix,
        min_message_count=min_message_count,
        include_archived=include_archived,
        archived_only=archived_only,
        exclude_children=not include_children,
    )
    if not order_by_last_active:
        # Of those that started in the same moment the one that was stored first, as in the index.
        order_by = "ORDER BY s.started_at DESC, s.rowid LIMIT ? OFFSET ?"
        rows = reader.dicts(f"{_select(layout)} WHERE {condition} {order_by}", (*values, limit, offset))
    else:
        order = _by_activity(reader, condition, values, id_query, search_query)
        page = order[offset:] if limit < 0 else order[offset : offset + limit]
        rows = _rows(reader, page)
    rows = [_told(row) for row in rows]
    if project_compression_tips and not include_children:
        rows = _projected(reader, rows)
    if compact_rows:
        for row in rows:
            row.pop("system_prompt", None)
    return rows


def search_sessions(
    store: Store, source: str | None = None, limit: int = 20, offset: int = 0
) -> list[Session]:
    """All sessions, children and archived ones too, the most recently active first.

    Returns:
        All columns of `sessions`, and `last_active` in Unix seconds.
    """
    reader = store.reading()
    condition, values = ("1", ()) if source is None else ("s.source = ?", (source,))
    order = "last_active DESC, s.started_at DESC, s.id DESC"
    # Sorted by themselves, for a row carries its whole system prompt.
    return reader.dicts(
        f"""
        SELECT s.*, page.last_active AS last_active FROM (
            SELECT s.id AS id, {_last_active(reader.layout)} AS last_active FROM sessions s WHERE {condition}
            ORDER BY {order} LIMIT ? OFFSET ?) page
        JOIN sessions s ON s.id = page.id ORDER BY page.{order}
        """,
        (*values, limit, offset),
    )


def session_count(
    store: Store,
    source: str | None = None,
    cwd_prefix: str | None = None,
    min_message_count: int = 0,
    include_archived: bool = False,
    archived_only: bool = False,
    exclude_children: bool = False,
    exclude_sources: Collection[str] | None = None,
) -> int:
    """How many sessions there are; the arguments are those of `list_sessions_rich`, children are counted."""
    reader = store.reading()
    condition, values = _conditions(
        reader.layout,
        source=source,
        exclude_sources=exclude_sources,
        cwd_prefix=cwd_prefix,
        min_message_count=min_message_count,
        include_archived=include_archived,
        archived_only=archived_only,
        exclude_children=exclude_children,
    )
    return int(reader.rows(f"SELECT count(*) FROM {_PEOPLE} WHERE {condition}", values)[0][0])


_PEOPLE = "sessions s LEFT JOIN sessions p ON p.id = s.parent_session_id"


def _conditions(
    layout: Layout,
    *,
    source: str | None,
    exclude_sources: Collection[str] | None,
    cwd_prefix: str | None,
    min_message_count: int,
    include_archived: bool,
    archived_only: bool,
    exclude_children: bool,
) -> tuple[str, list[Any]]:
    conditions = ["1"]
    values: list[Any] = []
    if source is not None:
        conditions.append("s.source = ?")
        values.append(source)
    if exclude_sources:
        conditions.append("s.source NOT IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(list(exclude_sources)))
    if cwd_prefix:
        directory = cwd_prefix.rstrip("/\\")
        cwd = layout.column("sessions", "cwd", "NULL", "s")
        conditions.append(f"({cwd} = ? OR substr({cwd}, 1, ?) IN (?, ?))")
        values += [directory, len(directory) + 1, f"{directory}/", f"{directory}\\"]
    if min_message_count > 0:
        conditions.append("s.message_count >= ?")
        values.append(min_message_count)
    archived = layout.column("sessions", "archived", "0", "s")
    if archived_only:
        conditions.append(f"{archived} = 1")
    elif not include_archived:
        conditions.append(f"COALESCE({archived}, 0) = 0")
    if exclude_children:
        conditions.append(
            f"(s.parent_session_id IS NULL OR {_marker(layout, 's', '_branched_from')}"
            " OR (p.end_reason = 'branched' AND s.started_at >= p.ended_at))"
        )
        conditions.append(f"NOT {_marker(layout, 's', '_delegate_from')}")
    return " AND ".join(conditions), values


def _marker(layout: Layout, alias: str, name: str) -> str:
    """Whether `model_config` has this marker; what is no JSON has none."""
    config = layout.column("sessions", "model_config", "NULL", alias)
    return f"(CASE WHEN json_valid({config}) THEN json_extract({config}, '$.{name}') IS NOT NULL ELSE 0 END)"


def _last_active(layout: Layout) -> str:
    return f"COALESCE({newest_message(layout, 's.id')}, s.started_at)"


def _select(layout: Layout) -> str:
    first_words = """
        SELECT CASE WHEN m.content < char(2) THEN m.content ELSE substr(m.content, 1, 63) END FROM messages m
        WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL ORDER BY m.timestamp, m.id LIMIT 1
        """
    return f"SELECT s.*, {_last_active(layout)} AS last_active, ({first_words}) AS preview FROM {_PEOPLE}"


def _rows(reader: Reader, session_ids: Iterable[str]) -> list[Session]:
    """These sessions, in the same order."""
    ids = list(session_ids)
    rows = reader.dicts(
        f"{_select(reader.layout)} WHERE s.id IN (SELECT value FROM json_each(?))", (json.dumps(ids),)
    )
    by_id = {row["id"]: row for row in rows}
    return [by_id[id_] for id_ in ids if id_ in by_id]


def _told(row: Session) -> Session:
    """The row with its preview as text."""
    words = flatten(row["preview"]).replace("\n", " ").replace("\r", " ")[:_PREVIEW].strip()
    row["preview"] = words if len(words) <= _SHORT else words[:_SHORT] + "..."
    return row


def _by_activity(
    reader: Reader, condition: str, values: list[Any], id_query: str | None, search_query: str | None
) -> list[str]:
    """The ids on show, those with the latest activity in any part of their conversation first."""
    layout = reader.layout
    id_needle, needle = ((query or "").strip().lower() for query in (id_query, search_query))
    title = layout.column("sessions", "title", "NULL", "s")
    rows = reader.rows(
        f"""
        WITH RECURSIVE chain(root, id) AS (
            SELECT s.id, s.id FROM {_PEOPLE} WHERE {condition}
            UNION
            SELECT chain.root, s.id FROM chain
            JOIN sessions p ON p.id = chain.id AND p.end_reason = 'compression'
            JOIN sessions s ON s.parent_session_id = p.id
            WHERE s.source <> 'tool' AND NOT {_marker(layout, "s", "_branched_from")}
              AND NOT {_marker(layout, "s", "_delegate_from")})
        SELECT chain.root, s.id, {title}, s.started_at, {_last_active(layout)}
        FROM chain JOIN sessions s ON s.id = chain.id
        """,
        values,
    )
    active: dict[str, float] = {}
    started: dict[str, float] = {}
    by_id: set[str] = set()
    by_name: set[str] = set()
    for root, id_, name, start, last in rows:
        active[root] = max(active.get(root, 0.0), _number(last))
        if id_ == root:
            started[root] = _number(start)
        if id_needle in id_.lower():
            by_id.add(root)
        if _is_named(needle, id_, name):
            by_name.add(root)
    return sorted(by_id & by_name, key=lambda id_: (active[id_], started[id_], id_), reverse=True)


def _is_named(needle: str, session_id: str, title: str | None) -> bool:
    if needle in session_id.lower():
        return True
    name = (title or "").lower()
    bare = _SIGNS.sub("", needle)
    return needle in name or (bool(bare) and bare in name.translate(_JOINTS))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _projected(reader: Reader, rows: list[Session]) -> list[Session]:
    """The rows with every compressed conversation as its live tip."""
    compressed = [row["id"] for row in rows if row["end_reason"] == "compression"]
    if not compressed:
        return rows
    tips = compression_tips(reader, compressed)
    by_id = {row["id"]: _told(row) for row in _rows(reader, set(tips.values()))}
    shown = []
    for row in rows:
        tip = by_id.get(tips.get(row["id"], row["id"]))
        if tip is not None and tip["id"] != row["id"]:
            row = {
                **row,
                **{name: tip[name] for name in _OF_THE_TIP if name in tip},
                "_lineage_root_id": row["id"],
            }
        shown.append(row)
    return shown
