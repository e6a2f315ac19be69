"""Every store call of the interface: on a thread, newest request first, stale answers dropped.

The interface has a few lanes ("list", "search", "rows", …), each with at most one thread: a lane that is slow takes no
thread from the others. A new request in a lane cancels the one before it, down to the query that SQLite is running,
and takes the place of one that has not begun. Answers come back as messages that carry the serial of their request.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from hermes_tui.services.answer import StoreAnswer
from storage.errors import Interrupted, StoreError

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from storage import (
        Cancel,
        Changes,
        Conversation,
        ConversationHit,
        Entry,
        Excerpt,
        HiddenClass,
        Lineage,
        Listing,
        MatchCount,
        SearchOrder,
        SearchResult,
        SessionDB,
        SessionQuery,
        Sort,
        StoreInfo,
        Transcript,
    )

    Job = Callable[[SessionDB, Cancel, int], Message | None]


ORDER_AFTER = 0.1
"""Seconds in which the rows of the first page come to the screen."""

TURN = 0.002
"""Seconds in which what waits for the store gets its turn, between two steps of learning."""

COUNT_AFTER = 0.25
"""Seconds after an answer in which the next letter may come."""


class Request(NamedTuple):
    """A call that is to be made on its lane's thread."""

    serial: int
    cancel: Cancel
    job: Job
    opening: bool


