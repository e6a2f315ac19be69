"""Hits without an index: the messages themselves are looked through, newest first, in slices."""

from __future__ import annotations

from storage.engine.connection import Cancel, Reader
from storage.finding import evidence, hits
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope, between
from storage.finding.sieve import listed

SLICE = 500
"""Messages of one statement: a cancelled scan stops between two, and a full page ends it."""

_DENSE = 0.2
"""The part of the messages that surely matches, from which on sifting by one letter leaves out hardly any."""

_SAMPLE = 500
"""Messages of which is looked at how many match."""


def read(reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel) -> Slice:
    """A Route that needs no index: SQL leaves out what cannot match, Python verifies what it cannot tell.

    Raises:
        Interrupted: `cancel` was cancelled.
    """
    many = scope.paced(SLICE)
    if scope.own is None:
        lowest, looked_at = _reached(reader, wanted, many, cancel)
        among, values = f"m.id >= {lowest} AND m.id < {wanted.before}", tuple[str, ...]()
    else:
        own = between(scope.own, wanted)[:many]
        lowest, looked_at = min(own, default=None), len(own)
        among, values = listed(own)
    if lowest is None:
        return Slice((), wanted.first)
    # A letter that begins many words stands in nearly every text.
    letters = all(len(evidence.needle(term)) == 1 for term in query.terms)
    sifted = not letters or density(reader, query, cancel) < _DENSE
    verified = hits.verified(reader, query, scope, among, values, cancel, sifted=sifted)
    return Slice(verified, wanted.first if looked_at < many else lowest, looked_at)


def _reached(reader: Reader, wanted: Ids, many: int, cancel: Cancel) -> tuple[int | None, int]:
    """The lowest id of the newest so many of these messages, None where there are none; and how many they are."""
    those = f"FROM messages WHERE id >= {wanted.first} AND id < {wanted.before}"
    row = reader.one(f"SELECT id {those} ORDER BY id DESC LIMIT 1 OFFSET {many - 1}", (), cancel)
    if row is not None:
        return row[0], many
    return reader.one(f"SELECT min(id), count(*) {those}", (), cancel) or (None, 0)


def density(reader: Reader, query: SessionQuery, cancel: Cancel) -> float:
    """About the part of the messages that matches, by what SQL can surely tell of the newest ones."""
    sure, values = evidence.surely_matches(reader.layout, query)

    def looked_at() -> float:
        newest = f"SELECT id FROM messages ORDER BY id DESC LIMIT {_SAMPLE}"
        row = reader.one(
            f"SELECT avg({sure}) FROM messages m WHERE m.id >= (SELECT min(id) FROM ({newest}))",
            values,
            cancel,
        )
        return row[0] if row and row[0] is not None else 0.0

    return reader.learned(f"density of {query}", looked_at)
