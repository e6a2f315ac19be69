"""Sessions taken out of a store as plain values, ready for JSON (spec 4.6)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from storage.conversation import continuing
from storage.conversation.expressions import newest_message
from storage.conversation.reading import get_messages
from storage.conversation.sessions import get_session
from storage.engine.store import Store

Exported = dict[str, Any]

EXACT = "exact"
"""Says of an export that its values are those of the columns, not what they mean."""

BYTES = "base64"
"""The key of a value that is bytes; only in an exact export, where no other value is a dict."""


def export_session(store: Store, session_id: str, *, exact: bool = False) -> Exported | None:
    """A session with its live messages: all columns, and `messages` as `get_messages` gives them.

    Args:
        exact: A backup instead: every message, whatever its state, each value just as it is stored, and the usage by
            model (`model_usage`).

    Returns:
        None if there is no such session.
    """
    session = get_session(store, session_id)
    return None if session is None else _whole(store, session, exact)


def export_all(store: Store, source: str | None = None, *, exact: bool = False) -> list[Exported]:
    """Every session, or every one from a source, as `export_session` gives them, the latest activity first.

    Archived ones and children are among them. Each also has `last_active`, in Unix seconds.
    """
    reader = store.reading()
    condition, values = ("1", ()) if source is None else ("s.source = ?", (source,))
    sessions = reader.dicts(
        f"SELECT s.*, COALESCE({newest_message(reader.layout, 's.id')}, s.started_at) AS last_active FROM sessions s"
        f" WHERE {condition} ORDER BY last_active DESC, s.started_at DESC, s.id DESC",
        values,
    )
    return [_whole(store, session, exact) for session in sessions]


def export_session_lineage(
    store: Store, session_id: str, *, exact: bool = False, parts: Sequence[str] | None = None
) -> Exported | None:
    """The whole conversation that a session is a part of, as one.

    Args:
        parts: Only these sessions, in this order.

    Returns:
        The columns of its live tip; `segments` (each part as `export_session` gives it, the main line from the first
        one on, then the dead ends) and their ids as `lineage_session_ids`; `messages` of all of them, and
        `message_count` as their sum. None if there is no such session.
    """
    reader = store.reading()
    if parts is None:
        parts = continuing.parts_of(reader, session_id)
    segments = [one for part in parts if (one := export_session(store, part, exact=exact))]
    if not segments:
        return None
    tip = continuing.compression_tip(reader, segments[0]["id"])
    face = next((one for one in segments if one["id"] == tip), segments[-1])
    return {
        **face,
        "message_count": sum(one["message_count"] or 0 for one in segments),
        "messages": [message for one in segments for message in one["messages"]],
        "segments": segments,
        "lineage_session_ids": [one["id"] for one in segments],
    }


def _whole(store: Store, session: Exported, exact: bool) -> Exported:
    if not exact:
        return {**session, "messages": get_messages(store, session["id"])}
    reader = store.reading()
    messages = reader.dicts("SELECT * FROM messages WHERE session_id = ? ORDER BY id", (session["id"],))
    usage = []
    if reader.layout.has("session_model_usage", "session_id"):
        usage = reader.dicts("SELECT * FROM session_model_usage WHERE session_id = ?", (session["id"],))
    return {
        **_plain(session),
        EXACT: True,
        "messages": [_plain(message) for message in messages],
        "model_usage": [_plain(row) for row in usage],
    }


def _plain(row: Exported) -> Exported:
    """The row with bytes as text, for JSON takes none."""
    return {name: _written(value) if isinstance(value, bytes) else value for name, value in row.items()}


def _written(value: bytes) -> dict[str, str]:
    return {BYTES: base64.b64encode(value).decode("ascii")}
