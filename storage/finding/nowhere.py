"""Words that no message holds: one look at the indexes tells, without a plan, an order or a page."""

from __future__ import annotations

from collections.abc import Sequence

from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import sieve, trigrams
from storage.finding.query import SessionQuery
from storage.finding.sieve import Sieve
from storage.finding.standing import Standing, standing
from storage.finding.terms import Term

_MOST = 4
"""Words that are looked for: who types more does not look for what is nowhere, and each of them costs a look."""


def is_nowhere(reader: Reader, query: SessionQuery) -> bool:
    """Whether the indexes can tell that every alternative has a word that no message holds."""
    if len(query.terms) > _MOST:
        return False
    known = standing(reader)
    try:
        if not known.knows_all:
            return False
        alternatives, values = [], list[str]()
        for terms in query.alternatives:
            offers = [offered for term in terms if (offered := _offers(known, term))]
            if not offers:
                return False
            alternatives.append(
                " AND ".join(f"({' OR '.join(one.finds_any for one in own)})" for own in offers)
            )
            values += [one.match for own in offers for one in own]
        return reader.one(f"SELECT 1 WHERE {' OR '.join(alternatives)}", values) is None
    except IndexDamaged:
        return False


def _offers(known: Standing, term: Term) -> Sequence[Sieve]:
    """What together finds every message that may hold the term; nothing where it takes more to find out.

    Not for a row of words, nor for all that begin so: looking for the first one costs as much as finding all.
    """
    if len(term.words) != 1 or term.opens:
        return ()
    offers = [Sieve("messages_fts", trigrams.phrase(term.words[0]))]
    if known.trigram is not None:
        within = trigrams.words_within(term)
        if not within:
            return ()
        offers.append(Sieve("messages_fts_trigram", trigrams.phrase(within[0])))
    query = SessionQuery.of_terms([term])
    offers += (*sieve.encoded(known, query, Cancel()), *sieve.told(known, query, Cancel()))
    return offers
