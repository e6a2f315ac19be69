"""Words → conversations, by their newest hit or by the best one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil

from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import filters, message_filters, names, ranges, relevance, routes
from storage.finding.findings import EntriesOf, Findings
from storage.finding.hits import Hits
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.finding.scope import NEWEST, Ids, Scope
from storage.readings import SearchResult
from storage.records import Entry, HiddenClass, SearchOrder

_FIRST_PACE, _LAST_PACE = 2, 16
"""Quarters of a slice: a page is often full soon, and what is rare takes as few statements as may be."""

_RELEVANT_PACE = 14
"""The same where about as many hits are weighed as one statement finds."""

_MET = 100
"""Sessions that are met before it can seem that the filters leave few of them."""

_MARGIN = 1.2
"""Of what it seems to take to fill a page."""


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
        walk.pace, walked = _RELEVANT_PACE, list[Hits]()
        while _messages(walked) < relevance.ENOUGH and (found := walk.step()) is not None:
            walked += found
            walk.expect(relevance.ENOUGH / max(1, _messages(walked)) - 1)
        hits = relevance.ranked(reader, query, findings, walked, after.hits if after else (), cancel)
    else:
        reached = findings.reached
        while reached < known + limit and walk.step() is not None:
            reached = findings.reached
            walk.expect((known + limit - reached) / max(1, reached - known))
        hits = findings.ranked(complete=walk.is_over)
        findings.pace = ceil(walk.walked * limit / max(1, reached - known))
    return SearchResult(
        hits,
        walk.is_over,
        findings.hidden,
        scanned=findings.scanned > 0,
        notes=(
            *query.ignored,
            *query.remarks,
            *findings.notes,
            *walk.notes,
            *filters.unknown(lister, query, cancel, found=bool(hits)),
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
    choice = filters.choice(reader, lister, query, now, cancel)
    if after is not None and isinstance(after.resume, Findings):
        findings = after.resume.copy()
        findings.choice = choice
    else:
        findings = Findings(choice, show | query.shown_classes)
        named = names.named(reader, query, cancel)
        findings.call(named.session_ids, entries_of)
        findings.notes = named.notes
    walk = Walk(reader, query, cancel, findings, entries_of)
    walk.pace = min(findings.pace or _FIRST_PACE, _LAST_PACE)
    walk.look_at(choice)
    return walk


def _messages(walked: Iterable[Hits]) -> int:
    return sum(len(found.ids) for found in walked)


@dataclass(slots=True)
class Walk:
    """The way down through the messages."""

    reader: Reader
    query: SessionQuery
    cancel: Cancel
    findings: Findings
    entries_of: EntriesOf
    plan: routes.Plan = field(init=False)
    scope: Scope = field(init=False)
    some: ranges.Some | None = field(init=False)
    pace: int = _FIRST_PACE
    walked: int = 0
    """Such quarters."""

    def look_at(self, choice: filters.Choice | None) -> None:
        """Look at the messages of these conversations; None: of all."""
        condition, values = message_filters.condition(self.reader.layout, self.query.filters)
        self.scope = Scope(condition, tuple(values))
        if choice is not None and not choice.left.entries:
            self.some, self.plan = None, routes.Plan(())
            return
        self.some = ranges.some(self.reader, choice, self.cancel)
        part = routes.Part(self.findings.before, self.some, is_weighed=False)
        self.plan = routes.plan(self.reader, self.query, self.cancel, part)

    def step(self) -> tuple[Hits, ...] | None:
        """Take in the hits of the next slice down, and return them; None when there is none."""
        findings = self.findings
        while (stretch := self.plan.below(findings.before)) is not None:
            self.cancel.check()
            wanted = Ids(stretch.first, findings.before)
            scope = replace(self.scope, pace=self.pace)
            if self.some is not None:
                if self.some.is_crowded(stretch.density):
                    wanted, scope = self.some.among(self.reader, scope, wanted, self.cancel)
                else:
                    scope = self.some.scope(scope)
            try:
                found = stretch.route(self.reader, self.query, scope, wanted, self.cancel)
            except IndexDamaged:
                # What was found so far is true; the rest is looked at without the index.
                self.plan = routes.scan_all("search index damaged")
                continue
            self.walked += self.pace
            self.pace = min(2 * self.pace, _LAST_PACE)
            findings.before = found.lowest
            findings.scanned += found.scanned
            findings.hear(found.hits, self.entries_of)
            choice, met = findings.choice, findings.met
            if choice is not None and met > _MET and choice.is_better_settled(met, findings.number):
                findings.choice = choice.settled
                self.look_at(findings.choice)
            return found.hits
        return None

    def expect(self, times: float) -> None:
        """Go no further at once than it seems to take, if that is so many times as far as until here."""
        if self.walked:
            self.pace = max(1, min(self.pace, ceil(self.walked * times * _MARGIN)))

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
