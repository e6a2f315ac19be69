"""What every way of finding messages hands over: hits, a slice of the store at a time, newest first."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from storage.conversation import content, expressions
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.errors import TooLarge
from storage.finding import evidence, fold
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope

_SHORT = 16 << 10
"""Bytes of a message that are read with all others of its slice."""

_ALONE = "\x03"
"""Stands before the size of a message that is read alone."""

_TOGETHER = 16 << 20
"""Bytes of longer messages that are read together: SQLite hands over 1 GB at most, and memory is finite."""

_KEPT = 20_000
"""Messages of which the Facts are kept, or as many as were asked for together."""


@dataclass(frozen=True, slots=True)
class Hits:
    """The messages of one session that match, within a slice."""

    session_id: str
    ids: tuple[int, ...]
    """Newest first."""
    time: float | None
    """Of the newest one in Unix seconds, where the store holds a sane number."""
    said: int | None
    """The newest one that is a user's or the assistant's, not a tool's."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The hits among the messages from `lowest` up to where the slice began."""

    hits: tuple[Hits, ...]
    """By their newest message, newest first."""
    lowest: int
    scanned: int = 0
    """Messages that were looked at one by one."""


class Route(Protocol):
    """A way to find the hits in the scope among the messages of these ids, a slice at a time from the top."""

    def __call__(
        self, reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel, /
    ) -> Slice: ...


Facts = tuple[str, int, float | None, bool]
"""Session, id, time and whether it was said, of one message that matches."""


def facts(layout: Layout) -> str:
    """SQL: a JSON array of the Facts of the message `m`."""
    return f"json_array({expressions.text('m.session_id')}, m.id, {time(layout)}, {said(layout)})"


def time(layout: Layout) -> str:
    """SQL: the time of the message `m`."""
    return expressions.number(layout.column("messages", "timestamp", "NULL", "m"))


def said(layout: Layout) -> str:
    """SQL: whether a user or the assistant said the message `m`."""
    return f"coalesce({layout.column('messages', 'role', 'NULL', 'm')} IN ('user', 'assistant'), 0)"


def texts(layout: Layout) -> str:
    """SQL: a JSON array of what is searched of the message `m`."""
    columns = (
        layout.column("messages", name, "NULL", "m") for name in ("content", "tool_name", "tool_calls")
    )
    return f"json_array({', '.join(map(expressions.text, columns))})"


def verified(
    reader: Reader,
    query: SessionQuery,
    scope: Scope,
    among: str,
    values: Iterable[Any],
    cancel: Cancel,
    *,
    sifted: bool = True,
) -> tuple[Hits, ...]:
    """The hits among the messages `m` of which this SQL holds; what SQL cannot tell, Python looks at.

    Args:
        sifted: What cannot match is left out first: not worth it where most of them do.
    """
    layout = reader.layout
    likely, needles = evidence.may_match(layout, query) if sifted else ("1", [])
    sure, words = evidence.surely_matches(layout, query)
    size = _size(layout)
    at_once = f"""WHEN {_is_plain(layout)} AND NOT {evidence.hides(layout)} AND {size} <= {_SHORT}
        THEN {_as_one(layout)}"""
    if not query.is_of_lone_words:
        at_once = ""
    # All in one column: SQLite would weigh each message anew for every other one that asks for it.
    row = reader.one(
        f"""
        SELECT json_group_array(m.id), CAST(group_concat(
            CASE WHEN {sure} THEN '' {at_once} ELSE '{_ALONE}' || ({size}) END, '{fold.APART}') AS BLOB)
        FROM messages m WHERE {among} AND {shown(layout)} AND {scope.condition} AND {likely}
        """,
        (*words, *values, *scope.values, *needles),
        cancel,
    )
    ids, told = row or ("[]", None)
    matching, alone = _told(reader, query, json.loads(ids), told or b"", cancel)
    for some in _stretches(alone):
        matching += (id_ for id_, own in _texts_of(reader, some, cancel) if found_in(query, own))
    return gathered(reader, matching, Scope(), cancel)


def _told(
    reader: Reader, query: SessionQuery, ids: list[int], told: bytes, cancel: Cancel
) -> tuple[list[int], list[tuple[int, int]]]:
    """The messages that match by what was told of them; those that are to be read alone, and their bytes."""
    texts = told.split(fold.APART.encode())
    if not ids or len(texts) != len(ids):
        return [], _sized(reader, ids, cancel)
    alone: list[tuple[int, int]] = []
    if (mark := _ALONE.encode()) in told:
        alone = [(id_, int(text[1:])) for id_, text in zip(ids, texts, strict=True) if text[:1] == mark]
        texts = [text if text[:1] != mark else mark for text in texts]
    if len(alone) + texts.count(b"") == len(ids):
        return [id_ for id_, text in zip(ids, texts, strict=True) if not text], alone
    holding = zip(ids, texts, query.holding(texts), strict=True)
    return [id_ for id_, text, holds in holding if not text or (holds and text != mark)], alone


