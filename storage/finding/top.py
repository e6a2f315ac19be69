"""The top of a list that leaves out words, before it is known of all conversations whether they hold one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from storage.engine.connection import Cancel, Reader
from storage.finding import holding
from storage.finding.facts import Facts
from storage.finding.holding import Holders
from storage.finding.terms import Term
from storage.records import Entry

_FIRST = 100
"""Conversations that are looked at first, in some milliseconds; each time after that twice as many."""

_MOST = 700
"""Conversations that are looked at altogether: a word that nearly all of them hold is sooner looked for everywhere."""

_Held = Callable[[Sequence[str]], frozenset[str]]
"""Which of these sessions hold a word; others may be among the answer."""


def left(
    reader: Reader,
    facts: Facts,
    excluded: Sequence[Term],
    entries: Sequence[Entry],
    limit: int,
    cancel: Cancel,
) -> Sequence[Entry]:
    """The first of these conversations that hold none of the words: at most `limit`, and fewer where these are rare.

    None of them where it is known of all conversations, or is quicker to know.

    Raises:
        Interrupted: `cancel` was cancelled.
    """
    known = [facts.known_to_hold(term) for term in excluded]
    if None not in known or not holding.tells_of_few(reader.layout):
        return ()
    held = [_held(reader, term, all_, cancel) for term, all_ in zip(excluded, known, strict=True)]
    page: list[Entry] = []
    looked_at, size = 0, _FIRST
    while len(page) < limit and looked_at < min(_MOST, len(entries)):
        some = entries[looked_at : looked_at + size]
        looked_at, size = looked_at + size, 2 * size
        for holders in held:
            holding_it = holders([part for entry in some for part in entry.parts])
            some = [entry for entry in some if holding_it.isdisjoint(entry.parts)]
        page += some
    return page[:limit]


def _held(reader: Reader, term: Term, known: frozenset[str] | None, cancel: Cancel) -> _Held:
    return Holders(reader, term, cancel).among if known is None else lambda _: known
