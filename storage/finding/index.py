"""Hits from the full-text index of whole words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from storage.conversation import expressions
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.finding import fold, hits
from storage.finding.hits import Hits, Slice
from storage.finding.query import SessionQuery, Term

SLICE = 1_000
"""Hits of one statement: enough for a page of conversations, and a few milliseconds."""

_ENCODED_SLICE = 200
"""Messages of one statement that are read whole; pictures are large."""

_ENCODED = '^"json"'
"""Finds content that is a list of parts: its marker makes it begin with this word, as little else does."""

_SIEVED = 16
"""Words, each in all its spellings, that are looked for there; all are verified."""

_PUNCTUATION = "‘’“”„‚«»‹›–—―…•·¿¡→（）「」『』【】《》〈〉，。、：；！？～\u00a0\u200b\u3000"

_GLUE = ("", *"nrtbf", *(f"u{ord(char):04x}" for char in _PUNCTUATION))
"""What JSON's escapes leave in front of a word: the index knows `\\nword` as "nword"."""

_WORD = re.compile(f"[^{fold.GAP}]+")


def read(reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel) -> Slice:
    """A Route by `messages_fts`.

    Raises:
        IndexDamaged: The index cannot be used.
        Interrupted: `cancel` was cancelled.
    """
    plain, lowest = _plain(reader, query, first, before, cancel)
    encoded, reached = _encoded(reader, query, lowest, before, cancel)
    if reached > lowest:
        plain, _ = _plain(reader, query, reached, before, cancel)
    return Slice(tuple(sorted((*plain, *encoded), key=lambda hit: hit.ids[0], reverse=True)), reached)


def _plain(
    reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel
) -> tuple[list[Hits], int]:
    """Hits in what is stored as it is said, and how far down they were looked for."""
    wanted = " AND ".join(_phrase(" ".join(term.words), term.opens) for term in query.terms)
    # What nobody is shown makes groups as well: the walk must know how far it came.
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(session, shown, ids, said, time)) FROM (
            SELECT {expressions.text("m.session_id")} AS session, {shown(reader.layout)} AS shown,
                group_concat(found.id) AS ids,
                group_concat(CASE WHEN {hits.said(reader.layout)} THEN found.id END) AS said,
                {hits.time(reader.layout)} AS time, max(found.id)
            FROM (
                SELECT rowid AS id FROM messages_fts
                WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
            ) AS found LEFT JOIN messages m ON m.id = found.id
            GROUP BY 1, 2)
        """,
        (f"({wanted}) NOT {_ENCODED}", first, before, SLICE),
        cancel,
    )
    found = [
        (Hits(session, _ids(ids), time, max(_ids(said), default=None)), shown)
        for session, shown, ids, said, time in rows
    ]
    walked = sum(len(hit.ids) for hit, _ in found)
    lowest = min(hit.ids[-1] for hit, _ in found) if walked == SLICE else first
    return [hit for hit, shown in found if shown], lowest


def _encoded(
    reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel
) -> tuple[tuple[Hits, ...], int]:
    """Hits in content that is stored as JSON, and how far down they were looked for.

    The index knows the JSON, its keys and its pictures; what it offers is verified in the decoded text. A word
    glued to a rare sign or an emoji in front of it, or spelt with other accents than typed, is not offered.
    """
    if not reader.rows(
        "SELECT 1 FROM messages_fts WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 LIMIT 1",
        (_ENCODED, first, before),
        cancel,
    ):
        return (), first
    words = (spellings for term in query.terms for spellings in _spellings(term))
    wanted = " AND ".join(f"({' OR '.join(spellings)})" for spellings in islice(words, _SIEVED))
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(
            found.id, {shown(reader.layout)}, {hits.facts(reader.layout)}, {hits.texts(reader.layout)}))
        FROM (
            SELECT rowid AS id FROM messages_fts
            WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
        ) AS found LEFT JOIN messages m ON m.id = found.id
        """,
        (f"{_ENCODED} AND {wanted}", first, before, _ENCODED_SLICE),
        cancel,
    )
    lowest = min(row[0] for row in rows) if len(rows) == _ENCODED_SLICE else first
    verified = (facts for _, shown, facts, texts in rows if shown and hits.found_in(query, texts))
    return hits.by_session(verified), lowest


def _ids(joined: str | None) -> tuple[int, ...]:
    return tuple(sorted(map(int, joined.split(",")), reverse=True)) if joined else ()


def _phrase(text: str, opens: bool) -> str:
    return f'"{text}" *' if opens else f'"{text}"'


def _spellings(term: Term) -> Iterator[set[str]]:
    """How each word of the term may stand in JSON that keeps to ASCII, as phrases of the index."""
    folded = fold.fold(term.text)
    written = [term.text[slice(*folded.span(*word.span()))] for word in _WORD.finditer(folded.text)]
    for place, (word, as_typed) in enumerate(zip(term.words, written, strict=True), start=1):
        opens = term.opens and place == len(written)
        cases = (as_typed, as_typed.lower(), as_typed.upper(), as_typed.capitalize())
        escaped = [] if as_typed.isascii() else [json.dumps(case)[1:-1] for case in cases]
        yield {_phrase(glue + spelling, opens) for spelling in (word, *escaped) for glue in _GLUE}
