"""Which conversations the filters of a query leave, and what they ask for that is not there."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Protocol

from storage.engine.connection import Cancel, Reader
from storage.finding.catalog import Catalog
from storage.finding.details import is_recent
from storage.finding.facts import MANY, Facts
from storage.finding.filter_values import AMOUNTS, DATES, KEYS, OF_MESSAGES, Filter, groups
from storage.finding.query import SessionQuery
from storage.finding.terms import Term
from storage.records import Edge, Entry, Status

Test = Callable[[Entry], bool]

_STATUSES = frozenset(map(str, Status))
_CHEAP = ("title", "untitled", "has", Status.RUNNING)
"""Keys and states that are known from an index, or of few conversations."""

_EXPLAINED = ("source", "model", "branch")
"""Keys whose values are a short list: one that is not on it is a slip of the finger."""

_BETWEEN_LOOKS = 1_000
"""Conversations, some milliseconds, between two looks at whether the call was cancelled."""

_PAGE = 60
"""Conversations that are looked for."""

_ON_THE_WAY = 0.2
"""The part of all that is met on the way to them in the time in which all are looked at."""

_CLOSEST, _HEAD = 5, 4
"""Values that may be meant by one that is not there, and their first characters."""


class Known(Protocol):
    """Who knows the conversations of a store and the facts about them."""

    def known(self) -> tuple[Catalog, Facts]: ...


@dataclass(frozen=True)
class Left:
    """Conversations, in the order of the catalog."""

    entries: Sequence[Entry]

    @cached_property
    def ids(self) -> frozenset[str]:
        """Their live tips."""
        return frozenset(entry.id for entry in self.entries)

    @cached_property
    def parts(self) -> Sequence[str]:
        """All of their sessions."""
        return sorted(part for entry in self.entries for part in entry.parts)

    @cached_property
    def sessions(self) -> str:
        """The same as JSON."""
        return json.dumps(self.parts)


@dataclass(frozen=True)
class Choice:
    """What the filters of a query leave, of which not more is looked at than has to be."""

    reader: Reader
    catalog: Catalog
    facts: Facts
    query: SessionQuery
    now: float
    cancel: Cancel
    left: Left
    """By those that cost nothing."""
    later: tuple[tuple[Filter, ...], ...] = ()
    """Those that have to read rows, for what is met on the way."""

    def among(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Those of these conversations that the later filters leave."""
        if not self.later:
            return entries
        return _sifted(self.catalog, self.facts, self.later, entries, self.now, self.cancel)

    def is_better_settled(self, met: int, left: int) -> bool:
        """Whether it takes less to look at all than at those on the way to a page, as far as it looks by now.

        Args:
            met: Sessions that were met on the way.
            left: Conversations among them that are left.
        """
        return bool(self.later) and met * _PAGE > (left + 1) * len(self.catalog.entries) * _ON_THE_WAY

    @property
    def settled(self) -> Choice:
        """The same, with all of it looked at."""
        return replace(self, left=Left(self.among(self.left.entries)), later=()) if self.later else self


def choice(reader: Reader, lister: Known, query: SessionQuery, now: float, cancel: Cancel) -> Choice | None:
    """The conversations that the filters leave; None where there is nothing to leave out.

    With words, `role:`, `tool:` and exclusions are not looked at: they choose among the messages that match.

    Args:
        now: Unix seconds, what relative dates count from.
    """
    if not query.restricts:
        return None
    catalog, facts = lister.known()
    ordered = _groups(query)
    later = [group for group in ordered if not _is_known(facts, group)]
    at_once = [group for group in ordered if group not in later]
    filters = [one for group in at_once for one in group]

    def read() -> Left:
        return Left(_sifted(catalog, facts, at_once, catalog.entries, now, cancel))

    # Words are typed behind the same filters; what time changes is looked at anew.
    timed = any(one.key in DATES or one.value in _STATUSES for one in filters)
    chosen = read() if timed else facts.left_by(filters, read)
    found = Choice(reader, catalog, facts, query, now, cancel, chosen, tuple(map(tuple, later)))
    return found if later and len(chosen.entries) > MANY else found.settled


