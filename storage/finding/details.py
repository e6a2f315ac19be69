"""The rows of a visible page: what the order does not know of its conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from storage.conversation.expressions import (
    cost,
    head,
    live,
    message_count,
    newest_message,
    number,
    text,
    tokens,
)
from storage.conversation.family import readable
from storage.conversation.preview import previews
from storage.engine.connection import Cancel, Reader
from storage.records import Conversation, Entry, Status

RUNNING_SECONDS = 600
"""A message so recent says that somebody is at it (product: Session list)."""

_CLOCK_SKEW = 60
"""Seconds that the clock of whoever wrote may be ahead of ours."""

_ERRORS = frozenset({"error", "agent_error", "content_filter"})
"""`finish_reason`s of the error class (spec 5.3)."""


_PARTS = """SELECT json_group_array(json_array({values}))
    FROM json_each(?1) wanted CROSS JOIN sessions s ON s.id = wanted.value"""

_LAST = """SELECT json_group_array(json_array(wanted.value, {values}))
    FROM json_each(?1) wanted CROSS JOIN messages last ON last.id = (
        SELECT max(m.id) FROM messages m WHERE m.session_id = wanted.value AND {condition})"""


class _Part(NamedTuple):
    """One session of a conversation, as stored."""

    title: str
    source: str
    model: str
    cwd: str
    branch: str
    started_at: float | None
    ended_at: float | None
    ended: bool
    archived: bool
    pinned: bool
    tokens: int
    cost: float | None
    messages: int
    newest: float | None


class _Last(NamedTuple):
    """The last active message of a session."""

    role: str
    finish_reason: str
    calls_tools: bool


def conversations(reader: Reader, entries: Sequence[Entry], now: float) -> tuple[Conversation, ...]:
    """The rows of these conversations in the same order; one whose sessions are all gone is left out.

    Args:
        now: Unix seconds; decides what is running.
    """
    parts = _parts(reader, [id_ for entry in entries for id_ in entry.parts])
    present = [entry for entry in entries if any(id_ in parts for id_ in entry.parts)]
    lasts = _last_messages(reader, [entry.id for entry in present])
    openings = previews(reader, [entry.parts for entry in present])
    return tuple(
        _conversation(entry, parts, lasts.get(entry.id), opening, now)
        for entry, opening in zip(present, openings, strict=True)
    )


def _conversation(
    entry: Entry, parts: Mapping[str, _Part], last: _Last | None, preview: str, now: float
) -> Conversation:
    every = [parts[id_] for id_ in entry.parts if id_ in parts]
    # Newest first; a main line that is gone altogether leaves the dead ends to speak for it.
    line = [parts[id_] for id_ in entry.parts[: entry.main] if id_ in parts][::-1] or every
    tip = line[0]
    costs = [part.cost for part in every if part.cost is not None]
    times = [time for part in every if (time := part.newest or part.started_at) is not None]
    return Conversation(
        id=entry.id,
        title=_first(part.title for part in line),
        preview=preview,
        source=tip.source,
        model=_first(part.model for part in line),
        started_at=line[-1].started_at,
        last_active=max(times, default=None),
        ended_at=tip.ended_at,
        status=_status(tip, last, now),
        messages=sum(part.messages for part in every),
        tokens=sum(part.tokens for part in every),
        cost=sum(costs) if costs else None,
        parts=entry.parts,
        cwd=_first(part.cwd for part in line),
        branch=_first(part.branch for part in line),
        archived=tip.archived,
        pinned=any(part.pinned for part in every),
        hidden=entry.hidden,
        edge=entry.edge,
    )


def _first(values: Iterable[str]) -> str:
    return next(filter(None, values), "")


def statuses(
    reader: Reader, entries: Sequence[Entry], now: float, cancel: Cancel | None = None
) -> dict[str, Status]:
    """How these conversations stand, by their live tip: as `conversations` says it, without the rest of the rows."""
    lasts = _last_messages(reader, [entry.id for entry in entries], cancel)
    recent = [entry.id for entry in entries if is_recent(entry, now)]
    tips = _parts(reader, recent) if recent else {}
    return {entry.id: _status(tips.get(entry.id), lasts.get(entry.id), now) for entry in entries}


def is_recent(entry: Entry, now: float) -> bool:
    """Whether it was active just now: no other can be running."""
    return entry.last_active is not None and now - entry.last_active <= RUNNING_SECONDS


def _status(tip: _Part | None, last: _Last | None, now: float) -> Status:
    """How the conversation stands (product: Session list); running wins over everything but an error.

    Args:
        tip: None for one that was not active just now.
    """
    if last is None:
        return Status.EMPTY
    if last.finish_reason in _ERRORS:
        return Status.ERROR
    if tip is not None and _is_running(tip, now):
        return Status.RUNNING
    if last.role in ("user", "tool") or (last.role == "assistant" and last.calls_tools):
        return Status.INTERRUPTED
    return Status.COMPLETE


def _is_running(tip: _Part, now: float) -> bool:
    return not tip.ended and tip.newest is not None and -_CLOCK_SKEW <= now - tip.newest <= RUNNING_SECONDS


def _parts(reader: Reader, session_ids: Sequence[str]) -> dict[str, _Part]:
    layout = reader.layout
    if "sessions" not in layout.columns:
        return {}

    def column(name: str) -> str:
        return layout.column("sessions", name, "NULL", "s")

    values = (
        "wanted.value",
        *(text(column(name)) for name in ("title", "source", "model", "cwd", "git_branch")),
        number(column("started_at")),
        number(column("ended_at")),
        f"{column('ended_at')} IS NOT NULL",
        f"COALESCE({column('archived')}, 0) <> 0",
        f"COALESCE({column('pinned')}, 0) <> 0",
        tokens(layout, "s"),
        cost(layout, "s"),
        message_count(layout, "s.id"),
        newest_message(layout, "s.id"),
    )
    rows = reader.json(_PARTS.format(values=", ".join(values)), [json.dumps(list(session_ids))])
    return {row[0]: _part(*row[1:]) for row in rows}


def _part(title: Any, source: Any, model: Any, cwd: Any, branch: Any, *rest: Any) -> _Part:
    started_at, ended_at, ended, archived, pinned, spent, dollars, messages, newest = rest
    return _Part(
        title=title or "",
        source=source or "",
        model=model or "",
        cwd=cwd or "",
        branch=branch or "",
        started_at=readable(started_at),
        ended_at=readable(ended_at),
        ended=bool(ended),
        archived=bool(archived),
        pinned=bool(pinned),
        tokens=int(spent),
        cost=dollars,
        messages=messages,
        newest=readable(newest),
    )


def _last_messages(
    reader: Reader, session_ids: Sequence[str], cancel: Cancel | None = None
) -> dict[str, _Last]:
    """The last active message of each session that has one, bookkeeping left out."""
    if not {"id", "session_id", "role"} <= reader.layout.columns.get("messages", frozenset()):
        return {}
    condition = live(reader.layout)
    lasts = _last_where(reader, session_ids, condition, cancel)
    # The role is in no index, so it is asked only where bookkeeping does come last.
    if meta := [id_ for id_, last in lasts.items() if last.role == "session_meta"]:
        for id_ in meta:
            del lasts[id_]
        lasts |= _last_where(reader, meta, f"{condition} AND m.role IS NOT 'session_meta'", cancel)
    return lasts


def _last_where(
    reader: Reader, session_ids: Sequence[str], condition: str, cancel: Cancel | None
) -> dict[str, _Last]:
    layout = reader.layout
    values = (
        text("last.role"),
        text(layout.column("messages", "finish_reason", "NULL", "last")),
        f"trim({head(layout.column('messages', 'tool_calls', 'NULL', 'last'), 16)}) NOT IN ('', '[]', '{{}}', 'null')",
    )
    sql = _LAST.format(values=", ".join(values), condition=condition)
    rows = reader.json(sql, [json.dumps(list(session_ids))], cancel)
    return {id_: _Last(role or "", finish or "", bool(calls)) for id_, role, finish, calls in rows}
