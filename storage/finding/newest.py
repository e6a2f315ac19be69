"""Which sessions are the newest, without looking at all of them: message ids grow with time."""

from __future__ import annotations

import json
from collections.abc import Iterator

from storage.conversation.expressions import number, text
from storage.engine.connection import Reader

_SLICE = 2_000
"""Messages walked at a time."""

_SLICES = 24
"""Steps of the walk at most; where these hold no page, the store is full of what is hidden."""

_LOOKS = 40
"""Evenly spread messages that are compared by time; some more at both ends."""

_SLACK = 86_400
"""Seconds by which a message may be older than one before it: clocks differ, and some talks are written down late."""

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


def in_time_order(reader: Reader) -> bool:
    """Whether message ids seem to grow with time; an import writes old messages with new ids.

    Some messages are compared: many near both ends, where an order by time begins, and some in between.
    """
    if not reader.layout.has("messages", "timestamp"):
        return False
    first, last = reader.rows("SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)")[0]
    if not (isinstance(first, int) and isinstance(last, int)):
        return False
    span = last - first
    steps = [1 << power for power in range(span.bit_length())]
    between = (first + span * look // _LOOKS for look in range(_LOOKS))
    ids = sorted({first, last, *between, *(first + step for step in steps), *(last - step for step in steps)})
    times: list[float | None] = reader.json(
        f"""SELECT json_group_array((
            SELECT {number("m.timestamp")} FROM messages m WHERE m.id >= wanted.value ORDER BY m.id LIMIT 1))
        FROM json_each(?1) wanted""",
        (json.dumps(ids),),
    )
    latest = 0.0
    for time in times:
        if time is not None and time < latest - _SLACK:
            return False
        latest = max(latest, time or 0.0)
    return True
