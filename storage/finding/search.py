"""Words → conversations, by their newest hit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import message_filters, names, routes
from storage.finding.findings import Findings, begun
from storage.finding.listing import Lister
from storage.finding.query import SessionQuery
from storage.finding.scope import Ids, Scope
from storage.records import Entry, HiddenClass, SearchResult


def search(
    reader: Reader,
    lister: Lister,
    query: SessionQuery,
    show: frozenset[HiddenClass],
    limit: int,
    after: SearchResult | None,
    cancel: Cancel,
) -> SearchResult:
    """Conversations with a message, a title or an id that matches: see `SessionDB.search`.

    Titles and ids are looked at first and whole; messages from the newest id down, in slices, until there are
    `limit` conversations more or no messages left.
    """
    if not query.is_search:
        return SearchResult((), exhausted=True)
    if after is not None and after.exhausted:
        return after

    def entries_of(session_ids: Iterable[str]) -> Mapping[str, Entry]:
        return lister.entries_of(session_ids, cancel)

    reader.refresh_layout()
    plan = routes.plan(reader, query, cancel)
    condition, values = message_filters.condition(reader.layout, query.filters)
    scope = Scope(condition, tuple(values))
    if after is not None and isinstance(after.resume, Findings):
        findings = after.resume.copy()
    else:
        findings = begun(query, show)
        findings.call(names.named(reader, query, cancel), entries_of)
    enough = limit + (len(after.hits) if after is not None else 0)
    ranked = findings.ranked(complete=False)
    while (stretch := plan.below(findings.before)) and len(ranked) < enough:
        cancel.check()
        try:
            found = stretch.route(reader, query, scope, Ids(stretch.first, findings.before), cancel)
        except IndexDamaged:
            # What was found so far is true; the rest is looked at without the index.
            plan = routes.scan_all("search index damaged")
            continue
        findings.before = found.lowest
        findings.scanned += found.scanned
        findings.hear(found.hits, entries_of)
        ranked = findings.ranked(complete=False)
    exhausted = stretch is None
    return SearchResult(
        findings.ranked(complete=True) if exhausted else ranked,
        exhausted,
        findings.hidden,
        scanned=findings.scanned > 0,
        notes=plan.notes + _unfinished(plan, findings),
        resume=None if exhausted else findings,
    )


def _unfinished(plan: routes.Plan, findings: Findings) -> tuple[str, ...]:
    """Says what was scanned of an index that is still being built."""
    if not plan.unfinished or not findings.scanned:
        return ()
    return (f"search index still being built: {findings.scanned:,} messages scanned",)
