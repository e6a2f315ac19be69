"""What the list shows and why: the words, the filters, the hidden classes, the order. It decides; it draws nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from hermes_tui.services.store_worker import StoreWorker
from storage import (
    ConversationHit,
    Entry,
    Filter,
    HiddenClass,
    Listing,
    MatchCount,
    SearchOrder,
    SearchResult,
    SessionQuery,
    Sort,
    parse,
)

EVERYTHING = SessionQuery()
FIRST_PAGE = 60
"""Conversations that a search finds before it is asked to go on."""
QUICKLY = 0.1
"""Seconds of counting up to which it is done again whenever others write."""
ALL = 1_000_000
"""More conversations than any store has."""
_NAMED = 3
"""Values that a note about a wrong one names."""
_IGNORED = "without: "
"""Begins every note on what was ignored."""


class Finder:
    """Turns what the person asks for into requests, and the answers into entries.

    Args:
        worker: Where requests go.
        source: The `--source` of the command line: a filter that every query keeps.
        limit: Conversations shown at most, after filtering; None for all.
    """

    def __init__(self, worker: StoreWorker, source: str | None = None, limit: int | None = None) -> None:
        self._worker = worker
        self._source = source
        self._limit = limit
        self.query = self._with_source(EVERYTHING)
        self.show: frozenset[HiddenClass] = frozenset()
        self.sort = Sort.ACTIVE
        self.order = SearchOrder.NEWEST
        self.listing: Listing | None = None
        self.result: SearchResult | None = None
        self.count: MatchCount | None = None
        """Of a search that stopped early, when it is counted."""
        self.seconds = 0.0
        self._count_seconds = 0.0
        self._hits: dict[str, ConversationHit] = {}
        self._listing_query = self.query
        self._requested_query = self.query
        self._walked_on = False
        """The search on show went further than its first page: its rows must not go away."""
        self._opened = False
        self._under_way: set[str] = set()
        """Lanes whose answer is still to come."""
        self._owed: bool | None = None
        """The list is to be read once more when it has come; True: freshly."""
        self._search_owed = False
        """The search is to be made once more when the list has come."""

    # --- what is on show

    @property
    def searching(self) -> bool:
        """Whether there are words to look for."""
        return self.query.is_search

    @property
    def pending(self) -> bool:
        """The list on show does not belong to the words in the box yet."""
        if self.searching:
            return self.result is None
        return self.listing is None or self._listing_query != self._filters

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The conversations on show, in order, at most `limit` of them."""
        if self.searching:
            found = self.result.hits if self.result is not None else ()
            return tuple(hit.entry for hit in found[: self._limit])
        return self.listing.entries[: self._limit] if self.listing is not None else ()

    @property
    def total(self) -> int:
        """Conversations there are without the words; 0 while they are not counted yet."""
        return self.listing.total if self.listing is not None else 0

    @property
    def whole(self) -> bool:
        """Whether `entries` are all that match, and not only those that were come to so far."""
        if self.pending:
            return False
        if not self.searching:
            return self.listing is not None and self.listing.complete
        found = self.result
        return found is not None and (
            found.exhausted or len(found.hits) >= (self._limit or len(found.hits) + 1)
        )

    def hit(self, entry: Entry) -> ConversationHit | None:
        """What the search found in this conversation."""
        return self._hits.get(entry.id) if self.searching else None

    @property
    def exact(self) -> bool:
        """Whether the numbers of the search are not lower bounds: it came to its end, or was counted to it."""
        return self.result is not None and (
            self.result.exhausted or (self.count is not None and self.count.exact)
        )

    @property
    def matching(self) -> int:
        """Conversations that match the search, as far as they are found or counted."""
        found = len(self.result.hits) if self.result is not None else 0
        return max(found, len(self.count.hits)) if self.count is not None else found

    def hit_labels(self) -> dict[str, str]:
        """Number of hits by conversation: "7", or "7+" while nobody knows whether these are all."""
        if self.result is None or not self.searching:
            return {}
        more = "" if self.exact else "+"
        counted = self.count.hits if self.count is not None else {}
        numbers = {hit.entry.id: max(hit.hits, counted.get(hit.entry.id, 0)) for hit in self.result.hits}
        return {id_: f"{number}{more}" for id_, number in numbers.items() if number}

    @property
    def shown_classes(self) -> frozenset[HiddenClass]:
        """Hidden classes that are on show: chosen, or asked for by a filter."""
        return self.show | self.query.shown_classes

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored, is not there or could not be searched, one clause each."""
        answer = self.result if self.searching else self.listing
        ignored = map(_brief, self.query.ignored)
        # An answer repeats what was ignored when it was asked for: since then it may be another word.
        known = (note for note in (answer.notes if answer else ()) if not note.startswith(_IGNORED))
        return tuple(dict.fromkeys((*ignored, *known)))

    @property
    def hidden(self) -> Mapping[HiddenClass, int]:
        """Conversations that words and filters leave and that are not on show, by class."""
        answer = (self.count or self.result) if self.searching else self.listing
        hidden = answer.hidden if answer is not None else {}
        return {name: number for name, number in hidden.items() if name not in self.shown_classes}

    # --- what the person asks for

    def open(self) -> None:
        """Open the store and read the list; what was typed meanwhile is asked for afterwards."""
        self._opened = False
        self._requested_query = self._with_source(EVERYTHING)
        self._under_way = {"list"}
        self._worker.open(self.show, self._source)

    def typed(self, text: str) -> bool:
        """The words changed. Returns whether the list on show may be drawn anew at once."""
        query = self._with_source(parse(text))
        same = query == self.query
        # Even then: what was ignored in it may be another word.
        self.query = query
        if same:
            return False
        return self._ask()

    def toggled(self, show: frozenset[HiddenClass]) -> None:
        """Other hidden classes are wanted."""
        if show != self.show:
            self.show = show
            self._ask()
            if self.searching or self._listing_query == self._filters:
                self._list(fresh=False)

    def sorted_by(self, sort: Sort) -> None:
        """Another order is wanted."""
        self.sort = sort
        self._list(fresh=False)

    def next_order(self) -> None:
        """The next order of the list; of a search, newest or best first."""
        if self.searching:
            newest = self.order is SearchOrder.NEWEST
            self.order = SearchOrder.RELEVANT if newest else SearchOrder.NEWEST
            self._search()
            return
        orders = list(Sort)
        self.sorted_by(orders[(orders.index(self.sort) + 1) % len(orders)])

    def refresh(self) -> None:
        """Read all of it again, also what only a full reading sees (renames, archiving, deleting elsewhere)."""
        self._list(fresh=True)
        if self.searching and not self._walked_on:
            self._search()

    def changed(self, *, reordered: bool) -> None:
        """Other processes wrote; `reordered` when only a full reading can tell what.

        What is under way is left to end: a store that is written to all the time would never get an answer.
        """
        if "list" in self._under_way:
            self._owed = self._owed or reordered
        else:
            self._list(fresh=reordered)
        if self.searching and not self._walked_on and "search" not in self._under_way:
            self._search()

    def opened(self) -> None:
        """The store is open: ask for what was typed meanwhile."""
        self._opened = True
        if self.searching or self._requested_query != self._filters:
            self._ask()
        elif self.sort is not Sort.ACTIVE:
            self._list(fresh=False)

    def more(self) -> None:
        """The end of what was found is near: go on with the walk."""
        if "search" not in self._under_way:
            self._go_on(FIRST_PAGE)

    def rest(self) -> None:
        """All that match are wanted: walk to the end, unless they are `whole` or will come by themselves."""
        self._go_on(ALL)

    def written(self, gone: AbstractSet[str] = frozenset()) -> None:
        """This browser wrote: read anew, also a search that was walked far.

        Args:
            gone: Conversations that are not on show any more, by their tips; nothing is waited for to drop them.
        """
        if gone and self.listing is not None:
            kept = tuple(entry for entry in self.listing.entries if entry.id not in gone)
            total = self.listing.total - (len(self.listing.entries) - len(kept))
            self.listing = replace(self.listing, entries=kept, total=max(total, 0))
        if gone and self.result is not None:
            kept_hits = tuple(hit for hit in self.result.hits if hit.entry.id not in gone)
            self.result = replace(self.result, hits=kept_hits)
        # The list first: a search takes its conversations from what was listed last.
        self._search_owed = self.searching
        self._stop_search()
        self._list(fresh=True)

    def remember(self) -> Callable[[], None]:
        """Note what is asked for and what was found; calling the answer brings it back."""
        query, result, count, hits, seconds = self.query, self.result, self.count, self._hits, self.seconds

        def bring_back() -> None:
            self._stop_search()
            self._walked_on = result is not None and len(result.hits) > FIRST_PAGE
            self.query, self.result, self.count, self._hits, self.seconds = (
                query,
                result,
                count,
                hits,
                seconds,
            )
            if self.searching and result is None:
                self._search()
            elif self.searching and count is None:
                self._count()
            if self._requested_query != self._filters:
                self._list(fresh=False)

        return bring_back

    # --- the answers

    def listed(self, answer: StoreWorker.Listed) -> bool:
        """Take an order of the list. Returns whether it changes what is on show."""
        if not self._worker.is_current("list", answer.serial):
            return False
        self.listing = answer.listing
        self._listing_query = self._requested_query
        if answer.listing.complete:
            self._under_way.discard("list")
            if self._search_owed and self.searching:
                reached = len(self.result.hits) if self.result is not None else 0
                self._search(limit=max(reached, FIRST_PAGE))
            if self._owed is not None:
                self._list(fresh=self._owed)
        return not self.searching

    def found(self, answer: StoreWorker.Found) -> bool:
        """Take what a search found. Returns whether it changes what is on show."""
        asked = answer.query == self.query and answer.order is self.order
        if not self._worker.is_current("search", answer.serial) or not asked:
            return False
        self._under_way.discard("search")
        self.result = answer.result
        self.seconds = answer.seconds
        self._hits = {hit.entry.id: hit for hit in answer.result.hits}
        self._count()
        return True

    def counted(self, answer: StoreWorker.Counted) -> bool:
        """Take how much there is. Returns whether it changes what is on show."""
        if not self._worker.is_current("count", answer.serial) or answer.query != self.query:
            return False
        self.count, self._count_seconds = answer.count, answer.seconds
        return self.result is not None

    def failed(self, lane: str) -> None:
        """A request was refused: nothing will come of it."""
        self._under_way.discard(lane)
        if lane == "list" and self._search_owed and self.searching:
            self._search()

    def lost(self) -> None:
        """The store is not there any more, nor anything that was found in it."""
        self._stop_search()
        self._opened = False
        self._under_way.clear()
        self.listing, self.result, self.count, self._hits, self._owed = None, None, None, {}, None

    # --- asking

    @property
    def _filters(self) -> SessionQuery:
        excluded = () if self.searching else self.query.excluded
        return SessionQuery(excluded=excluded, filters=self.query.filters)

    def _with_source(self, query: SessionQuery) -> SessionQuery:
        if self._source is None or query.sources:
            return query
        return replace(query, filters=(*query.filters, Filter("source", self._source)))

    def _ask(self) -> bool:
        self._stop_search()
        self.result, self.count, self._hits, self._walked_on = None, None, {}, False
        if not self._opened:
            return False
        if self.searching:
            self._search()
        if self._requested_query == self._filters:
            return not self.searching and not self.pending
        self._list(fresh=False)
        return False

    def _search(self, after: SearchResult | None = None, limit: int = FIRST_PAGE) -> None:
        self._search_owed = False
        self._under_way.add("search")
        self._worker.search(self.query, self.show, self.order, after=after, limit=limit)

    def _go_on(self, limit: int) -> None:
        # A search that is to be made once more goes on from what that finds.
        if self.searching and self.result is not None and not self.whole and not self._search_owed:
            self._walked_on = True
            self._search(after=self.result, limit=limit)

    def _count(self) -> None:
        """Count what was found of, if there is more of it: anew where others wrote, if that is done quickly."""
        self._worker.cancel("count")
        if self.result is None or self.result.exhausted:
            self.count = None
        elif self.count is None or self._count_seconds < QUICKLY:
            self._worker.count(self.query, self.show, self.result)
        else:
            self.count = replace(self.count, exact=False)

    def _stop_search(self) -> None:
        self._under_way.discard("search")
        self._worker.cancel("search")
        self._worker.cancel("count")

    def _list(self, *, fresh: bool) -> None:
        self._owed = None
        self._under_way.add("list")
        self._requested_query = self._filters
        # Rows that are on show must not go away for those of a page.
        ahead = bool(self._filters.excluded) and self._filters != self._listing_query and not fresh
        self._worker.list(self._filters, self.sort, self.show, fresh=fresh, ahead=ahead)


def _brief(note: str) -> str:
    """A note that names only a few of the values there are: the box offers the others."""
    what, names, values = note.rpartition(" — not one of ")
    known = values.split(", ")
    return f"{what}{names}{', '.join(known[:_NAMED])}, …" if names and len(known) > _NAMED else note
