"""The best few words around a match, for a page of conversations at a time."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from storage.conversation import content, expressions
from storage.engine.connection import Cancel, Reader
from storage.finding.evidence import needle
from storage.finding.hits import facts_of
from storage.finding.query import SessionQuery, merged
from storage.finding.scope import Scope
from storage.readings import ConversationHit, Excerpt

WHOLE = 32_768
"""Bytes up to which a message is read whole; a longer one is read around the first likely match."""

_BEFORE, _WINDOW = 1_000, 4_000
"""Characters of a long message that are read before that place, and in all."""

_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class _Message:
    id: int
    session_id: str
    role: str
    said: str
    """Its decoded content."""
    whole: bool
    """Not only a window in which a match is likely."""


def excerpts(
    reader: Reader, query: SessionQuery, hits: Sequence[ConversationHit], width: int
) -> tuple[Excerpt | None, ...]:
    """An excerpt of each conversation: of its newest matching message that was said, else of its newest one.

    None where only the title or an id matched, or the messages have gone meanwhile.
    """
    if not query.terms or not reader.layout.has("messages", "session_id"):
        return (None,) * len(hits)
    reader.refresh_layout()
    ids = [id_ for hit in hits for id_ in hit.messages]
    said = {id_: said for _, id_, _, said in facts_of(reader, ids, Scope(), Cancel())}
    chosen = [_best([id_ for id_ in hit.messages if id_ in said], said) for hit in hits]
    messages = _messages(reader, query, [id_ for id_ in chosen if id_ is not None])
    return tuple(
        _excerpt(reader, query, messages[id_], width) if id_ is not None and id_ in messages else None
        for id_ in chosen
    )


def _excerpt(reader: Reader, query: SessionQuery, message: _Message, width: int) -> Excerpt | None:
    for text in _texts(reader, message):
        if found := around(query, text, width):
            return Excerpt(*found, message.id, message.session_id, message.role)
    return None


def around(query: SessionQuery, text: str, width: int) -> tuple[str, tuple[tuple[int, int], ...]] | None:
    """About `width` characters where most terms meet, in one line, and the ranges of it that match.

    None where nothing matches.
    """
    by_term = query.spans_by_term(text)
    if not by_term:
        return None
    spans = merged(by_term)
    first = _meeting_place(by_term, spans, width)
    start = _at_a_word(text, min(first - width // 4, len(text) - width), first)
    line, places = _one_line(text, start, width)
    opening = _ELLIPSIS if text[:start].strip() else ""
    closing = _ELLIPSIS if text[start + len(places) :].strip() else ""
    marked = []
    for begin, end in spans:
        begin, end = max(begin, start) - start, min(end - start, len(places))
        if begin < end:
            marked.append((len(opening) + places[begin], len(opening) + places[end - 1] + 1))
    return opening + line + closing, tuple(marked)


def _best(ids: Sequence[int], said: Mapping[int, bool]) -> int | None:
    return next((id_ for id_ in ids if said[id_]), ids[0] if ids else None)


def _messages(reader: Reader, query: SessionQuery, ids: Sequence[int]) -> dict[int, _Message]:
    stored = reader.layout.column("messages", "content", "NULL", "m")
    role = expressions.text(reader.layout.column("messages", "role", "NULL", "m"))
    said = expressions.text(stored)
    # Encoded content (it begins with a control byte) only makes sense whole.
    whole = f"({stored} IS NULL OR {stored} < char(2) OR length(CAST({stored} AS BLOB)) <= {WHOLE})"
    window = f"substr({said}, max(1, instr(lower({said}), ?2) - {_BEFORE}), {_WINDOW})"
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(m.id, {expressions.text("m.session_id")}, coalesce({role}, ''),
            CASE WHEN {whole} THEN {said} ELSE {window} END, {whole}))
        FROM messages m WHERE m.id IN (SELECT value FROM json_each(?1))
        """,
        (json.dumps(ids), needle(query.terms[0])),
    )
    return {
        id_: _Message(id_, session_id, role, content.flatten(said), bool(whole))
        for id_, session_id, role, said, whole in rows
    }


def _texts(reader: Reader, message: _Message) -> Iterator[str]:
    """What is searched of a message, read only as far as it is asked for."""
    yield message.said
    for name in ("tool_calls", "tool_name") if message.whole else ("content", "tool_calls", "tool_name"):
        column = expressions.text(reader.layout.column("messages", name, "NULL", "m"))
        row = reader.one(f"SELECT {column} FROM messages m WHERE m.id = ?1", (message.id,))
        stored = row[0] if row else ""
        if name == "tool_calls":
            # Few look for an id or a key of the call itself, and nobody reads JSON.
            yield content.asked(stored)
            yield content.decoded(stored)
        yield content.flatten(stored)


def _meeting_place(
    by_term: Sequence[Sequence[tuple[int, int]]], spans: Sequence[tuple[int, int]], width: int
) -> int:
    """Where the first match begins that has the most terms in reach behind it."""
    if len(by_term) == 1:
        return spans[0][0]
    reach = width * 2 // 3
    places = [[start for start, _ in own] for own in by_term]

    def terms_from(start: int) -> int:
        return sum(
            1
            for starts in places
            if (at := bisect_left(starts, start)) < len(starts) and starts[at] <= start + reach
        )

    return max((start for start, _ in spans), key=terms_from)


def _at_a_word(text: str, start: int, end: int) -> int:
    """The first beginning of a word in the range; its start where there is none, as in writing without blanks."""
    if start <= 0:
        return 0
    if text[start - 1].isspace():
        return start
    blank = next((place for place in range(start, end) if text[place].isspace()), None)
    return start if blank is None else blank + 1


def _one_line(text: str, start: int, width: int) -> tuple[str, Sequence[int]]:
    """The text from `start` on with single blanks, `width` characters or what there is.

    Returns also where in the line each character of the text stands.
    """
    piece = text[start : start + width]
    neat = " ".join(piece.split())
    if piece in (neat, f"{neat} "):
        # Most lines are as they should be.
        end = _end(piece) if text[start + width :].strip() else len(piece)
        return piece[:end].rstrip(), range(end)
    chars: list[str] = []
    places: list[int] = []
    for char in text[start:]:
        if len(chars) == width:
            break
        if not char.isspace():
            places.append(len(chars))
            chars.append(char)
        elif chars and chars[-1] != " ":
            places.append(len(chars))
            chars.append(" ")
        else:
            places.append(max(0, len(chars) - 1))
    line = "".join(chars)
    if text[start + len(places) :].strip() and (end := _end(line)) < len(line):
        line, places = line[:end], places[: bisect_left(places, end)]
    return line.rstrip(), places


def _end(line: str) -> int:
    """Where to end a line that is cut off: in front of the word that is cut, unless it is most of the line."""
    blank = line.rfind(" ")
    return blank if blank > len(line) * 3 // 4 else len(line)
