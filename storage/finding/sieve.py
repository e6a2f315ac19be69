"""Hits by way of candidates: what the indexes offer is looked at, for it is more than what matches."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from storage.engine.connection import Cancel, Reader
from storage.finding import hits, spellings, trigrams, vocabulary
from storage.finding.evidence import Evidence
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery, Term
from storage.finding.scope import Ids, Scope, between
from storage.finding.spellings import Escapes
from storage.finding.standing import ENCODED, Standing, standing

SLICE = 1_000
"""Candidates of one statement."""

ENCODED_SLICE = 200
"""The same for content that is stored as JSON, and read whole: pictures are large."""

_SIEVED = 16
"""Words, each in all its spellings, that are looked for there."""

MOST_WORDS = 32
"""Words that are looked for in every spelling of JSON that tool calls may have."""

_LONGEST = 64
"""Characters of a word of which every spelling is looked for."""

_CALL = '("arguments" OR "input")'
"""Finds tool calls where the index does not tell them from the rest: one of these keys is in each."""


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

    @property
    def finds_any(self) -> str:
        """SQL with one parameter, the `match`: whether it offers anything."""
        return f"EXISTS (SELECT 1 FROM {self.table} WHERE {self.table} MATCH ?)"


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


def escaped(reader: Reader, query: SessionQuery, cancel: Cancel) -> tuple[Sieve, ...]:
    """What stands in JSON and is spelt in another way there: content that is stored so, and tool calls."""
    known = standing(reader)
    return (*encoded(known, query, cancel), *told(known, query, cancel))


def encoded(known: Standing, query: SessionQuery, cancel: Cancel) -> tuple[Sieve, ...]:
    """Content that is stored as JSON, if there is any.

    The index knows the JSON, its keys and its pictures, and no escaped text as it reads: what it offers is looked at
    in the decoded text. Not offered is, of JSON that is not in ASCII, which no Hermes writes, a word glued to CJK, and
    CJK but from the beginning of its run: the trigrams end at the NUL of the marker.
    """
    if not known.has_encoded:
        return ()
    among = (term for terms in query.alternatives for term in terms[:_SIEVED])
    words = {word for term in among for word, _ in _words(term)}
    behind = vocabulary.behind_escapes(known.reader, known.escaped, words, cancel)
    escapes = _escapes(known, words, cancel)
    offered = []
    for terms in query.alternatives:
        spelt: list[set[str]] = []
        for term in terms[:_SIEVED]:
            if not term.words:
                wide = spellings.wide(term)
                spelt += [{spellings.phrase(wide, True)} | spellings.of_signs(term)] if wide else []
            for word, opens in _words(term):
                glue = (word, *(escape + word for escape in behind[word]))
                spelt.append(
                    {spellings.phrase(own, opens) for own in glue}
                    | spellings.glued(word, opens)
                    | spellings.with_escapes(word, opens, escapes)
                )
        offered.append(" AND ".join(f"({_any(own)})" for own in spelt[:_SIEVED]))
    wanted = _any(f"({own})" for own in offered)
    match = f"{ENCODED} AND ({wanted})" if all(offered) else ENCODED
    return (Sieve("messages_fts", match, ENCODED_SLICE),)


def told(known: Standing, query: SessionQuery, cancel: Cancel) -> tuple[Sieve, ...]:
    """Tool calls that hold something of the query in a spelling of JSON, if there are any.

    Not offered is, of JSON that is not in ASCII, a word with an accent in it right behind an escape.
    """
    if not known.has_calls:
        return ()
    words = list(dict.fromkeys(own for term in query.terms for own in _words(term)))[:MOST_WORDS]
    spelt, stored = set[str](), set[str]()
    # Of letters in alphabets of their own it is not known whether there are any.
    if known.has_escapes or not all(word.isascii() for word, _ in words):
        escapes = _escapes(known, [word for word, _ in words], cancel)
        for word, opens in words:
            spelt |= spellings.with_escapes(word, opens, escapes)
            if known.has_other_escapes and known.letters_behind is not None:
                stored |= spellings.raw(word, opens, escapes)
        for term in query.terms[:MOST_WORDS]:
            spelt |= set() if term.words else spellings.of_signs(term)
    sieves = []
    if known.letters_behind is None:
        behind = {own for word, opens in words for own in spellings.glued(word, opens)}
        if known.is_of_columns:
            spelt |= behind
        elif behind:
            sieves.append(Sieve("messages_fts", f"({_any(behind)}) AND {_CALL}"))
    elif known.letters_behind and words:
        ends = [trigrams.ends(f"\\{letter}{word}") for word, _ in words for letter in known.letters_behind]
        sieves.append(Sieve("messages_fts_trigram", _any(ends)))
    if stored:
        sieves.append(Sieve("messages_fts_trigram", trigrams.any_of(sorted(stored))))
    if spelt:
        match = f"tool_calls : ({_any(spelt)})" if known.is_of_columns else _any(spelt)
        sieves.append(Sieve("messages_fts", match))
    return tuple(sieves)


def _words(term: Term) -> Iterator[tuple[str, bool]]:
    """Each word of the term as it is folded, or its beginning, and whether it stands for all that begin so."""
    for place, word in enumerate(term.words, start=1):
        opens = len(word) > _LONGEST or (term.opens and place == len(term.words))
        yield word[:_LONGEST], opens


def _escapes(known: Standing, words: Iterable[str], cancel: Cancel) -> Escapes:
    return known.escapes or Escapes(vocabulary.escaped_letters_of(known.reader, list(words), cancel))


def _any(matches: Iterable[str]) -> str:
    return " OR ".join(sorted(matches))


def of_others(query: SessionQuery, term: Term) -> str:
    """The same without a term; empty where some alternative has no other."""
    alternatives = tuple(tuple(own for own in terms if own != term) for terms in query.alternatives)
    return of_words(SessionQuery(alternatives=alternatives)) if all(alternatives) else ""


def _phrase_of(term: Term) -> str:
    return spellings.phrase(" ".join(term.words), term.opens)
