"""What has arrived of the rows of the list: details, excerpts and hits, each in its own time and in any order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from textual.cache import LRUCache

from hermes_tui.widgets.session_rows import Row, title_width

if TYPE_CHECKING:
    from storage.readings import Excerpt
    from storage.records import Conversation, Entry

KEPT_DETAILS = 2000
"""Conversations whose details are remembered; others are asked for again when they come into view."""


class KnownRows:
    """Remembers by conversation what a row is drawn from."""

    def __init__(self) -> None:
        self._details: LRUCache[str, Conversation] = LRUCache(KEPT_DETAILS)
        self._excerpts: dict[str, Excerpt | None] = {}
        self._outdated: set[str] = set()
        self.hits: Mapping[str, str] = {}
        """Numbers of hits as words."""
        self.title_width = 0
        """Cells of the widest title that was seen."""

    def put(self, rows: Iterable[Conversation]) -> set[str]:
        """Take details, new or changed; returns whose."""
        ids = set()
        for row in rows:
            self._details.discard(row.id)  # `set` would keep the old value
            self._details.set(row.id, row)
            self.title_width = max(self.title_width, title_width(row))
            ids.add(row.id)
        self._outdated -= ids
        return ids

    def put_excerpts(self, excerpts: Mapping[str, Excerpt | None]) -> None:
        """Take excerpts; None where there is none."""
        self._excerpts.update(excerpts)

    def forget_search(self) -> None:
        """The words are others now."""
        self.hits = {}
        self._excerpts.clear()

    def outdate(self, ids: Iterable[str] | None) -> None:
        """Details of these (None: of all) are no longer those in the store."""
        self._outdated.update(self._details.keys() if ids is None else ids)

    def details(self, entry: Entry) -> Conversation | None:
        """Its details, if they are here."""
        return self._details.get(entry.id)

    def lacks_details(self, entry: Entry) -> bool:
        """Whether its details are to be asked for."""
        return entry.id in self._outdated or not self.fits(entry)

    def lacks_excerpt(self, entry: Entry) -> bool:
        """Whether nobody has looked for an excerpt of it yet."""
        return entry.id not in self._excerpts

    def fits(self, entry: Entry) -> bool:
        """Whether the details that are here are of this entry, and not of what its conversation was before."""
        row = self._details.get(entry.id)
        return row is not None and (row.parts, row.edge) == (entry.parts, entry.edge)

    def row(self, entry: Entry, *, cursor: bool, marked: bool) -> Row:
        """All that its line shows."""
        return Row(
            entry=entry,
            details=self._details.get(entry.id),
            excerpt=self._excerpts.get(entry.id),
            hits=self.hits.get(entry.id, ""),
            cursor=cursor,
            marked=marked,
        )
