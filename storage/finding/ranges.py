"""Some conversations: their messages are looked for where they are, not among all hits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from storage.engine.connection import Cancel, Reader
from storage.finding.scope import NEWEST, OLDEST, Ids, Scope

if TYPE_CHECKING:
    from storage.finding.filters import Choice

TOGETHER = 7_000
"""Messages of these conversations that are looked at together at first: about as many as fill a page."""

_GROWTH = 3
"""Times as many each time after that: what was not found there is rare."""

_MOST = 40_000
"""Of them in a window at most: whoever interrupts does not wait for more."""

NEARLY_ALL = 0.6
"""The part of all sessions from which on nearly everything is theirs, and the rest is left out afterwards."""

_SKIPPED = 7
"""Messages that are passed by their sessions in the time in which one is by its id."""

_ABOVE = Ids(NEWEST, NEWEST)

MET = 7_000
"""Matches above a page from which on it is quicker to know first which messages are theirs."""


@dataclass(slots=True)
class Some:
    """The messages of some sessions, from the newest down, a window of ids at a time."""

    sessions: str
    """Their ids, as JSON."""
    share: float
    """About the part of all messages that is theirs."""
    newest: int
    """The highest id of any message."""
    together: int = field(default_factory=lambda: TOGETHER)
    """Of them, in the next window."""
    _window: Ids = _ABOVE
    _theirs: tuple[int, ...] = ()

    def scope(self, scope: Scope) -> Scope:
        """The scope of these sessions, for whoever meets few others on the way to them."""
        return replace(
            scope,
            condition=f"{scope.condition} AND m.session_id IN (SELECT value FROM json_each(?))",
            values=(*scope.values, self.sessions),
        )

    def is_crowded(self, density: float) -> bool:
        """Whether so many messages of other sessions would be met on the way that it is better to know theirs first.

        Args:
            density: The part of all messages that matches.
        """
        return density * min(self.newest, TOGETHER / self.share) > MET

    def among(self, reader: Reader, scope: Scope, wanted: Ids, cancel: Cancel) -> tuple[Ids, Scope]:
        """As many of these ids, from the top, as are looked at together, and the scope of what is theirs there."""
        if wanted.before <= self._window.first:
            before = min(wanted.before, self.newest + 1)
            first = before - int(self.together / self.share)
            self._window = Ids(first if first > 0 else OLDEST, wanted.before)
            self._theirs = self._messages(reader, cancel)
            self.together = min(self.together * _GROWTH, _MOST)
        return Ids(max(wanted.first, self._window.first), wanted.before), replace(scope, own=self._theirs)

    def _messages(self, reader: Reader, cancel: Cancel) -> tuple[int, ...]:
        theirs = "session_id IN (SELECT value FROM json_each(?))"
        window = f"id >= {self._window.first} AND {{}}id < {self._window.before}"
        # The plus says which way to go: through all of these ids, or through all messages of the sessions.
        by_id = self.share * self.newest > _SKIPPED * self.together / self.share
        where = f"{window.format('')} AND +{theirs}" if by_id else f"{theirs} AND +{window.format('+')}"
        found = reader.json(
            f"SELECT json_group_array(id) FROM messages WHERE {where}", (self.sessions,), cancel
        )
        return tuple(sorted(found, reverse=True))


def some(reader: Reader, choice: Choice | None, cancel: Cancel) -> Some | None:
    """The messages of the conversations that the filters leave; None where they are as good as all."""
    if choice is None or "idx_messages_session" not in reader.layout.indexes:
        return None
    share = max(len(choice.left.parts), 1) / max(len(choice.catalog.by_session), 1)
    if share > NEARLY_ALL:
        return None
    row = reader.one("SELECT max(id) FROM messages", (), cancel)
    newest = row[0] if row and isinstance(row[0], int) else 0
    return Some(choice.left.sessions, share, newest)
