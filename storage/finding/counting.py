"""How much matches a search: counted behind its first page, and no further than somebody wants to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from storage.engine.connection import Cancel, Reader
from storage.finding import search
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.readings import SearchResult
from storage.records import HiddenClass

MOST = 2_000
"""Conversations that are counted; there are more of them than anybody reads through."""

_LOOKED_AT = 100_000
"""Messages that match, or that are scanned, after which it is left at that: a second's work."""


@dataclass(frozen=True, slots=True)
class MatchCount:
    """How much matches a search."""

    hits: Mapping[str, int]
    """By conversation on show: the messages that match; 0 where only the title or an id does."""
    hidden: Mapping[HiddenClass, int]
    """Conversations that match and are not on show, by class."""
    exact: bool
    """False where it was not counted to the end: the numbers are lower bounds."""


def count(
    reader: Reader,
    lister: Lister,
    query: SessionQuery,
    show: frozenset[HiddenClass],
    after: SearchResult | None,
    cancel: Cancel,
    *,
    now: float,
) -> MatchCount:
    """Walk on from where the search stopped: see `SessionDB.count_matches`."""
    walk = search.begin(reader, lister, query, show, after, cancel, now=now)
    findings, looked_at = walk.findings, 0
    while findings.number < MOST and looked_at < _LOOKED_AT:
        scanned = findings.scanned
        found = walk.step()
        if found is None:
            break
        looked_at += sum(len(hits.ids) for hits in found) + findings.scanned - scanned
    return MatchCount(findings.numbers, findings.hidden, walk.is_over)
