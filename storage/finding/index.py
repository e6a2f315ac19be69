"""Hits from the full-text index of whole words."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from storage.conversation import expressions
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding import hits, sieve
from storage.finding.hits import Hits, Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import OLDEST, Ids, Scope, matched
from storage.finding.sieve import ENCODED, Sieve

SLICE = 1_000
"""Hits of one statement: enough for a page of conversations, and a few milliseconds."""


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
        stretches, reached = scope.cut(wanted)
        if not stretches:
            return Slice((), reached)
        found = _plain(reader, query, scope, stretches, reached, cancel)
        below = _down_to(stretches, found.lowest)
        encoded = self._encoded(reader, query, below, cancel)
        glued = _Offer.of(reader, self.glued, below, cancel)
        lowest = max(found.lowest, encoded.lowest, glued.lowest)
        if lowest > found.lowest:
            found = _plain(reader, query, scope, _down_to(stretches, lowest), lowest, cancel)
        touching = replace(scope, condition=f"{scope.condition} AND {_may_touch(reader.layout)}")
        others = (
            *_verified(reader, query, scope, encoded.ids, lowest, cancel),
            *_verified(reader, query, touching, glued.ids - found.ids - encoded.ids, lowest, cancel),
        )
        newest_first = sorted((*found.hits, *others), key=lambda hit: hit.ids[0], reverse=True)
        return Slice(tuple(newest_first), lowest)

    @staticmethod
    def _encoded(reader: Reader, query: SessionQuery, stretches: list[Ids], cancel: Cancel) -> _Offer:
        # Looking for every spelling costs more than learning that there is nothing.
        if not reader.rows(matched("messages_fts", stretches, 1), (ENCODED,), cancel):
            return _Offer()
        return _Offer.of(reader, sieve.encoded(query), stretches, cancel)


@dataclass(frozen=True, slots=True)
class _Offer:
    """Messages to look at."""

    ids: frozenset[int] = frozenset()
    lowest: int = OLDEST
    """How far down there are no others."""

    @classmethod
    def of(cls, reader: Reader, offering: Sieve | None, stretches: list[Ids], cancel: Cancel) -> _Offer:
        if offering is None:
            return cls()
        ids = sieve.offers(reader, offering, stretches, cancel)
        return cls(frozenset(ids), min(ids) if len(ids) == offering.size else OLDEST)


@dataclass(frozen=True, slots=True)
class _Plain:
    """Hits in what is stored as it is said."""

    hits: tuple[Hits, ...]
    ids: frozenset[int]
    """Of all of them, also of those that are not shown."""
    lowest: int


def _plain(
    reader: Reader, query: SessionQuery, scope: Scope, stretches: list[Ids], reached: int, cancel: Cancel
) -> _Plain:
    seen = f"({shown(reader.layout)} AND {scope.condition})"
    # What nobody is shown makes groups as well: the walk must know how far it came.
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(session, shown, ids, said, time)) FROM (
            SELECT {expressions.text("m.session_id")} AS session, {seen} AS shown,
                group_concat(found.id) AS ids,
                group_concat(CASE WHEN {hits.said(reader.layout)} THEN found.id END) AS said,
                {hits.time(reader.layout)} AS time, max(found.id)
            FROM ({matched("messages_fts", stretches, SLICE)}) AS found LEFT JOIN messages m ON m.id = found.id
            GROUP BY 1, 2)
        """,
        (*scope.values, f"({sieve.of_words(query)}) NOT {ENCODED}"),
        cancel,
    )
    found = [
        (Hits(session, _ids(ids), time, max(_ids(said), default=None)), shown)
        for session, shown, ids, said, time in rows
    ]
    ids = frozenset(id_ for hit, _ in found for id_ in hit.ids)
    return _Plain(
        tuple(sorted((hit for hit, shown in found if shown), key=lambda hit: hit.ids[0], reverse=True)),
        ids,
        min(ids) if len(ids) == SLICE else reached,
    )


def _verified(
    reader: Reader, query: SessionQuery, scope: Scope, ids: frozenset[int], lowest: int, cancel: Cancel
) -> tuple[Hits, ...]:
    wanted = [id_ for id_ in ids if id_ >= lowest]
    if not wanted:
        return ()
    return hits.verified(
        reader, query, scope, "SELECT value FROM json_each(?)", (json.dumps(wanted),), cancel
    )


def _ids(joined: str | None) -> tuple[int, ...]:
    return tuple(sorted(map(int, joined.split(",")), reverse=True)) if joined else ()


def _down_to(stretches: list[Ids], lowest: int) -> list[Ids]:
    return [Ids(max(first, lowest), before) for first, before in stretches if before > lowest]


def _may_touch(layout: Layout) -> str:
    """SQL: whether the message `m` holds more than ASCII, or JSON that may stand for it."""
    columns = [layout.column("messages", name, "''", "m") for name in ("content", "tool_name", "tool_calls")]
    wide = (f"coalesce(length({column}) <> length(CAST({column} AS BLOB)), 0)" for column in columns)
    return f"({' OR '.join(wide)} OR {columns[0]} < char(2))"
