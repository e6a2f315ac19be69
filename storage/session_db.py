"""SessionDB: the one door to a session store. Each method is one call into a room below."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from storage import locations
from storage.conversation import lineage, messages
from storage.engine.connection import Cancel, Reader, open_reader
from storage.errors import WritingNotSupported
from storage.finding import details, excerpt, search
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.keeping import fill
from storage.records import (
    Changes,
    Conversation,
    ConversationHit,
    Entry,
    Excerpt,
    HiddenClass,
    Lineage,
    Listing,
    SearchResult,
    Sort,
    StoreInfo,
    Transcript,
)

PAGE = 60
"""Conversations in a page."""


class SessionDB:
    """A Hermes session store, open for reading.

    Two read-only connections stand behind it: one for searching, which can be interrupted, and one for
    everything else. Every method exhausts its cursors before it returns, so nothing ever pins the WAL.
    All methods may be called from any thread.

    Args:
        db_path: The store; the default is the one `hermes` itself would use (spec 7).
        read_only: True opens an existing store without changing a byte of it. False creates a new store at
            schema version 23 and refuses an existing one.
        clock: Returns the time in Unix seconds; decides what is "running".

    Raises:
        StoreMissing, NotAStore, StoreUnreadable, StoreBusy, WritingNotSupported: with a sentence to show.
    """

    def __init__(
        self,
        db_path: str | Path | None = None,
        read_only: bool = False,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = Path(db_path) if db_path is not None else locations.default_store()
        self._ours = not read_only
        if self._ours:
            fill.create_store(self.path)
        self._clock = clock
        self._reader: Reader = open_reader(self.path)
        self._searcher: Reader = open_reader(self.path)
        self._lister = Lister(self._reader)

    def close(self) -> None:
        """Close both connections. Safe to call twice."""
        self._searcher.close()
        self._reader.close()

    def __enter__(self) -> SessionDB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what it is

    def info(self) -> StoreInfo:
        """Say what the store is, and what cannot be done with it and why."""
        return self._reader.info()

    # --- the list

    def first_page(
        self, show: frozenset[HiddenClass] = frozenset(), limit: int = PAGE
    ) -> Listing:
        """The most recently active conversations without reading the whole store (milliseconds at any size).

        Args:
            show: Hidden classes to include.
            limit: Conversations wanted.
        """
        return self._lister.first_page(show, limit)

    def listing(
        self,
        query: SessionQuery | None = None,
        sort: Sort = Sort.ACTIVE,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        pins_first: bool = True,
        fresh: bool = True,
    ) -> Listing:
        """The complete order of the conversations that the query's filters leave.

        Args:
            query: Only its filters count here; its words are for `search`.
            show: Hidden classes to include.
            pins_first: Pinned conversations on top.
            fresh: Read the store again; False answers from what was read last, brought up to date by `changes`.
        """
        return self._lister.listing(query, sort, show, pins_first=pins_first, fresh=fresh)

    def details(self, entries: Sequence[Entry]) -> tuple[Conversation, ...]:
        """The rows of these conversations, in the same order; meant for a visible page (60: about a millisecond).

        A conversation whose sessions are all gone is left out.
        """
        return details.conversations(self._reader, entries, self._clock())

    def find(self, session_id: str) -> Entry | None:
        """The conversation that this session is a part of; None for an unknown id."""
        return self._lister.find(session_id)

    # --- searching

    def search(
        self,
        query: SessionQuery,
        show: frozenset[HiddenClass] = frozenset(),
        *,
        limit: int = PAGE,
        after: SearchResult | None = None,
        cancel: Cancel | None = None,
    ) -> SearchResult:
        """Conversations with a message, title or id that matches, by their newest hit.

        Args:
            limit: Conversations to find (or to find more, with `after`) before the walk stops early.
            after: An earlier answer to the same query; the new one contains it and goes on from there.
            cancel: Cancelling it from another thread stops the query at once.

        Raises:
            Interrupted: `cancel` was cancelled.
        """
        return search.search(self._searcher, self._lister, query, show, limit, after, cancel or Cancel())

    def excerpts(
        self, query: SessionQuery, hits: Sequence[ConversationHit], width: int = 160
    ) -> tuple[Excerpt | None, ...]:
        """The best excerpt of each hit, about `width` characters; None where only the title or an id matched."""
        return excerpt.excerpts(self._reader, query, hits, width)

    # --- reading

    def transcript(self, parts: Sequence[str], tail: int | None = None) -> Transcript:
        """The visible messages of these sessions, as one talk, oldest first.

        Args:
            parts: Session ids in order, usually the main line of an `Entry`.
            tail: Only so many of the last user and assistant messages (and what stands between); None: all.
        """
        return messages.transcript(self._reader, parts, tail)

    def lineage(self, session_id: str) -> Lineage:
        """The whole family of a session.

        Raises:
            UnknownSession: There is no such session.
        """
        return lineage.family(self._reader, session_id)

    # --- what changes meanwhile

    def changes(self) -> Changes | None:
        """What other processes committed since the last call; None when nothing was (one pragma, no lock kept)."""
        return self._lister.changes()

    # --- filling a store of our own

    def fill(self, sessions: Iterable[Mapping[str, Any]], messages: Iterable[Mapping[str, Any]]) -> None:
        """Write rows into a store that this object created: column name → value, unknown columns refused.

        Raises:
            WritingNotSupported: It did not create it.
            RowRefused: The store cannot hold a row as it is; none was written.
        """
        if not self._ours:
            raise WritingNotSupported(self.path)
        fill.fill(self.path, sessions, messages)
