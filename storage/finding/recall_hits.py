"""Which messages `session_search` takes up: the best one of each lineage, with as little reading as that needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from storage.conversation import expressions
from storage.conversation.roots import roots
from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import message_query, newest, routes, sieve
from storage.finding.message_search import (
    ORDERS,
    Search,
    can_be_weighed,
    candidates,
    filters,
    is_complete,
    is_written_otherwise,
    told_by_index,
    told_by_reading,
)
from storage.finding.routes import Plan
from storage.finding.scope import NEWEST, OLDEST

DEMOTED = frozenset({"cron"})
"""Sources that are found only behind all others: what runs by the clock says the same words again and again."""

_TOGETHER = 300
"""Messages among which an order holds (spec 4.11): a demoted one comes behind the others of these."""

_AT_MOST = 1_200
"""Messages that are looked at for lineages, when a few of them hold all the best ones."""

_WEIGHED, _ORDERED = 1_500, 600
"""Messages of the index that are ordered at a time, by relevance and by time: it costs some microseconds each."""

_FAMILY = 50
"""Messages whose lineage is looked up at a time."""


class _Candidate(NamedTuple):
    """A message that may match."""

    id: int
    session_id: str
    source: str


_Told = Callable[[Search, list[int]], Iterator[dict[str, Any]]]
"""Reads messages and gives those that match, as hits."""


def best_of_each_lineage(
    reader: Reader,
    query: str,
    *,
    roles: Collection[str],
    without: Collection[str],
    sort: str | None,
    limit: int,
    skip: Collection[str],
) -> dict[str, dict[str, Any]]:
    """The hits that stand first in their lineage, by the root of it, in the order of `search_messages`.

    Of a query that matches more than some hundred messages the newest are weighed, older ones only where these hold
    too few lineages. Orders by time are exact as far as ids grow with time, and where they clearly do not.

    Args:
        roles: Only messages of these.
        without: No session from these sources.
        sort: "newest", "oldest", or None for the most relevant first.
        skip: Roots of lineages that are left out.

    Returns:
        At most `limit` hits as `search_messages` gives them, without a context.
    """
    wanted = message_query.parse(query)
    if not wanted.groups or limit < 1:
        return {}
    condition, values = filters(reader.layout, None, without, roles, include_inactive=False)
    search = Search(reader, wanted, condition, values, ORDERS.get(sort or "", ""))
    plan = routes.plan(reader, wanted.candidates, Cancel())
    if not plan.stretches:
        return {}
    try:
        return _chosen(search, plan, limit, skip)
    except IndexDamaged:
        return _chosen(search, routes.scan_all("search index damaged"), limit, skip)


def _chosen(search: Search, plan: Plan, limit: int, skip: Collection[str]) -> dict[str, dict[str, Any]]:
    choice = _Choice(search, limit, skip)
    if can_be_weighed(search, plan):
        choice.take(_by_index(search), told_by_index)
        hits = choice.finish()
        if len(hits) == limit:
            return hits
        if not is_written_otherwise(search, sieve.told, sieve.encoded) and (hits or is_complete(plan)):
            return hits
    if search.order != "ASC" and len(plan.stretches) > 1 and not plan.unfinished:
        # What is everywhere is among the newest; an index would have to order all of it.
        choice.take(_by_reading(search, replace(plan, stretches=plan.stretches[:1])), told_by_reading)
    choice.take(_by_reading(search, plan), told_by_reading)
    return choice.finish()


class _Choice:
    """The lineages that were taken so far, each with its hit, by its root."""

    def __init__(self, search: Search, limit: int, skip: Collection[str]) -> None:
        self.hits: dict[str, dict[str, Any]] = {}
        self._search = search
        self._limit = limit
        self._skip = frozenset(skip)
        self._roots: dict[str, str] = {}
        self._places: dict[int, int] = {}
        self._demoted: list[tuple[list[_Candidate], _Told]] = []

    def take(self, pages: Iterator[list[_Candidate]], told: _Told) -> None:
        """Take the first of each lineage, as far as there is room; the demoted wait for the end."""
        looked_at = 0
        while not self._is_full and looked_at < _AT_MOST and (page := next(pages, None)) is not None:
            looked_at += len(page)
            self._demoted.append(([one for one in page if one.source in DEMOTED], told))
            self._take([one for one in page if one.source not in DEMOTED], told)

    def finish(self) -> dict[str, dict[str, Any]]:
        """Give the room that is left to the demoted; returns all hits in their order."""
        for demoted, told in self._demoted:
            self._take(demoted, told)
        self._demoted = []
        self.hits = dict(sorted(self.hits.items(), key=lambda item: self._places[item[1]["id"]]))
        return self.hits

    def _take(self, found: Sequence[_Candidate], told: _Told) -> None:
        for start in range(0, len(found), _FAMILY):
            rest = list(found[start : start + _FAMILY])
            if self._is_full:
                return
            self._look_up({one.session_id for one in rest})
            for one in rest:
                self._places.setdefault(one.id, len(self._places))
            while firsts := self._firsts(rest):
                # What only may match says so when it is read; then its lineage waits for another message.
                hits = {hit["id"]: hit for hit in told(self._search, [one.id for one in firsts.values()])}
                self.hits |= {root: hits[one.id] for root, one in firsts.items() if one.id in hits}
                rest = [one for one in rest if one not in firsts.values()]

    def _firsts(self, found: Iterable[_Candidate]) -> dict[str, _Candidate]:
        """The first of each lineage that is still wanted, by its root, as many as there is room for."""
        firsts: dict[str, _Candidate] = {}
        for one in found:
            if len(self.hits) + len(firsts) == self._limit:
                break
            root = self._roots[one.session_id]
            if root not in self._skip and root not in self.hits:
                firsts.setdefault(root, one)
        return firsts

    def _look_up(self, session_ids: set[str]) -> None:
        if unknown := session_ids - self._roots.keys():
            self._roots |= roots(self._search.reader, unknown)

    @property
    def _is_full(self) -> bool:
        return len(self.hits) >= self._limit


_FACTS = "m.id AS id, {session} AS session, coalesce({source}, '') AS source"


def _by_index(search: Search) -> Iterator[list[_Candidate]]:
    """By relevance or time within a stretch of the index, one stretch after the other."""
    literal = () if search.order else search.query.literal
    typed = ", ".join("instr(lower(m.content), ?) > 0 DESC" for _ in literal)
    order = f"m.timestamp {search.order}, rank, m.id" if search.order else f"{typed or '0'}, rank, m.id"
    if not (search.order or typed):
        # By rank alone the index sorts for itself, ties by id.
        order = "rank"
    sql = f"""
        SELECT json_group_array(json_array(id, session, source)) FROM (
            SELECT {_facts(search)} FROM messages_fts
            CROSS JOIN messages m ON m.id = messages_fts.rowid CROSS JOIN sessions s ON s.id = m.session_id
            WHERE messages_fts MATCH ? AND messages_fts.rowid BETWEEN ? AND ? AND {search.condition}
            ORDER BY {order} LIMIT {_TOGETHER} OFFSET ?)
        """
    for first, last in _stretches(search):
        for start in count(step=_TOGETHER):
            values = (search.query.match, first, last, *search.values, *literal, start)
            page = [_Candidate(*row) for row in search.reader.json(sql, values)]
            yield page
            if len(page) < _TOGETHER:
                break


def _stretches(search: Search) -> Iterator[tuple[int, int]]:
    """First and last id of the messages that are ordered together, the newest stretch first, or the oldest."""
    upward = search.order == "ASC"
    size = _ORDERED if search.order else _WEIGHED
    first, last = OLDEST, NEWEST
    if search.order and not newest.in_time_order(search.reader):
        yield first, last
        return
    while True:
        least, most, number = search.reader.rows(
            f"""SELECT min(id), max(id), count(*) FROM (SELECT rowid AS id FROM messages_fts
            WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ?
            ORDER BY rowid {"ASC" if upward else "DESC"} LIMIT {size})""",
            (search.query.match, first, last),
        )[0]
        if not number:
            return
        yield least, most
        if number < size:
            return
        first, last = (most + 1, last) if upward else (first, least - 1)


def _by_reading(search: Search, plan: Plan) -> Iterator[list[_Candidate]]:
    """What may match, by time alone."""
    condition, values = candidates(search, plan)
    order = search.order or "DESC"
    rows = search.reader.json(
        f"""
        SELECT json_group_array(json_array(id, session, source)) FROM (
            SELECT {_facts(search)} FROM messages m JOIN sessions s ON s.id = m.session_id
            WHERE ({condition}) AND {search.condition}
            ORDER BY m.timestamp {order}, m.id {order} LIMIT {_AT_MOST})
        """,
        (*values, *search.values),
    )
    for start in range(0, len(rows), _TOGETHER):
        yield [_Candidate(*row) for row in rows[start : start + _TOGETHER]]


def _facts(search: Search) -> str:
    source = expressions.text(search.reader.layout.column("sessions", "source", "NULL", "s"))
    return _FACTS.format(session=expressions.text("m.session_id"), source=source)