class StoreWorker:
    """The interface's only way to the store.

    Args:
        owner: The screen that gets the answers and whose workers run the calls.
        open_store: Opens the store; called on a thread.
    """

    class Answer(StoreAnswer):
        """Anything that comes back."""

    @dataclass
    class Opened(Answer):
        """The store is open."""

        info: StoreInfo

    @dataclass
    class Listed(Answer):
        """An order of the list, whole or its first page."""

        serial: int
        listing: Listing

    @dataclass
    class Found(Answer):
        """What a search has found so far."""

        serial: int
        query: SessionQuery
        order: SearchOrder
        result: SearchResult
        seconds: float

    @dataclass
    class Counted(Answer):
        """How much a search finds altogether."""

        serial: int
        query: SessionQuery
        count: MatchCount
        seconds: float

    @dataclass
    class Rows(Answer):
        """Rows of the list, and the excerpts that belong to them."""

        serial: int
        rows: tuple[Conversation, ...]
        excerpts: dict[str, Excerpt | None]

    @dataclass
    class Read(Answer):
        """Messages of one conversation."""

        serial: int
        entry: Entry
        transcript: Transcript

    @dataclass
    class Family(Answer):
        """The relatives of one session."""

        serial: int
        lineage: Lineage

    @dataclass
    class Values(Answer):
        """What there is of the values of one key of a filter, the most frequent first."""

        key: str
        values: tuple[str, ...]

    @dataclass
    class Changed(Answer):
        """Other processes wrote to the store."""

        changes: Changes

    @dataclass
    class Failed(Answer):
        """A store call was refused; `error` is a sentence to show."""

        serial: int
        lane: str
        error: StoreError
        lost: bool
        """What lies at the path of the store is not open."""

    @dataclass
    class Replaced(Answer):
        """Another file lies at the path of the store, or none."""

    def __init__(self, owner: DOMNode, open_store: Callable[[], SessionDB]) -> None:
        self._owner = owner
        self._open_store = open_store
        self._db: SessionDB | None = None
        self._lost = False
        """What lies at the path could not be opened: to be tried again, even if it is the open file that is back."""
        self._left: list[SessionDB] = []
        """Stores that another one took the place of; calls may still be under way in them."""
        self._serials = count(1)
        self._latest: dict[str, tuple[int, Cancel]] = {}
        self._running: set[str] = set()
        self._next: dict[str, Request] = {}
        self._lock = Lock()
        """Guards the two above: a lane's thread and the interface hand requests over."""
        self._closed = False

    # --- requests

    def open(self, show: frozenset[HiddenClass], source: str | None) -> int:
        """Open the store, read its first page, then the whole order."""
        from storage import Filter, SessionQuery

        query = SessionQuery(filters=(Filter("source", source),)) if source else None
        return self.submit(
            "list", lambda db, cancel, serial: self._first_page(db, cancel, serial, show, query), opening=True
        )

    def list(
        self,
        query: SessionQuery | None,
        sort: Sort,
        show: frozenset[HiddenClass],
        *,
        fresh: bool,
        ahead: bool,
    ) -> int:
        """The order that the filters leave, `fresh`: of the file that is there now; `ahead`: its first page first."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message | None:
            if fresh and db.replaced():
                if (there := self._open()) is None:
                    return None
                db = there
                self._post(self.Opened(db.info()))
            if ahead:
                page = self.Listed(serial, db.first_page(show, query=query, sort=sort, cancel=cancel))
                if page.listing.complete:
                    return page
                cancel.check()
                self._post(page)
            return self.Listed(serial, db.listing(query, sort, show, fresh=fresh, cancel=cancel))

        return self.submit("list", job)

    def search(
        self,
        query: SessionQuery,
        show: frozenset[HiddenClass],
        order: SearchOrder,
        after: SearchResult | None = None,
        *,
        limit: int,
    ) -> int:
        """Search, or go on with a search that stopped early, until there are `limit` conversations (more)."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            started = time.perf_counter()
            result = db.search(query, show, order=order, after=after, limit=limit, cancel=cancel)
            return self.Found(serial, query, order, result, time.perf_counter() - started)

        return self.submit("search", job)

    def count(self, query: SessionQuery, show: frozenset[HiddenClass], after: SearchResult) -> int:
        """Count what a search that stopped early would find; nobody waits for it, and no typing is held up by it."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            time.sleep(COUNT_AFTER)
            cancel.check()
            started = time.perf_counter()
            counted = db.count_matches(query, show, after=after, cancel=cancel)
            return self.Counted(serial, query, counted, time.perf_counter() - started)

        return self.submit("count", job)

    def rows(
        self,
        entries: Sequence[Entry],
        query: SessionQuery | None,
        hits: Sequence[ConversationHit],
    ) -> int:
        """The rows of these conversations; with a query, the excerpts of these hits too."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            rows = db.details(entries)
            cancel.check()
            found = db.excerpts(query, hits) if query is not None and hits else ()
            excerpts = {hit.entry.id: excerpt for hit, excerpt in zip(hits, found, strict=False)}
            return self.Rows(serial, rows, excerpts)

        return self.submit("rows", job)

    def read(self, entry: Entry, parts: Sequence[str], tail: int | None) -> int:
        """The messages of a conversation, or of one part of it."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            return self.Read(serial, entry, db.transcript(parts, tail))

        return self.submit("read", job)

    def family(self, session_id: str) -> int:
        """The relatives of a session."""
        return self.submit("family", lambda db, cancel, serial: self.Family(serial, db.lineage(session_id)))

    def values(self, key: str) -> int:
        """The values of a key of a filter."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            _learn(db, key, cancel)
            return self.Values(key, tuple(value for value, _ in db.values(key)))

        return self.submit(f"values of {key}", job)

    def learn(self, key: str) -> int:
        """Read what a filter of this key asks of every conversation; its value is still being typed."""
        return self.submit(f"values of {key}", lambda db, cancel, serial: _learn(db, key, cancel))

    def poll(self) -> None:
        """Look once whether other processes wrote, or took the file away; what is under way is not doubled."""
        if self._db is None or "live" in self._running:
            return

        def look(db: SessionDB, cancel: Cancel, serial: int) -> Message | None:
            if self._lost or db.replaced():
                return self.Replaced() if "list" not in self._running else None
            changes = db.changes()
            return self.Changed(changes) if changes is not None else None

        self.submit("live", look)

    def cancel(self, lane: str) -> None:
        """Stop what a lane is doing; its answer will not come."""
        if lane in self._latest:
            self._latest.pop(lane)[1].cancel()

    def is_current(self, lane: str, serial: int) -> bool:
        """Whether an answer is to the lane's newest request."""
        return lane in self._latest and self._latest[lane][0] == serial

    def close(self) -> None:
        """Stop everything and close the store, without waiting for it."""
        self._closed = True
        with self._lock:
            self._next.clear()
        for lane in list(self._latest):
            self.cancel(lane)
        for db in (*self._left, self._db):
            if db is not None:
                Thread(target=db.close, name="close store").start()
        self._db = None

    # --- on the thread

    def _first_page(
        self,
        db: SessionDB,
        cancel: Cancel,
        serial: int,
        show: frozenset[HiddenClass],
        query: SessionQuery | None,
    ) -> Message | None:
        self._post(self.Opened(db.info()))
        if query is None:
            page = db.first_page(show)
            cancel.check()
            self._post(self.Listed(serial, page))
            if page.complete:
                return None
            # Python runs one thread at a time: reading everything would take turns with the rows of the page.
            time.sleep(ORDER_AFTER)
        cancel.check()
        return self.Listed(serial, db.listing(query, show=show))

    def _post(self, message: Message) -> None:
        if not self._closed:
            self._owner.post_message(message)

    def submit(self, lane: str, job: Job, *, opening: bool = False) -> int:
        """Call `job` on the lane's thread, with the open store (`opening`: with one that is opened first)."""
        from storage import Cancel

        self.cancel(lane)
        request = Request(next(self._serials), Cancel(), job, opening)
        self._latest[lane] = (request.serial, request.cancel)
        with self._lock:
            if lane in self._running:
                self._next[lane] = request
                return request.serial
            self._running.add(lane)
        self._owner.run_worker(
            lambda: self._work(lane, request), name=lane, group=lane, exit_on_error=True, thread=True
        )
        return request.serial

    def _work(self, lane: str, first: Request) -> None:
        request: Request | None = first
        while request is not None:
            message = self._answer(lane, request)
            if message is not None and not request.cancel.cancelled:
                self._post(message)
            with self._lock:
                request = self._next.pop(lane, None)
                if request is None:
                    self._running.discard(lane)

    def _answer(self, lane: str, request: Request) -> Message | None:
        try:
            request.cancel.check()
            db = self._open() if request.opening else self._db
            return request.job(db, request.cancel, request.serial) if db is not None else None
        except Interrupted:
            return None
        except StoreError as error:
            lost = request.opening or self._db is None or self._db.replaced()
            self._lost = self._lost or lost
            return self.Failed(request.serial, lane, error, lost)

    def _open(self) -> SessionDB | None:
        db = self._open_store()
        if self._closed:
            # Nobody will come back for it.
            db.close()
            return None
        if self._db is not None:
            self._left.append(self._db)
        self._db, self._lost = db, False
        return db


def _learn(db: SessionDB, key: str, cancel: Cancel) -> None:
    for _ in db.learning(key, cancel):
        time.sleep(TURN)
