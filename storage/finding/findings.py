"""What a search has found so far: hits gathered into conversations, in their order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

from storage.finding.hits import Hits
from storage.finding.scope import NEWEST
from storage.readings import ConversationHit
from storage.records import Entry, HiddenClass

if TYPE_CHECKING:
    from storage.finding.filters import Choice

KEPT = 8
"""Ids of matching messages that are kept of a conversation."""

EntriesOf = Callable[[Iterable[str]], Mapping[str, Entry]]
"""The conversations of sessions; unknown ids are left out."""


@dataclass(slots=True)
class _Heard:
    """A conversation with matching messages."""

    entry: Entry
    time: float
    """Of its newest hit, but never later than of a hit met before it: the order of the walk holds."""
    hits: int = 0
    newest: tuple[int, ...] = ()
    """Newest first."""
    said: int | None = None
    """The newest that is a user's or the assistant's."""

    def copy(self) -> _Heard:
        return _Heard(self.entry, self.time, self.hits, self.newest, self.said)

    @property
    def messages(self) -> tuple[int, ...]:
        """A few of its messages, newest first, one that was said among them if there is any."""
        if self.said is None or self.said in self.newest:
            return self.newest
        return (*self.newest[: KEPT - 1], self.said)


@dataclass(slots=True)
class Findings:
    """The state of a walk through the messages, from the newest down.

    A conversation stands where its newest hit was met. One that is called what was looked for stands by its last
    activity among the times of the hits, and waits until the walk has come down to that time.
    """

    choice: Choice | None
    """What the filters leave; None: all."""
    show: frozenset[HiddenClass]
    before: int = NEWEST
    """Messages from this id on have been looked at."""
    scanned: int = 0
    """Messages that were looked at without an index."""
    pace: int = 0
    """Quarters of a slice that the last page took: the next one takes about as many."""
    notes: tuple[str, ...] = ()
    """What was not searched of titles and ids."""
    _time: float = inf
    """Of the earliest hit that was met."""
    _heard: dict[str, _Heard] = field(default_factory=dict)
    """By conversation, in the order of the walk."""
    _called: dict[str, Entry] = field(default_factory=dict)
    """By conversation: those with a title or an id that matches, the one that was active first first."""
    _times: Sequence[float] = ()
    """When these were last active."""
    _of_session: dict[str, Entry | None] = field(default_factory=dict)
    """The conversation of each session met; None where it is not on show."""
    _hidden: dict[str, HiddenClass] = field(default_factory=dict)
    """By conversation: those that match but are not on show."""

    @property
    def met(self) -> int:
        """How many sessions have been met."""
        return len(self._of_session)

    def copy(self) -> Findings:
        """The same findings, to go on from without changing these."""
        return replace(
            self,
            _heard={id_: heard.copy() for id_, heard in self._heard.items()},
            _called=dict(self._called),
            _of_session=dict(self._of_session),
            _hidden=dict(self._hidden),
        )

    @property
    def hidden(self) -> dict[HiddenClass, int]:
        """How many conversations match but are not shown, by class."""
        return dict(Counter(self._hidden.values()))

    @property
    def number(self) -> int:
        """How many conversations on show match."""
        return len(self._heard.keys() | self._called.keys())

    @property
    def reached(self) -> int:
        """How many of them `ranked` returns while it is not complete."""
        called = sum(id_ in self._called for id_ in self._heard)
        return len(self._heard) - called + len(self._times) - bisect_left(self._times, self._time)

    @property
    def numbers(self) -> dict[str, int]:
        """How many of their messages match, by conversation on show."""
        return dict.fromkeys(self._called, 0) | {id_: heard.hits for id_, heard in self._heard.items()}

    def call(self, session_ids: Iterable[str], entries_of: EntriesOf) -> None:
        """Take in the sessions whose title or id matches."""
        called = [*self._called.values(), *self._placed(session_ids, entries_of)]
        called.sort(key=lambda entry: (entry.last_active or 0.0, entry.id))
        self._called = {entry.id: entry for entry in called}
        self._times = [entry.last_active or 0.0 for entry in self._called.values()]

    def hear(self, hits: Sequence[Hits], entries_of: EntriesOf) -> None:
        """Take in the hits of the next slice down."""
        self._placed((found.session_id for found in hits), entries_of)
        for found in hits:
            if found.time is not None:
                self._time = min(self._time, found.time)
            entry = self._of_session[found.session_id]
            if entry is None:
                continue
            heard = self._heard.setdefault(entry.id, _Heard(entry, self._time))
            heard.hits += len(found.ids)
            heard.newest = tuple(sorted((*heard.newest, *found.ids[:KEPT]), reverse=True)[:KEPT])
            heard.said = found.said if heard.said is None else heard.said

    def ranked(self, *, complete: bool) -> tuple[ConversationHit, ...]:
        """The conversations found, newest first.

        Args:
            complete: Nothing more will be met, so nobody has to wait.
        """
        waiting = [*self._called.values()]
        if not complete:
            waiting = waiting[bisect_left(self._times, self._time) :]
        ranked: list[ConversationHit] = []
        for heard in self._heard.values():
            if heard.entry.id in self._called:
                continue
            while waiting and (waiting[-1].last_active or 0.0) >= heard.time:
                ranked.append(self._by_name(waiting.pop()))
            ranked.append(ConversationHit(heard.entry, heard.hits, heard.messages))
        ranked += map(self._by_name, reversed(waiting))
        return tuple(ranked)

    def conversation(self, session_id: str) -> Entry | None:
        """The conversation on show that a session belongs to whose hits were taken in."""
        return self._of_session.get(session_id)

    def _by_name(self, entry: Entry) -> ConversationHit:
        heard = self._heard.get(entry.id)
        if heard is None:
            return ConversationHit(entry, 0, by_name=True)
        return ConversationHit(entry, heard.hits, heard.messages, by_name=True)

    def _placed(self, session_ids: Iterable[str], entries_of: EntriesOf) -> list[Entry]:
        """The conversations on show that these sessions belong to."""
        wanted = dict.fromkeys(session_ids)
        unknown = [id_ for id_ in wanted if id_ not in self._of_session]
        entries = entries_of(unknown) if unknown else {}
        chosen = self._chosen(entries)
        for id_ in unknown:
            entry = entries.get(id_)
            found = entry is not None and entry.id in chosen and self._is_shown(entry)
            self._of_session[id_] = entry if found else None
        return [entry for id_ in wanted if (entry := self._of_session[id_]) is not None]

    def _chosen(self, entries: Mapping[str, Entry]) -> Container[str]:
        """Ids of those of these conversations that the filters leave."""
        by_id = {entry.id: entry for entry in entries.values()}
        if self.choice is None:
            return by_id
        left = self.choice.left.ids
        return {entry.id for entry in self.choice.among([by_id[id_] for id_ in by_id if id_ in left])}

    def _is_shown(self, entry: Entry) -> bool:
        if entry.hidden is None or entry.hidden in self.show:
            return True
        self._hidden[entry.id] = entry.hidden
        return False
