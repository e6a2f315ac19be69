"""The list of conversations: its first page at once, its whole order behind it, and what changes meanwhile."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable

from storage.conversation import relatives
from storage.engine.connection import Cancel, Reader
from storage.finding import newest
from storage.finding.catalog import CLASS_OF_SOURCE, Catalog, Placed, catalog, conversations, in_order
from storage.finding.order import ordered
from storage.finding.query import SessionQuery
from storage.finding.watch import Watch
from storage.records import Changes, Entry, HiddenClass, Listing, Sort

SMALL = 500
"""Sessions up to which the first page is the whole list: it takes no longer."""

FULL_READING_SECONDS = 10.0
"""Between two full readings for changes that nothing points to (a rename, an end, an archiving)."""


class Lister:
    """Knows the conversations of one store. Any thread may call it.

    The complete order is kept as an immutable snapshot, which `listing(fresh=False)` and `entries_of` answer
    from and which `changes` keeps up to date.

    Args:
        reader: The connection that is used for everything here.
        clock: Seconds from any beginning; paces the full readings.
    """

    def __init__(self, reader: Reader, clock: Callable[[], float] = time.monotonic) -> None:
        self._reader = reader
        self._clock = clock
        self._lock = threading.RLock()
        self._watch = Watch(reader)
        self._catalog: Catalog | None = None
        self._read_at = clock()
        self._owed = False

    def first_page(self, show: frozenset[HiddenClass], limit: int) -> Listing:
        """The `limit` conversations that were active last, found by walking back from the newest message.

        Answers with the complete order where that is as quick, or where the newest messages do not fill the
        page: an answer with fewer than `limit` conversations is always complete. A pinned conversation that
        is not among the newest only moves to the top with the complete order.
        """
        page = self._walk(show, limit) if self._is_large() and newest.walkable(self._reader) else None
        if page is None:
            return self.listing(None, Sort.ACTIVE, show)
        return Listing(_pinned_first(one.entry for one in page), complete=False)

    def listing(
        self,
        query: SessionQuery | None,
        sort: Sort,
        show: frozenset[HiddenClass],
        *,
        pins_first: bool = True,
        fresh: bool = True,
    ) -> Listing:
        """The complete order of what the sources of the query leave.

        A source that is hidden as a class is shown when it is asked for by name. `hidden` counts, of each
        class, what these sources leave.
        """
        snapshot = self._catalog
        if fresh or snapshot is None:
            snapshot = self._read()
        placed: Iterable[Placed] = snapshot.placed
        if query is not None and query.sources:
            wanted = frozenset(query.sources)
            show |= {CLASS_OF_SOURCE[source] for source in wanted if source in CLASS_OF_SOURCE}
            placed = [one for one in placed if one.entry.source in wanted]
        hidden = Counter(one.entry.hidden for one in placed if one.entry.hidden is not None)
        shown = [one for one in placed if one.entry.hidden is None or one.entry.hidden in show]
        entries: Iterable[Entry] = (one.entry for one in ordered(self._reader, shown, sort))
        listed = _pinned_first(entries) if pins_first else tuple(entries)
        return Listing(listed, dict(hidden), complete=True, total=len(listed))

    def find(self, session_id: str) -> Entry | None:
        """The conversation of this session as the store has it now; None for an unknown id."""
        found = self._resolve([session_id]).get(session_id)
        return found.entry if found else None

    def entries_of(self, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Entry]:
        """The conversation of each of these sessions; unknown ids are left out.

        Answers from the snapshot where it knows the session, from the store for all others together.
        """
        known = self._catalog.by_session if self._catalog else {}
        wanted = list(dict.fromkeys(session_ids))
        unknown = [id_ for id_ in wanted if id_ not in known]
        found = self._resolve(unknown, cancel) if unknown else {}
        return {id_: one.entry for id_ in wanted if (one := known.get(id_) or found.get(id_)) is not None}

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
            if session_ids and self._catalog is not None:
                self._catalog = self._merged(self._catalog, session_ids)
            due = self._clock() - self._read_at >= FULL_READING_SECONDS
            if due or (news is not None and not news.thorough):
                self._read_at = self._clock()
                self._owed = False
                return Changes(session_ids, reordered=True)
            return Changes(session_ids) if news else None

    def _read(self) -> Catalog:
        with self._lock:
            self._read_at = self._clock()
            self._owed = False
            self._catalog = catalog(relatives.everyone(self._reader))
            return self._catalog

    def _is_large(self) -> bool:
        if "sessions" not in self._reader.layout.columns:
            return False
        counted = self._reader.one("SELECT count(*) FROM (SELECT 1 FROM sessions LIMIT ?1)", (SMALL + 1,))
        return counted is not None and counted[0] > SMALL

    def _walk(self, show: frozenset[HiddenClass], limit: int) -> tuple[Placed, ...] | None:
        found: dict[str, Placed] = {}
        enough = False
        for session_ids in newest.spoken_in(self._reader):
            self._add(found, session_ids)
            page = _shown(found, show)
            # One slice more than enough: whoever spoke last need not have spoken first.
            if enough:
                break
            enough = len(page) >= limit
        else:
            if not enough:
                return None
        cutoff = page[limit - 1].entry.last_active if limit else None
        if cutoff is None:  # no time on the page: whoever else has none may stand before it
            return None
        started = newest.started_since(self._reader, cutoff)
        if len(started) == newest.STARTS:
            return None
        self._add(found, started)
        return _shown(found, show)[:limit]

    def _add(self, found: dict[str, Placed], session_ids: Iterable[str]) -> None:
        missing = [id_ for id_ in session_ids if id_ not in found]
        if missing:
            found.update(self._resolve(missing))

    def _resolve(self, session_ids: Iterable[str], cancel: Cancel | None = None) -> dict[str, Placed]:
        """The conversations of these sessions, whole, by each of their parts."""
        wanted = list(session_ids)
        around = conversations(relatives.around(self._reader, wanted, cancel))
        return {
            part: one
            for one in {around[id_].entry.id: around[id_] for id_ in wanted if id_ in around}.values()
            for part in one.entry.parts
        }

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
                for part in before.entry.parts
            }
            if touched <= wanted:
                return snapshot.replaced(current)
            wanted |= touched


def _shown(found: dict[str, Placed], show: frozenset[HiddenClass]) -> tuple[Placed, ...]:
    distinct = {one.entry.id: one for one in found.values()}.values()
    return in_order(one for one in distinct if one.entry.hidden is None or one.entry.hidden in show)


def _pinned_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: not entry.pinned))
