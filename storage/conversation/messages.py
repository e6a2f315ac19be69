"""The messages of a conversation, as a reader sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from storage.conversation import content, expressions
from storage.conversation.family import readable
from storage.engine.connection import Reader
from storage.engine.layout import Layout
from storage.readings import Message, MessageKind, Transcript

LONGEST = 100_000
"""Characters of one message that are read; more than anybody reads in a terminal."""

_WHOLE = 64 << 20
"""Bytes up to which content that is JSON is read whole: cut, it could not be decoded."""

_SLICE = 16 << 20
"""Bytes stored in the messages that cross at a time: SQLite hands over 1 GB at most, and memory is finite."""

_CALLS = 1_000
"""Calls that are read of tool calls too long to be read whole."""

_LONG = ("content", "tool_calls", "reasoning", "reasoning_content")

_TEXTS = ("role", "tool_name", "finish_reason", "reasoning", "reasoning_content", "display_kind")


class _Place(NamedTuple):
    """Where a message stands: its part, counted from the first one wanted, and its id."""

    part: int
    id: int


def transcript(reader: Reader, parts: Sequence[str], tail: int | None = None) -> Transcript:
    """The visible messages of these sessions, part after part, each in the order of its writing.

    Args:
        tail: Only from the last so many user and assistant messages on; None: all.
    """
    wanted = every = tuple(dict.fromkeys(parts))
    if not reader.layout.has("messages", "session_id"):
        return Transcript(every, (), notes=("This store has no table of messages.",))
    first, earlier = -(1 << 63), 0
    if tail is not None:
        talk = sorted(_talk(reader, wanted))
        earlier = max(0, len(talk) - max(1, tail))
        if earlier:
            part, first = talk[earlier]
            wanted = wanted[part:]
    places, sizes, unnumbered = _places(reader, wanted, first)
    messages = {
        places[row["key"]]: _message(row, wanted[places[row["key"]].part], places[row["key"]].id)
        for keys in _slices(sizes)
        for row in _rows(reader, keys)
    }
    notes = (f"Left out, because their ids are no numbers: {unnumbered} messages.",) if unnumbered else ()
    return Transcript(every, tuple(messages[place] for place in sorted(messages)), earlier, notes)


def shown(layout: Layout, alias: str = "m") -> str:
    """SQL: whether a message is ever shown: visible, and neither scaffolding nor bookkeeping."""
    kind = layout.column("messages", "display_kind", "NULL", alias)
    role = layout.column("messages", "role", "NULL", alias)
    return (
        f"({expressions.visible(layout, alias)} AND {kind} IS NOT 'hidden' AND {role} IS NOT 'session_meta')"
    )


def _talk(reader: Reader, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Part and id of every message that a user or the assistant said, in no order."""
    layout = reader.layout
    said = layout.column("messages", "content", "NULL", "m")
    role = layout.column("messages", "role", "NULL", "m")
    calls = layout.column("messages", "tool_calls", "NULL", "m")
    rows: list[tuple[int, int]] = reader.json(
        f"""
        SELECT json_group_array(json_array(part.key, m.id))
        FROM json_each(?1) part CROSS JOIN messages m ON m.session_id = part.value
        WHERE {role} IN ('user', 'assistant') AND {shown(layout)} AND typeof(m.id) = 'integer'
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


def _places(
    reader: Reader, parts: Sequence[str], first: int
) -> tuple[dict[int, _Place], dict[int, int], int]:
    """Place and bytes of the visible messages of these sessions, by key; of the first one from the id `first` on.

    The part is that of the session that was asked for: what stands in the row itself can differ from it, where an
    index is damaged or session ids are compared without case. Returns also how many have no number for an id.
    """
    layout = reader.layout
    sizes = (
        f"coalesce(length(CAST({layout.column('messages', name, 'NULL', 'm')} AS BLOB)), 0)" for name in _LONG
    )
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(
            m.{layout.key("messages")}, part.key, CASE typeof(m.id) WHEN 'integer' THEN m.id END, {" + ".join(sizes)}))
        FROM json_each(?1) part CROSS JOIN messages m ON m.session_id = part.value
        WHERE {expressions.visible(layout)} AND (part.key > 0 OR coalesce(m.id >= ?2, 1))
        """,
        (json.dumps(parts), first),
    )
    numbered = [row for row in rows if row[2] is not None]
    places = {key: _Place(part, id_) for key, part, id_, _ in numbered}
    return places, {key: size for key, _, _, size in numbered}, len(rows) - len(numbered)


