"""What was said around single messages that match (spec 4.10)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from storage.conversation import content, expressions
from storage.conversation.stored import decode
from storage.engine.connection import Reader

_LONGEST = 200
"""Characters of each message."""


def add(reader: Reader, found: Sequence[dict[str, Any]], include_inactive: bool) -> None:
    """Give each hit the message before it in its session, itself, and the one after it."""
    if not found:
        return
    layout = reader.layout
    seen = "1" if include_inactive else expressions.visible(layout)

    def neighbour(than: str, order: str) -> str:
        return f"""(SELECT m.id FROM messages m WHERE m.session_id = hit.session_id AND {seen}
            AND (m.timestamp, m.id) {than} (hit.timestamp, hit.id)
            ORDER BY m.timestamp {order}, m.id {order} LIMIT 1)"""

    around: list[list[int]] = reader.json(
        f"""
        SELECT json_group_array(json_array({neighbour("<", "DESC")}, hit.id, {neighbour(">", "ASC")}))
        FROM json_each(?) wanted CROSS JOIN messages hit ON hit.id = wanted.value
        """,
        (json.dumps([hit["id"] for hit in found]),),
    )
    stored = layout.column("messages", "content", "NULL", "m")
    # What is stored as JSON is decoded whole.
    plain = f"typeof({stored}) = 'text' AND {stored} >= char(2)"
    head = f"CASE WHEN {plain} THEN substr({stored}, 1, {_LONGEST}) ELSE {stored} END"
    rows = reader.rows(
        f"SELECT m.id, m.role, {head} FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))",
        (json.dumps([id_ for ids in around for id_ in ids if id_ is not None]),),
    )
    said = {id_: {"role": role, "content": _plain(written)[:_LONGEST]} for id_, role, written in rows}
    contexts = {ids[1]: [dict(said[id_]) for id_ in ids if id_ in said] for ids in around}
    for hit in found:
        hit["context"] = contexts.get(hit["id"], [])


def _plain(stored: object) -> str:
    """The text parts of a message's content, or a word for what has none."""
    value = decode(stored)
    if isinstance(value, list):
        parts = (part.get("text") for part in value if isinstance(part, dict))
        spoken = [part for part in parts if isinstance(part, str) and part]
        return " ".join(spoken) if spoken else "[multimodal content]"
    return content.flatten(stored)
