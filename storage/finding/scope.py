"""Where a search looks: which messages, and of which conversations."""

from __future__ import annotations

import json
from dataclasses import dataclass
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
    sessions: tuple[str, ...] | None = None
    """The few whose messages they are: all of them are looked for at once. None: any."""
    ranges: tuple[Ids, ...] = ()
    """Where the messages of these sessions are, and few others."""

    @property
    def is_small(self) -> bool:
        """Whether what is looked for is among the messages of a few sessions."""
        return self.sessions is not None

    def messages(self, ids: Ids) -> str:
        """SQL: `id` of the messages among these ids that can count, in no order."""
        return f"SELECT m.id FROM messages m WHERE {self.among(ids)}"

    def among(self, ids: Ids) -> str:
        """SQL: whether the message `m` is among these ids and can count."""
        own = f" AND m.{self._own()}" if self.is_small else ""
        return f"m.id >= {ids.first} AND m.id < {ids.before}{own}"

    def matched(self, table: str, ids: Ids, limit: int) -> str:
        """SQL with one parameter, the query: `id` of rows of a full-text index that can count.

        The newest `limit` of them; all, where there are few sessions.
        """
        sql = f"SELECT rowid AS id FROM {table} WHERE {table} MATCH ? AND rowid >= {ids.first} AND rowid < {ids.before}"
        if self.is_small:
            # The plus keeps SQLite from asking the index for one row after the other.
            return f"{sql} AND +rowid IN (SELECT id FROM messages WHERE {self._own()})"
        return f"{sql} ORDER BY rowid DESC LIMIT {limit}"

    def driven(self, table: str, ids: Ids) -> str:
        """The same for a few sessions, range by range: quicker for words that are everywhere.

        Each range is a search of its own, which costs some ten microseconds a word and far more for the beginning
        of a word.
        """
        pieces = [
            Ids(max(own.first, ids.first), min(own.before, ids.before))
            for own in self.ranges
            if own.before > ids.first and own.first < ids.before
        ]
        # CROSS: the ranges drive the index, never the other way round.
        return (
            f"SELECT f.rowid AS id FROM json_each('{json.dumps(pieces)}') w CROSS JOIN {table} f"
            f" WHERE f.{table} MATCH ? AND f.rowid >= json_extract(w.value, '$[0]')"
            f" AND f.rowid < json_extract(w.value, '$[1]')"
        )

    def _own(self) -> str:
        listed = json.dumps(self.sessions or ()).replace("'", "''").replace("\0", "")
        return f"session_id IN (SELECT value FROM json_each('{listed}'))"
