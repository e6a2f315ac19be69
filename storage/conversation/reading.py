"""Messages as programs read them: rows with everything in them, or the talk as a model gets it (spec 4.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from storage.conversation import expressions
from storage.conversation.stored import decode, parsed
from storage.engine.store import Store
from storage.engine.within import Reading

TALK = ("user", "assistant")


def get_messages(
    store: Store,
    session_id: str,
    include_inactive: bool = False,
    limit: int | None = None,
    offset: int = 0,
) -> list[dict[str, Any]]:
    """The messages of a session in the order of their writing, all columns each.

    `content` is what was appended; `tool_calls` is a list, empty where the stored text is no JSON; the other JSON
    columns stay text.

    Args:
        include_inactive: Also what was rewound or archived by a compaction.
        limit: At most so many, after leaving out `offset`.
    """
    reader = store.reading()
    live = "1" if include_inactive else expressions.live(reader.layout)
    rows = reader.dicts(
        f"SELECT m.* FROM messages m WHERE m.session_id = ? AND {live} ORDER BY m.id LIMIT ? OFFSET ?",
        (session_id, -1 if limit is None else limit, offset),
    )
    return [decoded(row) for row in rows]


def get_messages_around(
    store: Store, session_id: str, around_message_id: int, window: int = 5
) -> dict[str, Any]:
    """A message with up to `window` messages on each side, whatever their state.

    Returns:
        `window` (rows as `get_messages`, oldest first), `messages_before` and `messages_after` (how many there are
        of each in it: fewer than `window` means that the session begins or ends there). Empty if the message is
        not in this session.
    """
    before, anchor, after = _around(store.reading(), session_id, around_message_id, window)
    return {
        "window": before + anchor + after,
        "messages_before": len(before),
        "messages_after": len(after),
    }


def get_anchored_view(
    store: Store,
    session_id: str,
    around_message_id: int,
    window: int = 5,
    bookend: int = 3,
    keep_roles: Collection[str] | None = TALK,
) -> dict[str, Any]:
    """As `get_messages_around`, with how the session began and how it ended.

    Args:
        bookend: Rows at each end, none of which stands in the window already.
        keep_roles: Only these roles, the message itself apart; None keeps all. The two counts take in every role.

    Returns:
        The keys of `get_messages_around`, and `bookend_start` and `bookend_end`.
    """
    reader = store.reading()
    view = get_messages_around(store, session_id, around_message_id, window)
    if not view["window"]:
        return {**view, "bookend_start": [], "bookend_end": []}
    first, last = view["window"][0]["id"], view["window"][-1]["id"]
    view["window"] = [
        row
        for row in view["window"]
        if keep_roles is None or row["role"] in keep_roles or row["id"] == around_message_id
    ]
    roles = "1" if keep_roles is None else f"role IN ({', '.join('?' * len(keep_roles))})"
    kept = tuple(keep_roles or ())
    # A leading NUL hides encoded content from length(): told by its bytes it is there.
    spoken = f"length(CAST(content AS BLOB)) > 0 AND {roles}"
    start = reader.dicts(
        f"SELECT * FROM messages WHERE session_id = ? AND id < ? AND {spoken} ORDER BY id LIMIT ?",
        (session_id, first, *kept, bookend),
    )
    end = reader.dicts(
        f"SELECT * FROM messages WHERE session_id = ? AND id > ? AND {spoken} ORDER BY id DESC LIMIT ?",
        (session_id, last, *kept, bookend),
    )
    view["bookend_start"] = [decoded(row) for row in start]
    view["bookend_end"] = [decoded(row) for row in reversed(end)]
    return view


def message_count(store: Store, session_id: str | None = None) -> int:
    """How many messages the store, or one session, holds: every row, whatever its state."""
    condition, values = ("1", ()) if session_id is None else ("session_id = ?", (session_id,))
    return int(store.reading().rows(f"SELECT count(*) FROM messages WHERE {condition}", values)[0][0])


def decoded(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `messages` with its content and its tool calls as values."""
    if "content" in row:
        row["content"] = decode(row["content"])
    if row.get("tool_calls"):
        row["tool_calls"] = parsed(row["tool_calls"], [])
    return row


def _around(
    reader: Reading, session_id: str, message_id: int, window: int
) -> tuple[list[dict[str, Any]], ...]:
    def found(condition: str, order: str, limit: int) -> Iterable[dict[str, Any]]:
        rows = reader.dicts(
            f"SELECT * FROM messages WHERE session_id = ? AND id {condition} ? ORDER BY id {order} LIMIT ?",
            (session_id, message_id, limit),
        )
        return map(decoded, rows)

    anchor = list(found("=", "ASC", 1))
    if not anchor:
        return [], [], []
    wide = max(0, window)
    return list(found("<", "DESC", wide))[::-1], anchor, list(found(">", "ASC", wide))
