"""Messages written, replaced, archived and taken back (spec 4.2, 4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from storage.conversation.reading import decoded
from storage.conversation.sessions import require
from storage.conversation.stored import call_count, encode, json_text, moment, text
from storage.engine.store import Store
from storage.engine.within import Within
from storage.errors import NotTheUsersMessage, RowRefused, UnknownMessage

_TEXTS = (
    "tool_name",
    "tool_call_id",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "platform_message_id",
    "effect_disposition",
    "api_content",
    "display_kind",
)
_JSON = (
    "tool_calls",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "display_metadata",
)

_TICK = 1e-6
"""Seconds between two messages of one call that say no time, so that their order is also that of their times."""

_LIVE = "active IS NOT 0"


def append_message(
    store: Store,
    session_id: str,
    role: str,
    content: Any = None,
    tool_name: str | None = None,
    tool_calls: Any = None,
    tool_call_id: str | None = None,
    token_count: int | None = None,
    finish_reason: str | None = None,
    reasoning: str | None = None,
    reasoning_content: str | None = None,
    reasoning_details: Any = None,
    codex_reasoning_items: Any = None,
    codex_message_items: Any = None,
    platform_message_id: str | None = None,
    observed: bool = False,
    effect_disposition: str | None = None,
    timestamp: Any = None,
    api_content: str | None = None,
    display_kind: str | None = None,
    display_metadata: Any = None,
) -> int:
    """Add a message to the end of a session and count it.

    Args:
        content: Text, or the list of parts of a multimodal message; lists and dicts come back as they were.
        tool_calls: The calls of an assistant; a list raises `tool_call_count` by its length, anything else by one.
        observed: It was seen in a group, and not meant for Hermes.
        timestamp: Unix seconds or a datetime; now, where it is neither.
        api_content: What was really sent to the model where that differs from `content`.

    Returns:
        The id of the new message.

    Raises:
        UnknownSession: The session is not there; it is not made.
        RowRefused: Something cannot be stored as it is.
    """
    given = {name: value for name, value in locals().items() if name not in ("store", "session_id")}
    row = _row(given, store.clock())
    calls = call_count(tool_calls)

    def work(within: Within) -> int:
        require(within, session_id)
        message_id = _insert(within, session_id, row)
        within.change(
            "UPDATE sessions SET message_count = COALESCE(message_count, 0) + 1,"
            " tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?",
            (calls, session_id),
        )
        return message_id

    return store.write(work, touches_messages=True)


def replace_messages(
    store: Store, session_id: str, messages: Iterable[Mapping[str, Any]], active_only: bool = False
) -> None:
    """Put these messages in the place of all that the session holds, and count them anew.

    Args:
        messages: As `append_message` takes them, by name; `message_id` stands for `platform_message_id`.
        active_only: What was rewound or archived by a compaction stays.

    Raises:
        UnknownSession, RowRefused: and nothing was changed.
    """
    rows, calls = _rows(messages, store.clock())

    def work(within: Within) -> None:
        require(within, session_id)
        live = f" AND {_LIVE}" if active_only and within.layout.has("messages", "active") else ""
        within.change(f"DELETE FROM messages WHERE session_id = ?{live}", (session_id,))
        _fill(within, session_id, rows, calls)

    store.write(work, touches_messages=True)


def archive_and_compact(
    store: Store, session_id: str, compacted_messages: Iterable[Mapping[str, Any]]
) -> int:
    """Archive what is live in the session, still to be found and read, and go on with these messages instead.

    Returns:
        The number of live messages now.

    Raises:
        UnknownSession, RowRefused: and nothing was changed.
        VersionTooOld: The store knows no compaction inside a session.
    """
    rows, calls = _rows(compacted_messages, store.clock())

    def work(within: Within) -> int:
        require(within, session_id)
        within.require("messages", "compacted")
        within.change(
            f"UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND {_LIVE}", (session_id,)
        )
        _fill(within, session_id, rows, calls)
        return len(rows)

    return store.write(work, touches_messages=True)


def clear_messages(store: Store, session_id: str) -> None:
    """Delete all messages of a session and keep the session; without such a session nothing happens."""

    def work(within: Within) -> None:
        within.change("DELETE FROM messages WHERE session_id = ?", (session_id,))
        _fill(within, session_id, [], 0)

    store.write(work, touches_messages=True)


def rewind_to_message(store: Store, session_id: str, target_message_id: int) -> dict[str, Any]:
    """Take back a message of the user and everything after it. The rows stay, hidden; the counters stay too.

    Returns:
        `rewound_count` (messages taken back), `target_message` (as it was) and `new_head_id` (the last message
        that is left, or None).

    Raises:
        UnknownMessage, NotTheUsersMessage (both are ValueErrors).
        VersionTooOld: The store cannot hide a message.
    """

    def work(within: Within) -> dict[str, Any]:
        within.require("messages", "active")
        target = within.dicts(
            "SELECT * FROM messages WHERE id = ? AND session_id = ?", (target_message_id, session_id)
        )
        if not target:
            raise UnknownMessage(target_message_id, session_id)
        if target[0]["role"] != "user":
            raise NotTheUsersMessage(target_message_id, str(target[0]["role"]))
        count = within.change(
            f"UPDATE messages SET active = 0 WHERE session_id = ? AND id >= ? AND {_LIVE}",
            (session_id, target_message_id),
        )
        if within.layout.has("sessions", "rewind_count"):
            within.change(
                "UPDATE sessions SET rewind_count = COALESCE(rewind_count, 0) + 1 WHERE id = ?", (session_id,)
            )
        head = within.one(f"SELECT max(id) FROM messages WHERE session_id = ? AND {_LIVE}", (session_id,))
        return {
            "rewound_count": count,
            "target_message": decoded(target[0]),
            "new_head_id": head[0] if head else None,
        }

    return store.write(work, touches_messages=True)


def restore_rewound(store: Store, session_id: str, since_message_id: int) -> int:
    """Bring back what a rewind took, from this message on; returns how many messages."""

    def work(within: Within) -> int:
        within.require("messages", "active")
        compacted = within.layout.column("messages", "compacted", "0")
        return within.change(
            f"UPDATE messages SET active = 1 WHERE session_id = ? AND id >= ? AND active = 0 AND {compacted} IS NOT 1",
            (session_id, since_message_id),
        )

    return store.write(work, touches_messages=True)


def _rows(messages: Iterable[Mapping[str, Any]], now: float) -> tuple[list[dict[str, Any]], int]:
    """What to insert, and how many tool calls it holds."""
    rows, calls = [], 0
    for place, message in enumerate(messages):
        rows.append(_row({"role": "unknown", **message}, now + place * _TICK))
        calls += call_count(message.get("tool_calls"))
    return rows, calls


def _row(given: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The columns of a message; what says nothing is left to the defaults of the table."""
    if not given["role"]:
        raise RowRefused("a message needs a role")
    time = moment(given.get("timestamp"))
    tokens = given.get("token_count")
    if tokens is not None and not isinstance(tokens, int | float):
        raise RowRefused("token_count is not a number")
    row = {
        "role": text(given["role"], "role"),
        "content": encode(given.get("content")),
        "timestamp": now if time is None else time,
        "token_count": tokens,
        "observed": 1 if given.get("observed") else None,
    }
    for name in _TEXTS:
        value = given.get(name)
        if value is None and name == "platform_message_id":
            value = given.get("message_id")
        row[name] = None if value is None else text(value, name)
    for name in _JSON:
        row[name] = json_text(given.get(name), name)
    return {name: value for name, value in row.items() if value is not None}


def _insert(within: Within, session_id: str, row: Mapping[str, Any]) -> int:
    for name in row:
        within.require("messages", name)
    live = {"active": 1} if within.layout.has("messages", "active") else {}
    return within.insert("messages", {"session_id": session_id, **row, **live})


def _fill(within: Within, session_id: str, rows: Iterable[Mapping[str, Any]], calls: int) -> None:
    count = 0
    for row in rows:
        _insert(within, session_id, row)
        count += 1
    within.change(
        "UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?", (count, calls, session_id)
    )
