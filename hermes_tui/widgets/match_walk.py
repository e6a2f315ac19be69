"""The matches of a search in one transcript: found bit by bit, walked one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from hermes_tui.text.matches import matching
from storage.readings import Message

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery

Match = tuple[int, int]
"""Id of a message, and the number of the match in it."""


class MatchWalk:
    """Where the search matches in the messages, the newest looked through first.

    Args:
        first: Id of a message to look through before all others.
    """

    def __init__(
        self, messages: Sequence[Message], query: SessionQuery | None, first: int | None = None
    ) -> None:
        self._messages = messages
        self._places = {message.id: place for place, message in enumerate(messages)}
        self._counts: dict[int, int] = {}
        self._rest: Iterator[tuple[int, int]] = iter(())
        if query is not None and query.is_search:
            self._rest = matching(messages, query, None if first is None else self._places.get(first))
        self.finished = query is None or not query.is_search

    def look(self, clock: Callable[[], float], seconds: float) -> None:
        """Look through more messages, for about so long."""
        until = clock() + seconds
        for place, count in self._rest:
            if count:
                self._counts[place] = count
            if clock() >= until:
                return
        self.finished = True

    @property
    def places(self) -> frozenset[int]:
        """Places of the messages in which something matched."""
        return frozenset(self._counts)

    @property
    def total(self) -> int:
        """Matches found so far."""
        return sum(self._counts.values())

    def place(self, message_id: int) -> int | None:
        """The place of a message; None for one that is not here."""
        return self._places.get(message_id)

    def number(self, match: Match | None) -> int:
        """Which one it is, from 1; 0 for none."""
        place = None if match is None else self._places.get(match[0])
        if match is None or place is None or place not in self._counts:
            return 0
        return sum(count for before, count in self._counts.items() if before < place) + match[1] + 1

    def first_of(self, message_id: int) -> Match | None:
        """The first match in a message."""
        return (message_id, 0) if self._places.get(message_id) in self._counts else None

    def newest(self) -> Match | None:
        """The first match in the newest message that has one."""
        return (self._messages[max(self._counts)].id, 0) if self._counts else None

    def step(self, match: Match | None, forward: bool) -> Match | None:
        """The next match, or the one before; round the end. From none: the first, or the last."""
        if not self._counts:
            return None
        total = self.total
        number = self.number(match) or (0 if forward else total + 1)
        return self._nth((number if forward else number - 2) % total)

    def from_place(self, place: int) -> Match | None:
        """The first match in this message or a later one, else the first of all."""
        if not self._counts:
            return None
        later = [each for each in self._counts if each >= place]
        return self._messages[min(later or self._counts)].id, 0

    def _nth(self, number: int) -> Match | None:
        for place in sorted(self._counts):
            if number < self._counts[place]:
                return self._messages[place].id, number
            number -= self._counts[place]
        return None
