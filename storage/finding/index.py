"""Hits from the full-text index of whole words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding import evidence, hits, sieve
from storage.finding.hits import Hits, Slice
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope
from storage.finding.sieve import Sieve
from storage.finding.standing import ENCODED, standing

SLICE = 600
"""Hits of one statement: enough for a page of conversations, and a few milliseconds."""

_SAMPLE = 2_000
"""Ids in which is counted how many match."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A Route by `messages_fts`, for queries of words alone that exclude nothing: what it finds need not be read.

    Raises:
        IndexDamaged: An index cannot be used.
        Interrupted: `cancel` was cancelled.
    """

    glued: Sieve | None = None
    """Where the same words touch CJK; None in a store that has none."""
    words: bool = True
    """Whether what the index finds by itself is wanted, not only what it takes more to find."""

    def __call__(
        self, reader: Reader, query: SessionQuery, scope: Scope, wanted: Ids, cancel: Cancel, /
    ) -> Slice:
        found = _Plain((), frozenset(), wanted.first)
        if self.words:
            found = _plain(reader, query, scope, wanted, cancel)
        below = Ids(found.lowest, wanted.before)
        known = standing(reader)
        others = [*sieve.told(known, query, cancel), *([self.glued] if self.glued else ())]
        # Looking for every spelling costs more than learning that there is nothing.
        if known.has_encoded and reader.rows(
            f"SELECT 1 FROM ({scope.matched('messages_fts', below, 1)}) LIMIT 1", (ENCODED,), cancel
        ):
            others += sieve.encoded(known, query, cancel)
        offered, lowest = sieve.offers(reader, others, scope, below, cancel)
        if lowest > found.lowest and self.words:
            found = _plain(reader, query, scope, Ids(lowest, wanted.before), cancel)
        candidates = offered - found.ids
        if not candidates:
            return Slice(found.hits, lowest)
        touching = replace(scope, condition=f"{scope.condition} AND {_may_touch(reader.layout, query)}")
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
    many = scope.paced(SLICE)
    # What nobody is shown is counted as well: the walk must know how far it came.
    ids: list[int] = reader.json(
        f"SELECT json_group_array(id) FROM ({scope.matched('messages_fts', wanted, many)})",
        (f"({sieve.of_words(query)}) NOT {ENCODED}",),
        cancel,
    )
    is_cut = len(ids) == many and not scope.is_small
    return _Plain(
        hits.gathered(reader, ids, scope, cancel), frozenset(ids), min(ids) if is_cut else wanted.first
    )


def density(reader: Reader, offered: Sieve, cancel: Cancel) -> float:
    """About the part of the messages that an index finds, by what it knows of the newest ones."""
    row = reader.one(
        f"""SELECT count(*) FROM {offered.table} WHERE {offered.table} MATCH ?
        AND rowid > (SELECT max(id) FROM messages) - {_SAMPLE}""",
        (offered.match,),
        cancel,
    )
    return row[0] / _SAMPLE if row else 0.0


def _may_touch(layout: Layout, query: SessionQuery) -> str:
    """SQL: whether the message `m` holds more than ASCII, or what is spelt as JSON (or looks like it to the index)."""
    columns = [layout.column("messages", name, "''", "m") for name in ("content", "tool_name", "tool_calls")]
    wide = (f"coalesce(length({column}) <> length(CAST({column} AS BLOB)), 0)" for column in columns)
    as_json = f"{columns[0]} < char(2) OR {columns[0]} LIKE '%json%' OR {evidence.hides_any(layout, query)}"
    return f"({' OR '.join(wide)} OR {as_json})"
