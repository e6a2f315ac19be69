"""Where a search looks: which messages, and of which conversations."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from operator import neg
from typing import Any, NamedTuple

OLDEST = -(1 << 63)
"""No message has a lower id: a walk that came down to here has seen everything."""

NEWEST = (1 << 63) - 1
"""Where a walk begins: above every message."""


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
    own: tuple[int, ...] | None = None
    """The few that count, the newest first: all of them are looked for at once. None: any."""
    pace: int = 4
    """Quarters of what is otherwise looked at together: little at first, for a page is often full soon."""

    @property
    def is_small(self) -> bool:
        """Whether what is looked for is among a few messages that are known."""
        return self.own is not None

    def paced(self, size: int) -> int:
        """How many are looked at together, of what is otherwise `size`."""
        return max(1, size * self.pace // 4)

    def messages(self, ids: Ids) -> str:
        """SQL: `id` of the messages among these ids that can count, in no order."""
        if self.own is None:
            return f"SELECT id FROM messages WHERE id >= {ids.first} AND id < {ids.before}"
        return f"SELECT value AS id FROM json_each('{json.dumps(self._own(ids))}')"

    def among(self, ids: Ids) -> str:
        """SQL: whether the message `m` is among these ids and can count."""
        if self.own is None:
            return f"m.id >= {ids.first} AND m.id < {ids.before}"
        return f"m.id IN ({self.messages(ids)})"

    def matched(self, table: str, ids: Ids, limit: int) -> str:
        """SQL with one parameter, the query: `id` of rows of a full-text index that can count.

        The newest `limit` of them; all, where few messages count.
        """
        sql = f"SELECT rowid AS id FROM {table} WHERE {table} MATCH ? AND rowid >= {ids.first} AND rowid < {ids.before}"
        if self.is_small:
            # The plus keeps SQLite from asking the index for one row after the other.
            return f"{sql} AND +rowid IN ({self.messages(ids)})"
        return f"{sql} ORDER BY rowid DESC LIMIT {limit}"

    def _own(self, ids: Ids) -> tuple[int, ...]:
        """Those among these ids."""
        return between(self.own or (), ids)


def between(newest_first: tuple[int, ...], ids: Ids) -> tuple[int, ...]:
    """Those of these messages that are among these ids."""
    first = bisect_right(newest_first, -ids.before, key=neg)
    return newest_first[first : bisect_right(newest_first, -ids.first, key=neg)]
