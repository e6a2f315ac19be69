"""What every way of finding messages hands over: hits, a slice of the store at a time, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from storage.conversation import content, expressions
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding.query import SessionQuery

OLDEST = -(1 << 63)
"""No message has a lower id: a walk that came down to here has seen everything."""

NEWEST = (1 << 63) - 1
"""Where a walk begins: above every message."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that matches."""

    id: int
    session_id: str
    time: float | None
    """Unix seconds, where the store holds a sane number."""
    said: bool
    """A user's or the assistant's, not a tool's."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The hits among the messages from `lowest` up to where the slice began."""

    hits: tuple[Hit, ...]
    """Newest first."""
    lowest: int
    scanned: int = 0
    """Messages that were looked at one by one."""


class Route(Protocol):
    """A way to find the hits among the messages with `first` <= id < `before`, a slice at a time from the top."""

    def __call__(
        self, reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel, /
    ) -> Slice: ...


def facts(layout: Layout) -> str:
    """SQL of the values that `hit` reads, of the message `m`."""
    time = expressions.number(layout.column("messages", "timestamp", "NULL", "m"))
    role = layout.column("messages", "role", "NULL", "m")
    return f"m.id, {expressions.text('m.session_id')}, {time}, coalesce({role} IN ('user', 'assistant'), 0)"


def texts(layout: Layout) -> str:
    """SQL of the values that `found_in` reads, of the message `m`."""
    return ", ".join(
        expressions.text(layout.column("messages", name, "NULL", "m"))
        for name in ("content", "tool_name", "tool_calls")
    )


def hit(values: list[Any]) -> Hit:
    """A hit from its `facts`."""
    id_, session_id, time, said = values
    return Hit(id_, session_id, time, bool(said))


def found_in(query: SessionQuery, values: list[Any]) -> bool:
    """Whether a message matches, from its `texts`: by its decoded content, tool name and tool calls."""
    stored, tool_name, tool_calls = values
    return query.matches(content.flatten(stored), tool_name or "", tool_calls or "")
