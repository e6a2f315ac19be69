"""The orders of the list that the catalog does not hold: each costs one pass over the store, when asked for."""

from __future__ import annotations

from collections.abc import Iterable

from storage.engine.connection import Cancel
from storage.finding.facts import Facts
from storage.records import Entry, Sort

_AMOUNTS = {Sort.MESSAGES: "msgs", Sort.TOKENS: "tokens", Sort.COST: "cost"}


def ordered(facts: Facts, entries: Iterable[Entry], sort: Sort, cancel: Cancel | None = None) -> list[Entry]:
    """The conversations in this order; where it sees no difference, the order they came in stays."""
    if sort is Sort.ACTIVE:
        return list(entries)
    if sort is Sort.STARTED:
        return sorted(entries, key=lambda entry: entry.started_at or 0.0, reverse=True)
    if sort is Sort.TITLE:
        return sorted(entries, key=lambda entry: _title_key(facts.words("title", entry, cancel)))
    key = _AMOUNTS[sort]

    def amount(entry: Entry) -> float:
        known = facts.amount(key, entry, cancel)
        return -1 if known is None else known

    return sorted(entries, key=amount, reverse=True)


def _title_key(title: str) -> tuple[bool, str]:
    return (not title, title.casefold())
