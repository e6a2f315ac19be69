"""Few conversations: their messages are looked for where they are, not among all hits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from storage.engine.connection import Cancel, Reader
from storage.finding import message_filters
from storage.finding.query import SessionQuery
from storage.finding.routes import FEW
from storage.finding.scope import Ids, Scope
from storage.records import Entry

MOST = 600
"""Sessions up to which that is quicker; more of them are met soon enough on the way down through all hits."""

_COMMON = 5
"""Times as many for one or two letters that begin a word: each slice of the walk would gather all such words anew."""

_NEAR = 20
"""Ids between two sessions' messages that are looked at rather than begun anew behind."""


def scope(reader: Reader, query: SessionQuery, left: Mapping[str, Entry] | None, cancel: Cancel) -> Scope:
    """Where the query is looked for.

    Args:
        left: The conversations that its filters leave; None: all.
    """
    condition, values = message_filters.condition(reader.layout, query.filters)
    everywhere = Scope(condition, tuple(values))
    if left is None or "idx_messages_session" not in reader.layout.indexes:
        return everywhere
    parts = {part for entry in left.values() for part in entry.parts}
    common = any(term.words and term.opens and len(term.words[-1]) < FEW for term in query.terms)
    if len(parts) > MOST * (_COMMON if common else 1):
        return everywhere
    found = reader.json(
        """
        SELECT json_group_array(json_array(first, last)) FROM (
            SELECT min(id) AS first, max(id) AS last FROM messages
            WHERE session_id IN (SELECT value FROM json_each(?)) GROUP BY session_id)
        """,
        (json.dumps(sorted(parts)),),
        cancel,
    )
    return Scope(
        condition, tuple(values), tuple(sorted(parts)), _apart(Ids(first, last + 1) for first, last in found)
    )


def _apart(ranges: Iterable[Ids]) -> tuple[Ids, ...]:
    """The same ids in ranges that do not overlap, the newest first."""
    apart: list[Ids] = []
    for own in sorted(ranges, key=lambda ids: ids.before, reverse=True):
        if apart and own.before >= apart[-1].first - _NEAR:
            apart[-1] = Ids(min(own.first, apart[-1].first), apart[-1].before)
        else:
            apart.append(own)
    return tuple(apart)
