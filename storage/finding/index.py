"""Hits from the full-text index of whole words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from storage.conversation import expressions
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding import hits, sieve
from storage.finding.hits import Hits, Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope
from storage.finding.sieve import Sieve
from storage.finding.standing import ENCODED, standing

SLICE = 600
"""Hits of one statement: enough for a page of conversations, and a few milliseconds."""

_DRIVEN = 3
"""Words that are looked for range by range."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A Route by `messages_fts`, for queries of words alone that exclude nothing: what it finds need not be read.

    Raises:
        IndexDamaged: An index cannot be used.
        Interrupted: `cancel` was cancelled.
    """

    glued: Sieve | None = None
    """Where the same words touch CJK; None in a store that has none."""

    def __call__(
        self, reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel, /
    ) -> Slice:
        found = _plain(reader, query, scope, wanted, cancel)
        below = Ids(found.lowest, wanted.before)
        others = [self.glued] if self.glued else []
        # Looking for every spelling costs more than learning that there is nothing.
        if standing(reader).has_encoded and reader.rows(
            f"SELECT 1 FROM ({scope.matched('messages_fts', below, 1)}) LIMIT 1", (ENCODED,), cancel
        ):
            others += sieve.encoded(reader, query, cancel)
        offered, lowest = sieve.offers(reader, others, scope, below, cancel)
        if lowest > found.lowest:
            found = _plain(reader, query, scope, Ids(lowest, wanted.before), cancel)
        candidates = offered - found.ids
        if not candidates:
            return Slice(found.hits, lowest)
        touching = replace(scope, condition=f"{scope.condition} AND {_may_touch(reader.layout)}")
        more = hits.verified(reader, query, touching, *sieve.listed(candidates), cancel)
        newest_first = sorted((*found.hits, *more), key=lambda hit: hit.ids[0], reverse=True)
        return Slice(tuple(newest_first), lowest)


@dataclass(frozen=True, slots=True)
class _Plain:
    """Hits in what is stored as it is said."""

    hits: tuple[Hits, ...]
    ids: frozenset[int]
    """Of all of them, also of those that are not shown."""
    lowest: int


def _plain(reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel) -> _Plain:
    seen = f"({shown(reader.layout)} AND {scope.condition})"
    words = [term for terms in query.alternatives for term in terms]
    alone = scope.is_small and len(words) <= _DRIVEN and not any(term.opens for term in words)
    ids = scope.driven("messages_fts", wanted) if alone else scope.matched("messages_fts", wanted, SLICE)
    # What nobody is shown makes groups as well: the walk must know how far it came.
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(session, shown, ids, said, time)) FROM (
            SELECT {expressions.text("m.session_id")} AS session, {seen} AS shown,
                group_concat(found.id) AS ids,
                group_concat(CASE WHEN {hits.said(reader.layout)} THEN found.id END) AS said,
                {hits.time(reader.layout)} AS time, max(found.id)
            FROM ({ids}) AS found LEFT JOIN messages m ON m.id = found.id
            GROUP BY 1, 2)
        """,
        (*scope.values, f"({sieve.of_words(query)}) NOT {ENCODED}"),
        cancel,
    )
    found = [
        (Hits(session, _ids(ids), time, max(_ids(said), default=None)), shown)
        for session, shown, ids, said, time in rows
    ]
    all_ids = frozenset(id_ for hit, _ in found for id_ in hit.ids)
    return _Plain(
        tuple(sorted((hit for hit, shown in found if shown), key=lambda hit: hit.ids[0], reverse=True)),
        all_ids,
        min(all_ids) if len(all_ids) == SLICE and not scope.is_small else wanted.first,
    )


def _ids(joined: str | None) -> tuple[int, ...]:
    return tuple(sorted(map(int, joined.split(",")), reverse=True)) if joined else ()


def _may_touch(layout: Layout) -> str:
    """SQL: whether the message `m` holds more than ASCII, or is stored as JSON (or looks like it to the index)."""
    columns = [layout.column("messages", name, "''", "m") for name in ("content", "tool_name", "tool_calls")]
    wide = (f"coalesce(length({column}) <> length(CAST({column} AS BLOB)), 0)" for column in columns)
    return f"({' OR '.join(wide)} OR {columns[0]} < char(2) OR {columns[0]} LIKE '%json%')"
