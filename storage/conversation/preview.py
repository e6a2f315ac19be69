"""What a conversation is about: the user's own first words (product: Preview)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from storage.conversation.content import flatten, is_encoded, is_summary
from storage.conversation.expressions import head, visible
from storage.engine.connection import Reader
from storage.engine.layout import Layout

LENGTH = 100
"""Characters of a preview, without the ellipsis of a cut one."""

_HEAD = 800
"""Bytes that are read of a plain message: enough for LENGTH characters of any script and some blanks."""

_FIRST_LOOK, _LAST_LOOK = 3, 3000
"""User messages that are read of a part at first, and before the next part is tried at the latest."""

_ATTACHED = re.compile(r"^(?:\s*\[(?:image|audio|video|file)\])+")
"""What a picture or the like before the words became; words are wanted, so a picture alone says nothing."""

# Encoded content (it begins with a control byte) only makes sense whole.
_OPENINGS = """SELECT json_group_array(json((
    SELECT json_group_array(opening) FROM (
        SELECT CASE WHEN substr(CAST(m.content AS BLOB), 1, 1) <= x'01'
            THEN CAST(m.content AS TEXT) ELSE {head} END AS opening
        FROM messages m WHERE m.session_id = wanted.value AND {own} ORDER BY {order} LIMIT ?2))))
    FROM json_each(?1) wanted"""


def previews(reader: Reader, conversations: Sequence[Sequence[str]]) -> list[str]:
    """The first words of each conversation, given by its session ids in order; "" where the user said nothing.

    One line with single blanks, at most LENGTH characters and an ellipsis. Unsafe to print.
    """
    words = [""] * len(conversations)
    if not {"session_id", "role", "content"} <= reader.layout.columns.get("messages", frozenset()):
        return words
    waiting = {place: list(parts) for place, parts in enumerate(conversations) if parts}
    count = _FIRST_LOOK
    while waiting:
        read = _openings(reader, [parts[0] for parts in waiting.values()], count)
        unread: dict[int, list[str]] = {}
        look_deeper = False
        for (place, parts), contents in zip(waiting.items(), read, strict=True):
            words[place] = next(filter(None, map(_own_words, contents)), "")
            if words[place]:
                continue
            if len(contents) == count < _LAST_LOOK:
                unread[place] = parts
                look_deeper = True
            elif len(parts) > 1:
                unread[place] = parts[1:]
        waiting = unread
        if look_deeper:
            count *= 10
    return words


def _openings(reader: Reader, session_ids: Sequence[str], count: int) -> list[list[str | None]]:
    """The beginnings of the first `count` user messages of each session."""
    layout = reader.layout
    sql = _OPENINGS.format(head=head("m.content", _HEAD), own=_own(layout), order=_order(layout))
    openings: list[list[str | None]] = reader.json(sql, [json.dumps(list(session_ids)), count])
    return openings


def _own(layout: Layout) -> str:
    """What a user wrote and did not take back: no summary, no scaffolding."""
    summary = layout.column("messages", "_compressed_summary", "0", "m")
    display = layout.column("messages", "display_kind", "NULL", "m")
    return f"m.role = 'user' AND {visible(layout)} AND {summary} IS NOT 1 AND {display} IS NOT 'hidden'"


def _order(layout: Layout) -> str:
    # By time first: the index then finds the first messages without sorting the session.
    return "m.timestamp, m.id" if layout.has("messages", "timestamp") else "m.id"


def _own_words(content: str | None) -> str:
    text = flatten(content)
    if is_encoded(content):
        text = _ATTACHED.sub("", text)
    if is_summary(text.lstrip()):
        return ""
    line = " ".join(text[: 40 * LENGTH].split())
    return line if len(line) <= LENGTH else line[:LENGTH].rstrip() + "…"