def _sized(reader: Reader, ids: list[int], cancel: Cancel) -> list[tuple[int, int]]:
    """These messages and their bytes: where a text of them holds what was put between two texts."""
    if not ids:
        return []
    sizes: list[tuple[int, int]] = reader.json(
        f"""SELECT json_group_array(json_array(m.id, {_size(reader.layout)}))
        FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))""",
        (json.dumps(ids),),
        cancel,
    )
    return sizes


def gathered(reader: Reader, ids: Iterable[int], scope: Scope, cancel: Cancel) -> tuple[Hits, ...]:
    """Those of these messages that are shown and in the scope, of different ids in any order."""
    sessions: defaultdict[str, list[Facts]] = defaultdict(list)
    for row in facts_of(reader, sorted(ids, reverse=True), scope, cancel):
        sessions[row[0]].append(row)
    return tuple(
        Hits(
            session, tuple([row[1] for row in own]), own[0][2], next((row[1] for row in own if row[3]), None)
        )
        for session, own in sessions.items()
    )


def facts_of(reader: Reader, ids: Sequence[int], scope: Scope, cancel: Cancel) -> Iterable[Facts]:
    """The Facts of those of these messages that are shown and in the scope, in the order of the ids."""
    if scope.condition != "1":
        return _read_facts(reader, ids, scope, cancel)
    # From one key to the next it is mostly the same messages that match.
    known: dict[int, Facts | tuple[()]] = reader.learned("facts of messages", dict)
    found = list(map(known.get, ids))
    if None in found:
        unknown = [id_ for id_, row in zip(ids, found, strict=True) if row is None]
        read = dict.fromkeys(unknown, ()) | {
            row[1]: row for row in _read_facts(reader, unknown, scope, cancel)
        }
        found = [row if row is not None else read[id_] for id_, row in zip(ids, found, strict=True)]
        if len(known) + len(read) > _KEPT:
            known.clear()
        known.update(read)
    return [row for row in found if row]


def _read_facts(reader: Reader, ids: Sequence[int], scope: Scope, cancel: Cancel) -> list[Facts]:
    layout = reader.layout
    found: list[Facts] = reader.json(
        f"""SELECT json_group_array({facts(layout)})
        FROM json_each(?) AS wanted CROSS JOIN messages m ON m.id = wanted.value
        WHERE {shown(layout)} AND {scope.condition}""",
        (json.dumps(ids), *scope.values),
        cancel,
    )
    return found


def _is_plain(layout: Layout) -> str:
    """SQL: whether the message `m` is stored as it reads, and begins with nothing that means something here."""
    stored = layout.column("messages", "content", "NULL", "m")
    return f"({stored} IS NULL OR typeof({stored}) = 'text' AND {stored} >= char(9))"


def _as_one(layout: Layout) -> str:
    """SQL: what is searched of a plain message `m`, with blanks between."""
    said, *of_tools = (expressions.text(column) for column in evidence.searched(layout))
    spaced = " || ".join(f"coalesce(' ' || {column}, '')" for column in of_tools)
    # Each blank is a copy, and most messages are of no tool.
    no_tool = " AND ".join(f"{column} IS NULL" for column in of_tools)
    return f"coalesce({said}, ' ') || CASE WHEN {no_tool} THEN '' ELSE {spaced} END"


def _stretches(sizes: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """The ids, in stretches of about _TOGETHER bytes."""
    some: list[int] = []
    total = 0
    for id_, size in sizes:
        if some and total + size > _TOGETHER:
            yield some
            some, total = [], 0
        some.append(id_)
        total += size
    if some:
        yield some


def _texts_of(reader: Reader, ids: Sequence[int], cancel: Cancel) -> list[tuple[int, list[str | None]]]:
    """Id and `texts` of these messages; one that SQLite cannot hand over by itself is left out."""
    try:
        rows: list[tuple[int, list[str | None]]] = reader.json(
            f"""SELECT json_group_array(json_array(m.id, {texts(reader.layout)}))
            FROM messages m WHERE m.id IN (SELECT value FROM json_each(?))""",
            (json.dumps(ids),),
            cancel,
        )
    except TooLarge:
        # JSON escapes some of it: it can be more than was counted.
        half = len(ids) // 2
        return [row for some in (ids[:half], ids[half:]) if half for row in _texts_of(reader, some, cancel)]
    return rows


def _size(layout: Layout) -> str:
    """SQL: the bytes of what is searched of the message `m`."""
    columns = evidence.searched(layout)
    return " + ".join(f"coalesce(length(CAST({column} AS BLOB)), 0)" for column in columns)


def found_in(query: SessionQuery, texts: list[str | None]) -> bool:
    """Whether a message with these `texts` matches: by its decoded content, its tool name or its tool calls."""
    return query.matches(*content.searched(*texts))
