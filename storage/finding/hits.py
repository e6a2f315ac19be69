"""What every way of finding messages hands over: hits, a slice of the store at a time, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from storage.conversation import content, expressions
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding.query import SessionQuery

OLDEST = -(1 << 63)
"""No message has a lower id: a walk that came down to here has seen everything."""

NEWEST = (1 << 63) - 1
"""Where a walk begins: above every message."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The messages of one session that match, within a slice."""

    session_id: str
    ids: tuple[int, ...]
    """Newest first."""
    time: float | None
    """Of the newest one in Unix seconds, where the store holds a sane number."""
    said: int | None
    """The newest one that is a user's or the assistant's, not a tool's."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The hits among the messages from `lowest` up to where the slice began."""

    hits: tuple[Hits, ...]
    """By their newest message, newest first."""
    lowest: int
    scanned: int = 0
    """Messages that were looked at one by one."""


class Route(Protocol):
    """A way to find the hits among the messages with `first` <= id < `before`, a slice at a time from the top."""

    def __call__(
        self, reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel, /
    ) -> Slice: ...


Facts = tuple[str, int, float | None, bool]
"""Session, id, time and whether it was said, of one message that matches."""


def facts(layout: Layout) -> str:
    """SQL: a JSON array of the Facts of the message `m`."""
    return f"json_array({expressions.text('m.session_id')}, m.id, {time(layout)}, {said(layout)})"


def time(layout: Layout) -> str:
    """SQL: the time of the message `m`."""
    return expressions.number(layout.column("messages", "timestamp", "NULL", "m"))


def said(layout: Layout) -> str:
    """SQL: whether a user or the assistant said the message `m`."""
    return f"coalesce({layout.column('messages', 'role', 'NULL', 'm')} IN ('user', 'assistant'), 0)"


def texts(layout: Layout) -> str:
    """SQL: a JSON array of what is searched of the message `m`."""
    columns = (
        layout.column("messages", name, "NULL", "m") for name in ("content", "tool_name", "tool_calls")
    )
    return f"json_array({', '.join(map(expressions.text, columns))})"


def found_in(query: SessionQuery, texts: list[str | None]) -> bool:
    """Whether a message with these `texts` matches: by its decoded content, its tool name or its tool calls."""
    stored, tool_name, tool_calls = texts
    return query.matches(content.flatten(stored), tool_name or "", tool_calls or "")


def by_session(rows: Iterable[Facts]) -> tuple[Hits, ...]:
    """The hits of these `facts`, of different messages in any order."""
    sessions: dict[str, list[Facts]] = {}
    for row in sorted(rows, key=lambda row: row[1], reverse=True):
        sessions.setdefault(row[0], []).append(row)
    return tuple(
        Hits(session, tuple(row[1] for row in own), own[0][2], next((row[1] for row in own if row[3]), None))
        for session, own in sessions.items()
    )
