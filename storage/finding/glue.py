"""Words as parts of what the index of words takes for a longer one: beside CJK, or a sign that is a letter to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from storage.engine.connection import Cancel
from storage.finding import index, scan, sieve, trigrams, vocabulary
from storage.finding.query import SessionQuery, Term
from storage.finding.sieve import SLICE, Sieve
from storage.finding.standing import Standing

_SIEVED = 16
"""Words that are looked for there."""

_LONGEST = 60
"""Characters of a word that are looked for with what touches it."""

FEW = 0.002
"""Of all messages: so many are looked at, rather than asking what touches the words anywhere."""

TIMES = 2
"""The same for each that holds them as words: a page is full of these before many others are looked at."""


def glued(known: Standing, query: SessionQuery, cancel: Cancel) -> Sieve | None:
    """Finds what may hold the words so; None where nothing in the store does, or where all of them are too short.

    "ear" is a part of "search" and "years" in every other message, and CJK touches it in none.
    """
    alternatives = _of_words(query)
    offered = anywhere(query)
    if offered is None or not _is_crowd(known, query, offered, cancel):
        return offered
    touching = _touching(known, alternatives, cancel)
    if touching is None:
        return offered
    return _any(
        f"{trigrams.any_of(own)} AND ({match})" if own and match else ""
        for own, match in zip(touching, map(_held, alternatives), strict=True)
    )


def anywhere(query: SessionQuery) -> Sieve | None:
    """Finds what holds the words as parts of any others; None where all of them are too short."""
    return _any(map(_held, _of_words(query)))


def _of_words(query: SessionQuery) -> list[tuple[Term, ...]]:
    return [terms for terms in query.alternatives if all(term.words for term in terms)]


def _held(terms: Iterable[Term]) -> str:
    """MATCH for what holds these words as parts of others; empty where the trigrams cannot know."""
    words = dict.fromkeys(word for term in terms for word in trigrams.words_within(term))
    return " AND ".join(map(trigrams.ends, islice(words, _SIEVED)))


def _any(matches: Iterable[str]) -> Sieve | None:
    match = " OR ".join(f"({own})" for own in matches if own)
    return Sieve("messages_fts_trigram", match, 3 * SLICE) if match else None


def _is_crowd(known: Standing, query: SessionQuery, offered: Sieve, cancel: Cancel) -> bool:
    """Whether hardly any of what is offered can match, and there is much of it."""
    parts = index.density(known.reader, offered, cancel)
    if parts <= FEW:
        return False
    if any(term.opens for term in query.terms):
        # The index would gather all that begin so before it counts any.
        return parts > TIMES * scan.density(known.reader, query, cancel)
    return parts > TIMES * index.density(known.reader, Sieve("messages_fts", sieve.of_words(query)), cancel)


def _touching(
    known: Standing, alternatives: Sequence[Sequence[Term]], cancel: Cancel
) -> list[list[str]] | None:
    """Of each alternative its words with what touches them anywhere; None where that cannot be told.

    The trigrams keep accents: what a word that is typed in ASCII may be spelt with is not looked for here either.
    """
    terms = [term for own in alternatives for term in own]
    if len(terms) > _SIEVED or not all(term.text.isascii() for term in terms):
        return None
    # A phrase is touched at its ends.
    firsts = {term.words[0] for term in terms}
    if known.fronts is None or (known.has_other_escapes and known.escaped is None):
        return None
    escapes = (
        vocabulary.behind_escapes(known.reader, known.escaped, firsts, cancel)
        if known.has_other_escapes
        else {}
    )
    touching = []
    for own in alternatives:
        found = list[str]()
        for term in own:
            first, last = term.words[0][:_LONGEST], term.words[-1][-_LONGEST:]
            fronts = _fronts(known, first, cancel)
            backs = _backs(known, last, cancel)
            if fronts is None or backs is None:
                return None
            found += (*fronts, *backs, *(f"\\{escape}{first}" for escape in escapes.get(term.words[0], ())))
        if len(found) > trigrams.DENSE:
            return None
        touching.append(found)
    return touching


def _fronts(known: Standing, word: str, cancel: Cancel) -> Sequence[str] | None:
    """The word, or its beginning, behind what touches it anywhere; None where that cannot be told."""
    assert known.fronts is not None
    fronts = known.fronts.get(word[:2], ())
    if len(word) > 1:
        return [front + word for front in fronts]
    if len(fronts) > trigrams.DENSE or not _knows_ends(known):
        return None
    begun = [trigrams.beginnings(known.reader, front + word, cancel) for front in fronts]
    return [trigram for own in begun for trigram in own or ()] if None not in begun else None


def _backs(known: Standing, word: str, cancel: Cancel) -> Sequence[str] | None:
    """The same in front of what touches it."""
    if len(word) == 1 and not _knows_ends(known):
        return None
    return [word[:-2] + trigram for trigram in trigrams.goes_on(known.reader, word[-2:], cancel)]


def _knows_ends(known: Standing) -> bool:
    """Whether two characters at the end of a text begin a trigram, too."""
    return known.trigram is not None and known.trigram.kind == "inline"
