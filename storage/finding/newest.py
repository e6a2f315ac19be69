"""Which sessions are the newest, without looking at all of them: message ids grow with time."""

from __future__ import annotations

from collections.abc import Iterator

from storage.conversation.expressions import text
from storage.engine.connection import Reader

_SLICE = 2_000
"""Messages walked at a time."""

_SLICES = 24
"""Steps of the walk at most; where these hold no page, the store is full of what is hidden."""

STARTS = 2_000
"""Sessions that `started_since` returns at most."""


def walkable(reader: Reader) -> bool:
    """Whether the walk and what follows it can be answered from indexes."""
    return reader.layout.indexes >= {"idx_sessions_parent", "idx_sessions_started", "idx_messages_session"}


def spoken_in(reader: Reader) -> Iterator[list[str]]:
    """The sessions of the newest messages, some more with every step; a bounded number of steps."""
    before = 1 << 62
    for _ in range(_SLICES):
        oldest, session_ids = reader.json(
            f"""SELECT json_array(min(id), json_group_array(session)) FROM (
                SELECT id, {text("session_id")} AS session FROM messages WHERE id < ?1 ORDER BY id DESC LIMIT ?2)""",
            (before, _SLICE),
        )
        if oldest is None:
            return
        yield list(dict.fromkeys(session_ids))
        before = oldest


def started_since(reader: Reader, time: float) -> list[str]:
    """Sessions that started at that time (Unix seconds) or later, the newest first, at most STARTS."""
    session_ids: list[str] = reader.json(
        f"""SELECT json_group_array(session) FROM (SELECT {text("id")} AS session FROM sessions
            WHERE started_at >= ?1 AND started_at < 32503680000 AND id IS NOT NULL
            ORDER BY started_at DESC LIMIT ?2)""",
        (time, STARTS),
    )
    return session_ids
