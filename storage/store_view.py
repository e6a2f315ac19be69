"""What the browser asks of a store: answers in frozen records, and no room opened before it is entered."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from storage import locations
from storage.engine.store import Store
from storage.records import HiddenClass, SearchOrder, Sort

if TYPE_CHECKING:
    from datetime import tzinfo

    from storage.engine.connection import Cancel
    from storage.engine.writer import WritePolicy
    from storage.finding.counting import MatchCount
    from storage.finding.query import SessionQuery
    from storage.finding.tallies import Statistics, StoreSize, TopSession
    from storage.readings import ConversationHit, Excerpt, Lineage, SearchResult, Transcript
    from storage.records import Changes, Conversation, Entry, Listing, StoreInfo

PAGE = 60
"""Conversations in a page."""


class StoreView(Store):
    """A store as the browser sees it: the reading half of `SessionDB`, which has all of this too.

    Each method is one call into a room, and the room is imported with its first call: a start pays for the list only.
    """

    def __init__(
        self,
        db_path: str | Path | None = None,
        read_only: bool = True,
        *,
        migrate: bool = False,
        policy: WritePolicy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        from storage.finding.listing import Lister

        path = Path(db_path) if db_path is not None else locations.default_store()
        # Before it is opened: a file that takes its place meanwhile is noticed, if only by opening it once more.
        self._file = _file_at(path)
        super().__init__(path, read_only=read_only, migrate=migrate, policy=policy, clock=clock)
        self._lister = Lister(self.reader, now=clock, searcher=self.searcher)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what it is

    def info(self) -> StoreInfo:
        """Say what the store is, and what cannot be done with it and why."""
        return self.reader.info()

    # --- the list

    def first_page(
        self,
        show: frozenset[HiddenClass] = frozenset(),
        limit: int = PAGE,
        *,
        query: SessionQuery | None = None,
        sort: Sort = Sort.ACTIVE,
        cancel: Cancel | None = None,
    ) -> Listing:
        """The top of the list without reading the whole store (milliseconds at any size).

        Not `complete` where the whole takes longer: the most recently active conversations of all, or what a query
        that only excludes words leaves at the top of what was read last (fewer than `limit` where it leaves few).

        Args:
            show: Hidden classes to include.
            limit: Conversations wanted.
            query: As for `listing`.
            cancel: Cancelling it from another thread stops the filters at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        return self._lister.first_page(show, limit, query, sort, cancel)

    def listing(
        self,
        query: SessionQuery | None = None,
        sort: Sort = Sort.ACTIVE,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        pins_first: bool = True,
        fresh: bool = True,
        cancel: Cancel | None = None,
    ) -> Listing:
        """The complete order of the conversations that the query's filters leave.

        Args:
            query: Only its filters count here, and what it excludes if it has no words; its words are for `search`.
            show: Hidden classes to include.
            pins_first: Pinned conversations on top.
            fresh: Read the store again; False answers from what was read last, brought up to date by `changes`.
            cancel: Cancelling it from another thread stops the filters at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        return self._lister.listing(query, sort, show, pins_first=pins_first, fresh=fresh, cancel=cancel)

    def values(self, key: str) -> tuple[tuple[str, int], ...]:
        """The values that a filter can name (source, model, dir, branch, tool), each with its number of conversations.

        Most frequent first; of tools those that the newest messages use. Kept until the store changes.
        """
        return self._lister.values(key)

    def learning(self, key: str, cancel: Cancel | None = None) -> Iterator[None]:
        """Read what filters of this key (`cost`, `is`, …) ask of every conversation, while its value is typed.

        Each step takes some ten milliseconds, and nobody else waits for more. What was read is kept until the store
        changes, whoever stops half-way.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        return self._lister.learning(key, cancel)

    def details(self, entries: Sequence[Entry]) -> tuple[Conversation, ...]:
        """The rows of these conversations, in the same order; meant for a visible page (60: about a millisecond).

        A conversation whose sessions are all gone is left out.
        """
        from storage.finding import details

        return details.conversations(self.reader, entries, self.clock())

    def find(self, session_id: str) -> Entry | None:
        """The conversation that this session is a part of; None for an unknown id."""
        return self._lister.find(session_id)

    def entries_of(self, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Entry]:
        """The conversation of each of these sessions, as `listing` read it last; unknown ids are left out."""
        return self._lister.entries_of(session_ids, cancel)

    # --- searching

    def search(
        self,
        query: SessionQuery,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        limit: int = PAGE,
        after: SearchResult | None = None,
        cancel: Cancel | None = None,
        order: SearchOrder = SearchOrder.NEWEST,
    ) -> SearchResult:
        """Conversations with a message, title or id that matches, by their newest hit.

        Args:
            limit: Conversations to find (or to find more, with `after`) before the walk stops early.
            after: An earlier answer to the same query; the new one contains it and goes on from there.
            cancel: Cancelling it from another thread stops the query at once.
            order: RELEVANT weighs the newest 2,000 hits; `after=` weighs as many more and puts them behind.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        from storage.engine.connection import Cancel
        from storage.finding import search

        return search.search(
            self.searcher,
            self._lister,
            query,
            show,
            limit,
            after,
            cancel or Cancel(),
            now=self.clock(),
            order=order,
        )

    def count_matches(
        self,
        query: SessionQuery,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        after: SearchResult | None = None,
        cancel: Cancel | None = None,
    ) -> MatchCount:
        """How many conversations match, and how many messages of each: exactly, up to 2,000 conversations.

        Args:
            after: An answer to the same query that stopped early, of any order; it is counted on from there.
            cancel: Cancelling it from another thread stops the counting at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        from storage.engine.connection import Cancel
        from storage.finding import counting

        return counting.count(
            self.searcher, self._lister, query, show, after, cancel or Cancel(), now=self.clock()
        )

    def excerpts(
        self, query: SessionQuery, hits: Sequence[ConversationHit], width: int = 160
    ) -> tuple[Excerpt | None, ...]:
        """The best excerpt of each hit, about `width` characters; None where only the title or an id matched."""
        from storage.finding import excerpt

        return excerpt.excerpts(self.reader, query, hits, width)

    # --- reading

    def transcript(self, parts: Sequence[str], tail: int | None = None) -> Transcript:
        """The visible messages of these sessions, as one talk, oldest first.

        Args:
            parts: Session ids in order, usually the main line of an `Entry`.
            tail: Only so many of the last user and assistant messages (and what stands between); None: all.
        """
        from storage.conversation import messages

        return messages.transcript(self.reader, parts, tail)

    def lineage(self, session_id: str) -> Lineage:
        """The whole family of a session.

        Raises:
            UnknownSession: There is no such session.
        """
        from storage.conversation import lineage

        return lineage.family(self.reader, session_id)

    # --- what it adds up to

    def statistics(
        self,
        tz: tzinfo | None = None,
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: Cancel | None = None,
    ) -> Statistics:
        """Conversations, sessions, messages, tokens and cost of everything: by source, model, day and hour.

        It is read some sessions at a time: what others commit meanwhile may be in it or not.

        Args:
            tz: The time zone of the days and hours; None is the system's own.
            progress: Told before every step how many sessions are counted, and how many there are.
            cancel: Cancelling it from another thread stops it at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        from storage.finding import statistics

        self.searcher.refresh_layout()
        return statistics.statistics(self.searcher, tz, progress, cancel)

    def top_sessions(
        self, by: Sort = Sort.TOKENS, limit: int = 10, *, cancel: Cancel | None = None
    ) -> tuple[TopSession, ...]:
        """The sessions with the most messages, tokens or cost, the largest first; those with none are left out.

        Raises:
            BadFilter: `by` is another order.
        """
        from storage.finding import statistics

        self.searcher.refresh_layout()
        return statistics.top_sessions(self.searcher, by, limit, cancel)

    def store_size(
        self, *, progress: Callable[[int, int], None] | None = None, cancel: Cancel | None = None
    ) -> StoreSize:
        """What the tables and indexes of the file take on the disk.

        Args:
            progress: Told before every table and index how many pages are counted, and how many there are.
            cancel: Cancelling it from another thread stops it at once.
        """
        from storage.finding import store_size

        self.searcher.refresh_layout()
        return store_size.store_size(self.searcher, progress, cancel)

    # --- what changes meanwhile

    def replaced(self) -> bool:
        """Whether the path leads to another file now, or to none. The open one goes on as it is."""
        return _file_at(self.path) != self._file

    def changes(self) -> Changes | None:
        """What other processes committed since the last call; None when nothing was (one pragma, no lock kept)."""
        return self._lister.changes()


def _file_at(path: Path) -> tuple[int, int] | None:
    # Never by opening it: closing a plain handle drops the locks that SQLite holds on the file.
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino
