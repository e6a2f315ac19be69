"""The list of conversations: its first page at once, its whole order behind it, and what changes meanwhile."""

from __future__ import annotations

import gc
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from storage.conversation import relatives
from storage.engine.connection import Cancel, Reader
from storage.finding import newest
from storage.finding.catalog import Catalog, catalog, conversations, distinct, in_order
from storage.finding.facts import Facts
from storage.finding.order import ordered
from storage.finding.watch import Watch
from storage.records import Changes, Entry, HiddenClass, Listing, Sort

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery

SMALL = 500
"""Sessions up to which the first page is the whole list: it takes no longer."""

FULL_READING_SECONDS = 10.0
"""Between two full readings for changes that nothing points to (a rename, an end, an archiving)."""


class Lister:
    """Knows the conversations of one store. Any thread may call it.

    The complete order is kept as an immutable snapshot, which `listing(fresh=False)` and `entries_of` answer
    from and which `changes` keeps up to date.

    Args:
        reader: The connection that is used for everything here that is quick.
        searcher: The one for all else; None: the same.
        clock: Seconds from any beginning; paces the full readings.
        now: Unix seconds; what relative dates count from and what is running.
    """

    def __init__(
        self,
        reader: Reader,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        searcher: Reader | None = None,
    ) -> None:
        self._reader = reader
        self._searcher = searcher or reader
        self._now = now
        self._clock = clock
        self._lock = threading.RLock()
        self._watch = Watch(reader)
        self._catalog: Catalog | None = None
        self._facts: tuple[Catalog, Facts] | None = None
        self._read_at = clock()
        self._owed = False

    def first_page(
        self,
        show: frozenset[HiddenClass],
        limit: int,
        query: SessionQuery | None = None,
        sort: Sort = Sort.ACTIVE,
        cancel: Cancel | None = None,
    ) -> Listing:
        """The top of the list: see `SessionDB.first_page`."""
        if query is None and sort is Sort.ACTIVE:
            return self._newest(show, limit)
        if query is not None and query.excluded and not query.is_search:
            top = self._top(show, limit, query, sort, cancel)
            if top:
                return Listing(tuple(top), complete=False)
        return self.listing(query, sort, show, fresh=False, cancel=cancel)

    def _newest(self, show: frozenset[HiddenClass], limit: int) -> Listing:
        """The `limit` conversations that were active last, found by walking back from the newest message.

        Answers with the complete order where that is as quick, or where the newest messages do not fill the
        page: an answer with fewer than `limit` conversations is always complete. Only the complete order
        moves an old pinned conversation to the top, and knows of activity that message ids do not follow
        (they grow with time, but an import writes session by session).
        """
        page = self._walk(show, limit) if self._is_large() and newest.walkable(self._reader) else None
        if page is None:
            return self.listing(None, Sort.ACTIVE, show)
        return Listing(_pinned_first(page), complete=False)

    def listing(
        self,
        query: SessionQuery | None,
        sort: Sort,
        show: frozenset[HiddenClass],
        *,
        pins_first: bool = True,
        fresh: bool = True,
        cancel: Cancel | None = None,
    ) -> Listing:
        """The complete order of what the filters of the query leave.

        A hidden class is shown when it is asked for by name (`source:cron`, `is:archived`). `hidden` counts, of
        each class, what the filters leave.
        """
        if fresh:
            self._read()
        snapshot, facts = self.known()
        entries: Sequence[Entry] = snapshot.entries
        notes: tuple[str, ...] = ()
        if query is not None and query.restricts:
            from storage.finding import filters

            show |= query.shown_classes
            entries = filters.left(self._searcher, snapshot, facts, query, self._now(), cancel)
            notes = filters.unknown(self, query, cancel)
        hidden = Counter(entry.hidden for entry in entries if entry.hidden is not None)
        shown = ordered(facts, _shown(entries, show), sort, cancel)
        listed = _pinned_first(shown) if pins_first else tuple(shown)
        return Listing(listed, dict(hidden), complete=True, total=len(listed), notes=notes)

    def values(self, key: str, cancel: Cancel | None = None) -> tuple[tuple[str, int], ...]:
        """The values there are for a key of a filter: see `Facts.values`."""
        snapshot, facts = self.known()
        return facts.values(key, snapshot.entries, cancel)

    def learning(self, key: str, cancel: Cancel | None = None) -> Iterator[None]:
        """Read what filters of this key ask of every conversation, a step at a time: whoever searches gets a turn.

        Nothing before the whole order is read; it ends when the store moves on.
        """
        from storage.finding import filters

        if (snapshot := self._catalog) is None:
            return
        facts = self.known()[1]
        for _ in filters.learning(facts, key, snapshot.entries, self._now(), cancel):
            yield
            if self._catalog is not snapshot:
                return

    def known(self) -> tuple[Catalog, Facts]:
        """The snapshot, read if there is none yet, and the facts that were read beside it."""
        snapshot = self._catalog or self._read()
        if self._facts is None or self._facts[0] is not snapshot:
            self._facts = snapshot, Facts(self._reader)
        return self._facts

    def find(self, session_id: str) -> Entry | None:
        """The conversation of this session as the store has it now; None for an unknown id."""
        return self._resolve([session_id]).get(session_id)

    def entries_of(self, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Entry]:
        """The conversation of each of these sessions; unknown ids are left out.

        Answers from the snapshot where it knows the session, from the store for all others together.
        """
        known = self._catalog.by_session if self._catalog else {}
        wanted = list(dict.fromkeys(session_ids))
        unknown = [id_ for id_ in wanted if id_ not in known]
        found = self._resolve(unknown, cancel) if unknown else {}
        return {id_: entry for id_ in wanted if (entry := known.get(id_) or found.get(id_)) is not None}

    def changes(self) -> Changes | None:
        """What other processes committed since the last call; None when that is nothing.

        New messages and sessions are merged into the snapshot. Whatever else a commit did leaves no trace to
        follow, so it is answered with `reordered`, at most every FULL_READING_SECONDS; until then the answer
        is empty. The caller reads the list anew when it is told to.
        """
        with self._lock:
            news = self._watch.look()
            if news is None and not self._owed:
                return None
            self._owed = True
            session_ids = news.session_ids if news else ()
            if session_ids and (snapshot := self._catalog) is not None:
                self._catalog = None  # a merge that fails must leave no old one behind
                self._catalog = self._merged(snapshot, session_ids)
            due = self._clock() - self._read_at >= FULL_READING_SECONDS
            if due or (news is not None and not news.thorough):
                self._read_at = self._clock()
                self._owed = False
                return Changes(session_ids, reordered=True)
            return Changes(session_ids) if news else None

    def _read(self) -> Catalog:
        with self._lock:
            began = self._clock()
            with _no_collector():
                snapshot = catalog(relatives.everyone(self._reader))
            self._catalog, self._read_at, self._owed = snapshot, began, False
            return snapshot

    def _is_large(self) -> bool:
        if "sessions" not in self._reader.layout.columns:
            return False
        counted = self._reader.one("SELECT count(*) FROM (SELECT 1 FROM sessions LIMIT ?1)", (SMALL + 1,))
        return counted is not None and counted[0] > SMALL

    def _walk(self, show: frozenset[HiddenClass], limit: int) -> tuple[Entry, ...] | None:
        found: dict[str, Entry] = {}
        enough = False
        for session_ids in newest.spoken_in(self._reader):
            self._add(found, session_ids)
            page = in_order(_shown(distinct(found.values()), show))
            # One slice more than enough: whoever spoke last need not have spoken first.
            if enough:
                break
            enough = len(page) >= limit
        else:
            if not enough:
                return None
        cutoff = page[limit - 1].last_active if limit else None
        if cutoff is None:  # no time on the page: whoever else has none may stand before it
            return None
        started = newest.started_since(self._reader, cutoff)
        if len(started) == newest.STARTS:
            return None
        self._add(found, started)
        return in_order(_shown(distinct(found.values()), show))[:limit]

    def _top(
        self,
        show: frozenset[HiddenClass],
        limit: int,
        query: SessionQuery,
        sort: Sort,
        cancel: Cancel | None,
    ) -> Sequence[Entry]:
        """What lone exclusions leave of the top, if that takes less than all of it."""
        snapshot, facts = self.known()
        if len(snapshot.by_session) <= SMALL:
            return ()
        from storage.finding import filters, top

        others = replace(query, excluded=())
        entries = filters.left(self._searcher, snapshot, facts, others, self._now(), cancel)
        shown = ordered(facts, _shown(entries, show | query.shown_classes), sort, cancel)
        listed = _pinned_first(shown)
        return top.left(self._searcher, facts, query.excluded, listed, limit, cancel or Cancel())

    def _add(self, found: dict[str, Entry], session_ids: Iterable[str]) -> None:
        missing = [id_ for id_ in session_ids if id_ not in found]
        if missing:
            found.update(self._resolve(missing))

    def _resolve(self, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Entry]:
        """The conversations of these sessions, whole, by each of their parts."""
        wanted = list(session_ids)
        around = conversations(relatives.around(self._reader, wanted, cancel))
        asked = distinct(around[id_] for id_ in wanted if id_ in around)
        return {part: entry for entry in asked for part in entry.parts}

    def _merged(self, snapshot: Catalog, session_ids: Iterable[str]) -> Catalog:
        """The snapshot with the conversations of these sessions as they are now.

        A session can come between conversations or tie two together, so whatever shares a part with what is
        replaced is looked at as well.
        """
        wanted = set(session_ids)
        while True:
            current = self._resolve(wanted)
            touched = {
                part
                for id_ in wanted | current.keys()
                if (before := snapshot.by_session.get(id_))
                for part in before.parts
            }
            if touched <= wanted:
                break
            wanted |= touched
        merged = snapshot.replaced(current)
        if self._facts is not None and self._facts[0] is snapshot:
            self._facts = merged, self._facts[1].without(wanted | current.keys())
        return merged


@contextmanager
def _no_collector() -> Iterator[None]:
    """Without the cycle collector: it would walk the growing order again and again, and hold up every thread.

    At 50,000 sessions that is a quarter of the reading; nothing here makes a cycle.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _shown(entries: Iterable[Entry], show: frozenset[HiddenClass]) -> list[Entry]:
    return [entry for entry in entries if entry.hidden is None or entry.hidden in show]


def _pinned_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: not entry.pinned))