def _slices(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """The keys, in stretches of about _SLICE bytes."""
    keys: list[int] = []
    total = 0
    for key, size in sizes.items():
        if keys and total + size > _SLICE:
            yield keys
            keys, total = [], 0
        keys.append(key)
        total += size
    if keys:
        yield keys


def _rows(reader: Reader, keys: Sequence[int]) -> list[dict[str, Any]]:
    """The rows with these keys, in no order.

    They cross as one row: fetched one by one they wait for the interpreter each time.
    """
    layout = reader.layout

    def column(name: str) -> str:
        return layout.column("messages", name, "NULL", "m")

    key = f"m.{layout.key('messages')}"
    # Encoded content (it begins with a control byte) only makes sense whole.
    limit = (
        f"CASE WHEN substr(CAST({column('content')} AS BLOB), 1, 1) <= x'01' THEN {_WHOLE} ELSE {LONGEST} END"
    )
    columns = {
        "key": key,
        "content": _beginning(column("content"), limit),
        "cut": _left_out(column("content"), limit),
        "tool_calls": _calls(column("tool_calls")),
        "timestamp": expressions.number(column("timestamp")),
        "compacted": f"{layout.column('messages', 'active', '1', 'm')} IS 0",
        "summary": f"{layout.column('messages', '_compressed_summary', '0', 'm')} IS 1",
        **{name: _beginning(column(name), str(LONGEST)) for name in _TEXTS},
    }
    rows: list[dict[str, Any]] = reader.json(
        f"""
        SELECT json_group_array(json_object({", ".join(f"'{name}', {sql}" for name, sql in columns.items())}))
        FROM json_each(?1) wanted CROSS JOIN messages m ON {key} = wanted.value
        """,
        (json.dumps(keys),),
    )
    return rows


def _beginning(sql: str, limit: str) -> str:
    """SQL: the value as text; what has more than `limit` bytes, only the first LONGEST characters of it."""
    # SQLite's string functions stop at a NUL, its blob functions do not.
    return f"""CASE WHEN length(CAST({sql} AS BLOB)) > {limit} THEN
        CASE WHEN instr(CAST({sql} AS BLOB), x'00') THEN {expressions.head(sql, LONGEST)}
            ELSE substr({expressions.text(sql)}, 1, {LONGEST}) END
        ELSE {expressions.text(sql)} END"""


def _left_out(sql: str, limit: str) -> str:
    """SQL: how many characters `_beginning` leaves out; bytes where there is a NUL among them."""
    return f"""CASE WHEN length(CAST({sql} AS BLOB)) > {limit} THEN max(0, -{LONGEST} +
        CASE WHEN instr(CAST({sql} AS BLOB), x'00') THEN length(CAST({sql} AS BLOB))
            ELSE length({expressions.text(sql)}) END) ELSE 0 END"""


def _calls(sql: str) -> str:
    """SQL: tool calls as text; of what is longer than LONGEST, each call with the beginning of its arguments."""
    text = expressions.text(sql)
    named = "json_extract(call.value, '$.function.name'), json_extract(call.value, '$.name')"
    given = ", ".join(
        f"json_extract(call.value, '$.{place}')"
        for place in ("function.arguments", "function.input", "arguments", "input")
    )
    share = f"{LONGEST} / max(1, min({_CALLS}, json_array_length({text})))"
    # What is no subquery's but plain text again would else be put into the row as JSON.
    return f"""CASE WHEN length(CAST({sql} AS BLOB)) BETWEEN {LONGEST + 1} AND {_WHOLE} AND json_valid({text}) THEN
        '' || (SELECT json_group_array(json_object('name', substr(name, 1, 200), 'arguments', arguments)) FROM (
            SELECT coalesce({named}) AS name, substr(coalesce({given}, ''), 1, {share}) AS arguments
            FROM json_each(CASE json_type({text}) WHEN 'array' THEN {text} ELSE json_array(json({text})) END) call
            WHERE call.type = 'object' LIMIT {_CALLS}))
        ELSE {_beginning(sql, str(LONGEST))} END"""


def _message(row: dict[str, Any], session_id: str, id_: int) -> Message:
    text = content.flatten(row["content"])
    calls = content.tool_calls(row["tool_calls"])
    if not text and not calls:
        text = row["tool_calls"] or ""
    return Message(
        id=id_,
        session_id=session_id,
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