def learning(
    facts: Facts, key: str, entries: Sequence[Entry], now: float, cancel: Cancel | None = None
) -> Iterator[None]:
    """Read, a step at a time, what filters of this key ask of all conversations; nothing where that costs nothing."""
    if key in ("model", "dir", "branch", *AMOUNTS):
        yield from facts.learning(key, cancel)
    elif key == "is":
        yield from facts.standing(entries, now, cancel)


def left(
    searcher: Reader,
    catalog: Catalog,
    facts: Facts,
    query: SessionQuery,
    now: float,
    cancel: Cancel | None = None,
) -> Sequence[Entry]:
    """The conversations that the filters leave, in the order of the catalog; the cheapest filter chooses first.

    Args:
        searcher: What is asked for the words that are excluded: it may take a while.
    """
    remaining = _sifted(catalog, facts, _groups(query), catalog.entries, now, cancel)
    if not query.is_search:
        from storage.finding.holding import holding

        for term in query.excluded if remaining else ():
            held = facts.holding(term, lambda term: holding(searcher, term, cancel or Cancel()))
            remaining = [entry for entry in remaining if held.isdisjoint(entry.parts)]
    return remaining


def _groups(query: SessionQuery) -> list[list[Filter]]:
    keys = [key for key in KEYS if not (query.is_search and key in OF_MESSAGES)]
    return sorted(groups(query.filters, keys), key=_price)


def _is_known(facts: Facts, group: Sequence[Filter]) -> bool:
    """Whether nothing has to be read to know what these leave."""
    return all(
        _price_of(one) == 0 or one.key in _CHEAP or one.value in _CHEAP or facts.knows(one.key)
        for one in group
    )


def _sifted(
    catalog: Catalog,
    facts: Facts,
    ordered: Iterable[Sequence[Filter]],
    entries: Sequence[Entry],
    now: float,
    cancel: Cancel | None,
) -> Sequence[Entry]:
    remaining = entries
    for group in ordered:
        tests = [_as_asked(one, _test(catalog, facts, one, remaining, now, cancel)) for one in group]
        test = tests[0] if len(tests) == 1 else partial(_any, tests)
        kept: list[Entry] = []
        for start in range(0, len(remaining), _BETWEEN_LOOKS):
            if cancel is not None:
                cancel.check()
            kept += filter(test, remaining[start : start + _BETWEEN_LOOKS])
        remaining = kept
    return remaining


def _any(tests: Sequence[Test], entry: Entry) -> bool:
    return any(test(entry) for test in tests)


def unknown(
    lister: Known, query: SessionQuery, cancel: Cancel | None = None, *, found: bool = False
) -> tuple[str, ...]:
    """What is asked for that no conversation has: "no source telegrm; there is telegram".

    Args:
        found: Something was found, so there is what alone was asked for.
    """
    notes = []
    for one in query.filters:
        alone = not one.negated and [other.key for other in query.filters].count(one.key) == 1
        if one.key not in _EXPLAINED or (found and alone):
            continue
        catalog, facts = lister.known()
        values = [value for value, _ in facts.values(one.key, catalog.entries, cancel)]
        if not any(_names(one, value) for value in values):
            notes.append(f"no {one.key} {one.value}{_instead(one.value, values)}")
    return tuple(dict.fromkeys(notes))


def _instead(value: str, values: Sequence[str]) -> str:
    from difflib import SequenceMatcher, get_close_matches  # a slip is rare, a start is not

    low = value.casefold()
    by_name = {name.casefold(): name for name in reversed(values)}

    def likeness(name: str) -> float:
        """Fingers slip late: what begins alike counts for more (as Winkler weighs it)."""
        alike = SequenceMatcher(None, low, name).ratio()
        head = next((n for n in range(_HEAD, 0, -1) if low[:n] == name[:n]), 0)
        return alike + head * (1 - alike) / 10

    starting = [name for name in by_name if name.startswith(low)]
    close = sorted(get_close_matches(low, by_name, _CLOSEST, 0.5), key=likeness, reverse=True)
    nearest = [*starting[-1:], *close][:1]
    return f"; there is {by_name[nearest[0]]}" if nearest else ""


