"""Words → conversations, by their newest hit or by the best one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import filters, names, ranges, relevance, routes
from storage.finding.findings import EntriesOf, Findings
from storage.finding.hits import Hits
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.finding.scope import NEWEST, Ids, Scope
from storage.records import Entry, HiddenClass, SearchOrder, SearchResult


def search(
    reader: Reader,
    lister: Lister,
    query: SessionQuery,
    show: frozenset[HiddenClass],
    limit: int,
    after: SearchResult | None,
    cancel: Cancel,
    *,
    now: float,
    order: SearchOrder = SearchOrder.NEWEST,
) -> SearchResult:
    """Conversations with a message, a title or an id that matches: see `SessionDB.search`.

    Titles and ids are looked at first and whole; messages from the newest id down, in slices, until there are
    `limit` conversations more or no messages left.

    Args:
        now: Unix seconds, what relative dates count from.
    """
    if not query.is_search:
        return SearchResult((), exhausted=True)
    if after is not None and after.exhausted:
        return after

    walk = begin(reader, lister, query, show, after, cancel, now=now)
    findings = walk.findings
    known = len(after.hits) if after is not None else 0
    if order is SearchOrder.RELEVANT:
        walked: list[Hits] = []
        while _messages(walked) < relevance.ENOUGH and (found := walk.step()) is not None:
            walked += found
        hits = relevance.ranked(reader, query, findings, walked, after.hits if after else (), cancel)
    else:
        hits = findings.ranked(complete=False)
        while len(hits) < known + limit and walk.step() is not None:
            hits = findings.ranked(complete=False)
        if walk.is_over:
            hits = findings.ranked(complete=True)
    return SearchResult(
        hits,
        walk.is_over,
        findings.hidden,
        scanned=findings.scanned > 0,
        notes=(
            *query.ignored,
            *findings.notes,
            *walk.notes,
            *filters.unknown(lister, query, cancel),
        ),
        resume=None if walk.is_over else findings,
    )


def begin(
    reader: Reader,
    lister: Lister,
    query: SessionQuery,
    show: frozenset[HiddenClass],
    after: SearchResult | None,
    cancel: Cancel,
    *,
    now: float,
) -> Walk:
    """The walk of a search from its beginning, titles and ids looked at; or from where `after` stopped."""

    def entries_of(session_ids: Iterable[str]) -> Mapping[str, Entry]:
        return lister.entries_of(session_ids, cancel)

    reader.refresh_layout()
    allowed = filters.allowed(reader, lister, query, now, cancel)
    scope = ranges.scope(reader, query, None if allowed is None else entries_of(allowed), cancel)
    if after is not None and isinstance(after.resume, Findings):
        findings = after.resume.copy()
    else:
        findings = Findings(allowed, show | query.shown_classes)
        named = names.named(reader, query, cancel)
        findings.call(named.session_ids, entries_of)
        findings.notes = named.notes
    return Walk(reader, query, scope, cancel, routes.plan(reader, query, cancel), findings, entries_of)


def _messages(walked: Iterable[Hits]) -> int:
    return sum(len(found.ids) for found in walked)


@dataclass(slots=True)
class Walk:
    """The way down through the messages."""

    reader: Reader
    query: SessionQuery
    scope: Scope
    cancel: Cancel
    plan: routes.Plan
    findings: Findings
    entries_of: EntriesOf

    def step(self) -> tuple[Hits, ...] | None:
        """Take in the hits of the next slice down, and return them; None when there is none."""
        findings = self.findings
        while (stretch := self.plan.below(findings.before)) is not None:
            self.cancel.check()
            wanted = Ids(stretch.first, findings.before)
            try:
                found = stretch.route(self.reader, self.query, self.scope, wanted, self.cancel)
            except IndexDamaged:
                # What was found so far is true; the rest is looked at without the index.
                self.plan = routes.scan_all("search index damaged")
                continue
            findings.before = found.lowest
            findings.scanned += found.scanned
            findings.hear(found.hits, self.entries_of)
            return found.hits
        return None

    @property
    def is_over(self) -> bool:
        """Whether every message was looked at."""
        return self.plan.below(self.findings.before) is None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not searched, and what had to be looked at one by one."""
        above = (NEWEST, *(one.first for one in self.plan.stretches))
        missed = (
            one.note
            for one, before in zip(self.plan.stretches, above, strict=False)
            if one.note and self.findings.before < before
        )
        notes = (*self.plan.notes, *missed)
        if self.plan.unfinished and self.findings.scanned:
            notes += (f"search index still being built: {self.findings.scanned:,} messages scanned",)
        return tuple(dict.fromkeys(notes))
