"""Hits from the full-text index of whole words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.finding import fold, hits
from storage.finding.hits import Hit, Slice
from storage.finding.query import SessionQuery, Term

SLICE = 1_000
"""Hits of one statement: enough for a page of conversations, and a few milliseconds."""

_ENCODED_SLICE = 200
"""Messages of one statement that are read whole; pictures are large."""

_ENCODED = '^"json"'
"""Finds content that is a list of parts: its marker makes it begin with this word, as little else does."""

_GLUE = ("", *"nrtbf", *(f"u{ord(char):04x}" for char in "‘“„«—–…•→（「『【《，。、：；！？\u00a0\u3000"))
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
    found = [hit for hit in (*plain, *encoded) if hit.id >= reached]
    found.sort(key=lambda hit: hit.id, reverse=True)
    return Slice(tuple(found), reached)


def _plain(
    reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel
) -> tuple[list[Hit], int]:
    """Hits in what is stored as it is said, and how far down they were looked for."""
    wanted = " AND ".join(_phrase(" ".join(term.words), term.opens) for term in query.terms)
    # Joined from the left, the index is walked once, newest first, and stops at the limit.
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(found.id, {shown(reader.layout)}, {hits.facts(reader.layout)}))
        FROM (
            SELECT rowid AS id FROM messages_fts
            WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
        ) AS found LEFT JOIN messages m ON m.id = found.id
        """,
        (f"({wanted}) NOT {_ENCODED}", first, before, SLICE),
        cancel,
    )
    lowest = min(row[0] for row in rows) if len(rows) == SLICE else first
    return [hits.hit(values) for _, searched, *values in rows if searched], lowest


def _encoded(
    reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel
) -> tuple[list[Hit], int]:
    """Hits in content that is stored as JSON, and how far down they were looked for.

    The index knows the JSON, its keys and its pictures; what it offers is verified in the decoded text. A word
    glued to an emoji in front of it, or spelt with other accents than typed, is not offered.
    """
    if not reader.rows(
        "SELECT 1 FROM messages_fts WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 LIMIT 1",
        (_ENCODED, first, before),
        cancel,
    ):
        return [], first
    wanted = " AND ".join(
        f"({' OR '.join(spellings)})" for term in query.terms for spellings in _spellings(term)
    )
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(found.id, {shown(reader.layout)},
            json_array({hits.facts(reader.layout)}), json_array({hits.texts(reader.layout)})))
        FROM (
            SELECT rowid AS id FROM messages_fts
            WHERE messages_fts MATCH ?1 AND rowid >= ?2 AND rowid < ?3 ORDER BY rowid DESC LIMIT ?4
        ) AS found LEFT JOIN messages m ON m.id = found.id
        """,
        (f"{_ENCODED} AND {wanted}", first, before, _ENCODED_SLICE),
        cancel,
    )
    lowest = min(row[0] for row in rows) if len(rows) == _ENCODED_SLICE else first
    return [
        hits.hit(facts) for _, searched, facts, texts in rows if searched and hits.found_in(query, texts)
    ], lowest


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