def _price(group: Sequence[Filter]) -> int:
    """What an answer costs: nothing, a column of the sessions, a column behind their prompts, the messages."""
    return max(map(_price_of, group))


def _price_of(one: Filter) -> int:
    if one.key in OF_MESSAGES:
        return 4
    if one.key == "msgs" or one.value in _STATUSES:
        return 3
    if one.key in ("dir", "branch", "tokens", "cost", "has"):
        return 2
    return 1 if one.key in ("title", "model") or one.value == "untitled" else 0


def _as_asked(one: Filter, test: Test) -> Test:
    return (lambda entry: not test(entry)) if one.negated else test


def _test(
    catalog: Catalog,
    facts: Facts,
    one: Filter,
    entries: Sequence[Entry],
    now: float,
    cancel: Cancel | None,
) -> Test:
    """Whether a conversation of `entries` is one that the filter, negated or not, speaks of."""
    low = one.value.casefold()
    if one.key == "source":
        return lambda entry: entry.source.casefold() == low
    if one.key == "id":
        return lambda entry: any(low in part.casefold() for part in entry.parts)
    if one.key in ("after", "before"):
        moment, after = one.moment(now), one.key == "after"
        return lambda entry: entry.last_active is not None and (entry.last_active >= moment) is after
    if one.key == "title":
        # As a title is found by words, and as it is being typed.
        term = Term(one.value, prefix=True)
        titled = facts.titled(term, cancel)
        facts.learn("title", [entry for entry in entries if not titled.isdisjoint(entry.parts)], cancel)
        return lambda entry: (
            not titled.isdisjoint(entry.parts) and term.matches(facts.words("title", entry, cancel))
        )
    if one.key in ("model", "dir", "branch"):
        facts.learn(one.key, entries, cancel)
        # Thousands of conversations share a few values.
        named = cache(partial(_names, one))
        return lambda entry: named(facts.words(one.key, entry, cancel))
    if one.key in AMOUNTS:
        facts.learn(one.key, entries, cancel)
        return lambda entry: one.holds(facts.amount(one.key, entry, cancel))
    if one.key in OF_MESSAGES:
        return lambda entry: facts.says(one, entry, cancel)
    if one.key == "has":
        if one.value == "parent":
            return _has_parent
        above = facts.parents(catalog.entries, cancel)
        return lambda entry: not above.isdisjoint(entry.parts)
    return _state(facts, one.value, entries, now, cancel)


def _state(
    facts: Facts,
    state: str,
    entries: Sequence[Entry],
    now: float,
    cancel: Cancel | None,
) -> Test:
    if state in _STATUSES:
        standing = facts.statuses(
            [entry for entry in entries if state != Status.RUNNING or is_recent(entry, now)], now, cancel
        )
        return lambda entry: standing.get(entry.id) == state
    if state == "untitled":
        facts.learn("title", entries, cancel)
        return lambda entry: not facts.words("title", entry, cancel).strip()
    if state in ("cron", "tool"):
        return lambda entry: entry.source == state
    if state in ("archived", "hidden"):
        return lambda entry: entry.hidden == state
    if state == "pinned":
        return lambda entry: entry.pinned
    return lambda entry: entry.edge == state


def _has_parent(entry: Entry) -> bool:
    return entry.edge not in (Edge.ROOT, Edge.MISSING)


def _names(one: Filter, value: str) -> bool:
    """Whether this is the value that the filter speaks of: a model by a piece of its name, a directory by a piece
    of its path or as what holds it, all others by their whole name."""
    low, value = one.value.casefold(), value.casefold()
    if one.key == "model":
        return low in value
    if one.key != "dir":
        return low == value
    if not value:
        return False
    if not low.startswith(("/", "~")):
        return low in value
    above = os.path.expanduser(one.value).rstrip("/").casefold()
    return value.rstrip("/") == above or value.startswith(f"{above}/")
