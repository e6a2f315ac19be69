"""Hits without an index: the messages themselves are looked through, newest first, in slices."""

from __future__ import annotations

from storage.engine.connection import Cancel, Reader
from storage.finding import evidence, hits
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope

SLICE = 500
"""Messages of one statement: a cancelled scan stops between two, and a full page ends it."""

_SAMPLE = 500
"""Messages of which is looked at how many match."""


def read(reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel) -> Slice:
    """A Route that needs no index: SQL leaves out what cannot match, Python verifies what it cannot tell.

    Raises:
        Interrupted: `cancel` was cancelled.
    """
    ids, own = scope.newest(wanted, SLICE)
    if own is None:
        found = reader.one(f"SELECT min(id), count(*) FROM ({ids})", (), cancel)
        lowest, looked_at = found if found else (None, 0)
    else:
        lowest, looked_at = min(own, default=None), len(own)
    if lowest is None:
        return Slice((), wanted.first)
    verified = hits.verified(reader, query, scope, ids, (), cancel)
    return Slice(verified, wanted.first if looked_at < SLICE else lowest, looked_at)


def density(reader: Reader, query: SessionQuery, cancel: Cancel) -> float:
    """About the part of the messages that matches, by what SQL can surely tell of the newest ones."""
    sure, values = evidence.surely_matches(reader.layout, query)
    row = reader.one(
        f"SELECT avg({sure}) FROM (SELECT * FROM messages ORDER BY id DESC LIMIT {_SAMPLE}) m", values, cancel
    )
    return row[0] if row and row[0] is not None else 0.0
