"""Hits without an index: the messages themselves are looked through, newest first, in slices."""

from __future__ import annotations

from storage.engine.connection import Cancel, Reader
from storage.finding import hits
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope

SLICE = 1_000
"""Messages of one statement: a cancelled scan stops between two, and a full page ends it."""


def read(reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel) -> Slice:
    """A Route that needs no index: SQL leaves out what cannot match, Python verifies what it cannot tell.

    Raises:
        Interrupted: `cancel` was cancelled.
    """
    messages = scope.messages(wanted)
    found = reader.one(
        f"SELECT min(id), count(*) FROM (SELECT id FROM ({messages}) ORDER BY id DESC LIMIT {SLICE})",
        (),
        cancel,
    )
    lowest, looked_at = found if found else (None, 0)
    if not looked_at:
        return Slice((), wanted.first)
    ids = scope.messages(Ids(lowest, wanted.before))
    verified = hits.verified(reader, query, scope, ids, (), cancel)
    return Slice(verified, wanted.first if looked_at < SLICE else lowest, looked_at)
