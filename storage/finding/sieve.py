"""Hits by way of candidates: what the indexes offer is looked at, for it is more than what matches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from storage.engine.connection import Cancel, Reader
from storage.finding import hits, trigrams, vocabulary
from storage.finding.evidence import Evidence
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery, Term
from storage.finding.scope import Ids, Scope, between
from storage.finding.standing import ENCODED, standing

SLICE = 1_000
"""Candidates of one statement."""

ENCODED_SLICE = 200
"""The same for content that is stored as JSON, and read whole: pictures are large."""

_SIEVED = 16
"""Words, each in all its spellings, that are looked for there."""

_GLUE = ("", *"nrtbf")
"""What JSON's escapes of one letter leave in front of a word: the index knows `\\nword` as "nword"."""


@dataclass(frozen=True, slots=True)
class Sieve:
    """A full-text query, and how many of its rows are looked at together."""

    table: str
    match: str
    size: int = SLICE

    @property
    def condition(self) -> Evidence:
        """SQL: whether it offers the message `m`."""
        return f"m.id IN (SELECT rowid FROM {self.table} WHERE {self.table} MATCH ?)", [self.match]


@dataclass(frozen=True, slots=True)
class Listed:
    """The rows of an index that a query for it would find, the newest first, and how many are looked at together."""

    ids: tuple[int, ...]
    size: int = SLICE

    @property
    def condition(self) -> Evidence:
        """SQL: whether it offers the message `m`."""
        return "m.id IN (SELECT value FROM json_each(?))", [json.dumps(self.ids)]

    def within(self, scope: Scope, wanted: Ids) -> tuple[int, ...]:
        """Those that count, in the same order."""
        if scope.own is None:
            return between(self.ids, wanted)[: scope.paced(self.size)]
        own = set(scope.own)
        return tuple(id_ for id_ in between(self.ids, wanted) if id_ in own)


@dataclass(frozen=True, slots=True)
class Sieved:
    """A Route by indexes which together offer every message that can match."""

    sieves: tuple[Sieve | Listed, ...]

    def __call__(
        self, reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel, /
    ) -> Slice:
        offered, lowest = offers(reader, self.sieves, scope, wanted, cancel)
        return Slice(hits.verified(reader, query, scope, *listed(offered), cancel), lowest)


def offers(
    reader: Reader, sieves: Sequence[Sieve | Listed], scope: Scope, wanted: Ids, cancel: Cancel
) -> tuple[set[int], int]:
    """The newest of these messages that any of them finds, and how far down there are no others."""
    if not sieves:
        return set(), wanted.first
    listed = [own for own in sieves if isinstance(own, Listed)]
    asked = [own for own in sieves if isinstance(own, Sieve)]
    found = [(own.size, list(own.within(scope, wanted))) for own in listed]
    if asked:
        sizes = (own.size for own in asked)
        found += zip(sizes, _found_by(reader, asked, scope, wanted, cancel), strict=True)
    reached = [wanted.first]
    for size, ids in found:
        if len(ids) >= scope.paced(size) and not scope.is_small:
            reached.append(min(ids))
    lowest = max(reached)
    return {id_ for _, ids in found for id_ in ids if id_ >= lowest}, lowest


def _found_by(
    reader: Reader, sieves: Sequence[Sieve], scope: Scope, wanted: Ids, cancel: Cancel
) -> list[list[int]]:
    found: list[list[int]] = reader.json(
        "SELECT json_array("
        + ", ".join(
            f"(SELECT json_group_array(id) FROM ({scope.matched(own.table, wanted, scope.paced(own.size))}))"
            for own in sieves
        )
        + ")",
        [own.match for own in sieves],
        cancel,
    )
    return found


def listed(ids: Iterable[int]) -> tuple[str, tuple[str]]:
    """SQL that holds for the messages `m` with these ids, and its parameter."""
    return "m.id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)


def of_words(query: SessionQuery) -> str:
    """MATCH for the index of words: the alternatives that are words alone."""
    alternatives = [terms for terms in query.alternatives if all(term.words for term in terms)]
    return " OR ".join(f"({' AND '.join(map(_phrase_of, terms))})" for terms in alternatives)


def encoded(reader: Reader, query: SessionQuery, cancel: Cancel) -> tuple[Sieve, ...]:
    """Content that is stored as JSON, if there is any.

    The index knows the JSON, its keys and its pictures, and no escaped text as it reads: what it offers is looked at
    in the decoded text. Not offered is a word spelt with other accents than typed; and of JSON that is not in ASCII,
    which no Hermes writes, a word glued to CJK, and CJK but from the beginning of its run: the trigrams end at the
    NUL of the marker.
    """
    known = standing(reader)
    if not known.has_encoded:
        return ()
    escapes = vocabulary.behind_escapes(reader, known.escaped, _heads(query), cancel)
    offered = []
    for terms in query.alternatives:
        spelt = (spellings for term in terms for spellings in _spellings(term, escapes))
        offered.append(" AND ".join(f"({' OR '.join(sorted(own))})" for own in islice(spelt, _SIEVED)))
    wanted = " OR ".join(f"({own})" for own in offered)
    match = f"{ENCODED} AND ({wanted})" if all(offered) else ENCODED
    return (Sieve("messages_fts", match, ENCODED_SLICE),)


def glued(query: SessionQuery) -> Sieve | None:
    """Words as parts of what the index of words takes for a longer one; None where all of them are too short."""
    offered = []
    for terms in query.alternatives:
        if all(term.words for term in terms):
            known = dict.fromkeys(word for term in terms for word in trigrams.words_within(term))
            offered.append(" AND ".join(map(trigrams.ends, islice(known, _SIEVED))))
    match = " OR ".join(f"({own})" for own in offered if own)
    return Sieve("messages_fts_trigram", match, 3 * SLICE) if match else None


def _phrase_of(term: Term) -> str:
    return _phrase(" ".join(term.words), term.opens)


def _phrase(text: str, opens: bool) -> str:
    return f'"{text}" *' if opens else f'"{text}"'


def _spellings(term: Term, escapes: Mapping[str, Sequence[str]]) -> Iterator[set[str]]:
    """How each word of the term may stand in JSON that keeps to ASCII, as phrases of the index."""
    if not term.words:
        wide = max(re.split(r"[\x00-\x7f]+", trigrams.longest(term)), key=len)
        if wide:
            yield {_phrase(trigrams.escaped(wide), True), _phrase(wide, True)}
        return
    for place, spellings in enumerate(_spelt(term), start=1):
        opens = term.opens and place == len(term.words)
        yield {
            _phrase(glue + spelling, opens)
            for spelling in spellings
            for glue in (*_GLUE, *escapes.get(_head(spelling), ()))
        }


def _spelt(term: Term) -> Iterator[set[str]]:
    """Each word of the term as it is folded, and in JSON in the cases in which it is likely to stand there."""
    for word, as_typed in zip(term.words, term.written, strict=True):
        cases = (as_typed, as_typed.lower(), as_typed.upper(), as_typed.capitalize())
        yield {word, *(() if as_typed.isascii() else (json.dumps(case)[1:-1] for case in cases))}


def _head(spelling: str) -> str:
    """What stands of it in one word with an escape in front of it."""
    return spelling.partition("\\")[0].lower()


def _heads(query: SessionQuery) -> set[str]:
    spelt = islice((own for term in query.terms for own in _spelt(term)), _SIEVED)
    return {head for own in spelt for spelling in own if (head := _head(spelling))}
