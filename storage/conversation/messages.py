"""The messages of a conversation, as a reader sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from storage.conversation import content, expressions
from storage.conversation.family import readable
from storage.engine.connection import Reader
from storage.engine.layout import Layout
from storage.records import Message, MessageKind, Transcript

LONGEST = 100_000
"""Characters of one message that are read; more than anybody reads in a terminal."""

_TEXTS = (
    "role",
    "tool_calls",
    "tool_name",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "display_kind",
)


def transcript(reader: Reader, parts: Sequence[str], tail: int | None = None) -> Transcript:
    """The visible messages of these sessions, part after part, each in the order of its writing.

    Args:
        tail: Only from the last so many user and assistant messages on; None: all.
    """
    order = {part: place for place, part in enumerate(dict.fromkeys(parts))}
    if not reader.layout.has("messages", "session_id"):
        return Transcript(tuple(order), (), notes=("This store has no table of messages.",))
    wanted, first, earlier = list(order), 0, 0
    if tail is not None:
        talk = sorted(_talk(reader, wanted), key=lambda row: (order[row[0]], row[1]))
        earlier = max(0, len(talk) - max(1, tail))
        if earlier:
            part, first = talk[earlier]
            wanted = wanted[order[part] :]
    messages = [_message(row) for row in _rows(reader, wanted, first)]
    messages.sort(key=lambda message: (order[message.session_id], message.id))
    return Transcript(tuple(order), tuple(messages), earlier)


def shown(layout: Layout, alias: str = "m") -> str:
    """SQL: whether a message is ever shown: visible, and neither scaffolding nor bookkeeping."""
    kind = layout.column("messages", "display_kind", "NULL", alias)
    role = layout.column("messages", "role", "NULL", alias)
    return (
        f"({expressions.visible(layout, alias)} AND {kind} IS NOT 'hidden' AND {role} IS NOT 'session_meta')"
    )


def _talk(reader: Reader, parts: Sequence[str]) -> list[tuple[str, int]]:
    """Session and id of every message that a user or the assistant said, in no order."""
    layout = reader.layout
    said = layout.column("messages", "content", "NULL", "m")
    role = layout.column("messages", "role", "NULL", "m")
    calls = layout.column("messages", "tool_calls", "NULL", "m")
    rows: list[tuple[str, int]] = reader.json(
        f"""
        SELECT json_group_array(json_array(m.session_id, m.id)) FROM messages m
        WHERE m.session_id IN (SELECT value FROM json_each(?1))
          AND {role} IN ('user', 'assistant') AND {shown(layout)}
          AND ({said} <> '' OR {calls} <> '') AND NOT {_is_summary(layout)}
        """,
        (json.dumps(parts),),
    )
    return rows


def _is_summary(layout: Layout) -> str:
    said = layout.column("messages", "content", "NULL", "m")
    role = layout.column("messages", "role", "NULL", "m")
    flag = layout.column("messages", "_compressed_summary", "0", "m")
    opens = " OR ".join(
        f"substr({said}, 1, {len(opening)}) = '{opening}'" for opening in content.SUMMARY_OPENINGS
    )
    return f"(coalesce({flag}, 0) = 1 OR ({role} = 'user' AND coalesce({opens}, 0)))"


def _rows(reader: Reader, parts: Sequence[str], first: int) -> list[dict[str, Any]]:
    """The rows of these sessions, of the first one from the id `first` on, in no order.

    They cross as one row: fetched one by one they wait for the interpreter each time.
    """
    layout = reader.layout
    # Nothing but a very long text is taken to pieces: SQLite's string functions stop at a NUL.
    said = expressions.text(layout.column("messages", "content", "NULL", "m"))
    columns = {
        "id": "m.id",
        "session_id": "m.session_id",
        "content": f"CASE WHEN length({said}) > {LONGEST} THEN substr({said}, 1, {LONGEST}) ELSE {said} END",
        "cut": f"max(0, coalesce(length({said}), 0) - {LONGEST})",
        "timestamp": expressions.number(layout.column("messages", "timestamp", "NULL", "m")),
        "compacted": f"{layout.column('messages', 'active', '1', 'm')} IS 0",
        "summary": f"{layout.column('messages', '_compressed_summary', '0', 'm')} IS 1",
    }
    for name in _TEXTS:
        columns[name] = expressions.text(layout.column("messages", name, "NULL", "m"))
    rows: list[dict[str, Any]] = reader.json(
        f"""
        SELECT json_group_array(json_object({", ".join(f"'{name}', {sql}" for name, sql in columns.items())}))
        FROM messages m
        WHERE m.session_id IN (SELECT value FROM json_each(?1)) AND {expressions.visible(layout)}
          AND (m.id >= ?2 OR m.session_id <> ?3)
        """,
        (json.dumps(parts), first, parts[0] if parts else ""),
    )
    return rows


def _message(row: dict[str, Any]) -> Message:
    text = content.flatten(row["content"])
    calls = content.tool_calls(row["tool_calls"])
    if not text and not calls:
        text = row["tool_calls"] or ""
    return Message(
        id=row["id"],
        session_id=row["session_id"],
        role=row["role"] or "",
        text=text[:LONGEST],
        timestamp=readable(row["timestamp"]),
        tool_calls=calls,
        tool_name=row["tool_name"] or "",
        finish_reason=row["finish_reason"] or "",
        reasoning=row["reasoning"] or row["reasoning_content"] or "",
        compacted=bool(row["compacted"]),
        kind=_kind(row, text),
        cut=row["cut"] + max(0, len(text) - LONGEST),
    )


def _kind(row: dict[str, Any], text: str) -> MessageKind:
    if row["role"] == "session_meta":
        return MessageKind.BOOKKEEPING
    if row["display_kind"] == "hidden":
        return MessageKind.SCAFFOLDING
    if row["summary"] or (row["role"] == "user" and content.is_summary(text)):
        return MessageKind.SUMMARY
    return MessageKind.MESSAGE
