"""Where a search looks: which messages, and of which conversations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

OLDEST = -(1 << 63)
"""No message has a lower id: a walk that came down to here has seen everything."""

NEWEST = (1 << 63) - 1
"""Where a walk begins: above every message."""

_RANGES = 300
"""Ranges of ids in one statement: each is a search of its own, of some ten microseconds."""

_IDS = 30_000
"""Ids in all ranges of one statement."""


class Ids(NamedTuple):
    """Message ids from `first` up to `before`, which is not among them."""

    first: int
    before: int


@dataclass(frozen=True, slots=True)
class Scope:
    """The messages that count."""

    condition: str = "1"
    """SQL that holds for such a message `m`, with `?` for each of `values`."""
    values: tuple[Any, ...] = ()
    ranges: tuple[Ids, ...] | None = None
    """Where they all are, the newest first, not overlapping; None: anywhere."""

    def cut(self, wanted: Ids) -> tuple[list[Ids], int]:
        """The next stretches to look at from the top of the wanted ids, and how far down they reach."""
        if self.ranges is None:
            return [wanted], wanted.first
        found: list[Ids] = []
        ids = 0
        for own in self.ranges:
            if own.first >= wanted.before:
                continue
            piece = Ids(max(own.first, wanted.first), min(own.before, wanted.before))
            if piece.before <= piece.first:
                break
            if len(found) == _RANGES or (found and ids + piece.before - piece.first > _IDS):
                return found, found[-1].first
            found.append(piece)
            ids += piece.before - piece.first
        return found, wanted.first


def matched(table: str, stretches: list[Ids], limit: int) -> str:
    """SQL with one parameter, the query: `id` of the newest rows of a full-text index in these stretches."""
    if len(stretches) == 1:
        first, before = stretches[0]
        return (
            f"SELECT rowid AS id FROM {table} WHERE {table} MATCH ? AND rowid >= {first} AND rowid < {before}"
            f" ORDER BY rowid DESC LIMIT {limit}"
        )
    # CROSS: the ranges drive the index, never the other way round.
    return (
        f"SELECT f.rowid AS id FROM json_each('{json.dumps(stretches)}') w CROSS JOIN {table} f"
        f" WHERE f.{table} MATCH ? AND f.rowid >= json_extract(w.value, '$[0]')"
        f" AND f.rowid < json_extract(w.value, '$[1]') ORDER BY id DESC LIMIT {limit}"
    )


def within(stretches: list[Ids]) -> str:
    """SQL: `id` of the messages in these stretches."""
    return " UNION ALL ".join(
        f"SELECT id FROM messages WHERE id >= {first} AND id < {before}" for first, before in stretches
    )
