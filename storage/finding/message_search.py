"""`search_messages`: single messages that match, with an excerpt and what was said around them (spec 4.10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import Any

from storage.conversation import content, expressions
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.engine.store import Store
from storage.errors import IndexDamaged
from storage.finding import evidence, excerpt, message_context, message_query, routes, sieve
from storage.finding.beside import Beside
from storage.finding.hits import Route, texts
from storage.finding.index import Indexed
from storage.finding.message_query import MessageQuery
from storage.finding.nowhere import is_nowhere
from storage.finding.query import SessionQuery
from storage.finding.routes import Plan
from storage.finding.scope import NEWEST, Ids, Scope
from storage.finding.sieve import Listed, Sieve, Sieved
from storage.finding.standing import standing

OPENING, CLOSING = ">>>", "<<<"
"""What stands around a match in a snippet."""

_TOKENS = 40
"""Words of a snippet that the index makes."""

_WIDTH = 240
"""Characters of a snippet that is made without it."""

_FIRST = 30
"""Messages that are read first: a page, where most of what may match does."""

_SPARE = 10
"""Messages that are ranked beyond what is asked for."""

_BATCH = 200
"""Messages that are read at a time to be verified."""


@dataclass(frozen=True, slots=True)
class Search:
    """One call: what is looked for, where, and in which order."""

    reader: Reader
    query: MessageQuery
    condition: str
    values: tuple[Any, ...]
    order: str


def search_messages(
    store: Store,
    query: str,
    source_filter: Collection[str] | None = None,
    exclude_sources: Collection[str] | None = None,
    role_filter: Collection[str] | None = None,
    limit: int = 20,
    offset: int = 0,
    sort: str | None = None,
    include_inactive: bool = False,
) -> list[dict[str, Any]]:
    """Messages in which the query matches, the most relevant first.

    Args:
        query: Words that must all match, `"a phrase"`, `prefix*`, AND, OR and NOT; other punctuation is text.
        source_filter: Only sessions from these sources; an empty list finds nothing.
        exclude_sources: No session from these.
        role_filter: Only messages of these roles; an empty list is no filter.
        limit: At most so many, a negative number for all; `offset` are left out first.
        sort: "newest" or "oldest" by time; anything else by relevance.
        include_inactive: Also what was rewound. What a compaction archived is found in any case.

    Returns:
        Dicts of id, session_id, role, timestamp, tool_name, source, model, session_started (of the session),
        `snippet` (matches between >>> and <<<) and `context`: the message before, the message itself and the one
        after, as role and content (200 characters). Without a usable index, and for writing that it cannot take
        apart, the messages are read one by one, the newest first.
    """
    wanted = message_query.parse(query or "")
    if not wanted.groups or limit == 0:
        return []
    reader = store.searcher
    if is_nowhere(reader, wanted.candidates):
        return []
    plan = routes.plan(reader, wanted.candidates, Cancel())
    condition, values = filters(reader.layout, source_filter, exclude_sources, role_filter, include_inactive)
    search = Search(reader, wanted, condition, values, ORDERS.get(sort or "", ""))
    if not plan.stretches:
        return []
    try:
        found = _page(search, plan, limit, max(0, offset))
    except IndexDamaged:
        found = _page(search, routes.scan_all("search index damaged"), limit, max(0, offset))
    message_context.add(reader, found, include_inactive)
    return found


ORDERS = {"newest": "DESC", "oldest": "ASC"}


def filters(
    layout: Layout,
    sources: Collection[str] | None,
    without: Collection[str] | None,
    roles: Collection[str] | None,
    include_inactive: bool,
) -> tuple[str, tuple[Any, ...]]:
    conditions = [f"{layout.column('messages', 'display_kind', 'NULL', 'm')} IS NOT 'hidden'"]
    values: list[str] = []
    if not include_inactive:
        conditions.append(expressions.visible(layout))
    source = f"coalesce({layout.column('sessions', 'source', 'NULL', 's')}, '')"
    for sql, wanted in (
        (f"{source} IN", sources),
        (f"{source} NOT IN", without or None),
        ("m.role IN", roles or None),
    ):
        if wanted is not None:
            conditions.append(f"{sql} (SELECT value FROM json_each(?))")
            values.append(json.dumps(list(wanted)))
    return " AND ".join(conditions), tuple(values)


def _page(search: Search, plan: Plan, limit: int, offset: int) -> list[dict[str, Any]]:
    def page(hits: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
        return list(islice(hits, offset, offset + limit if limit >= 0 else None))

    if not can_be_weighed(search, plan):
        return page(_by_reading(search, plan))
    wanted = offset + limit if limit >= 0 else _BATCH
    if search.order and is_written_otherwise(search, sieve.told):
        return page(_by_reading(search, plan))
    found = page(_by_index(search, wanted))
    if len(found) == limit:
        return found
    if is_written_otherwise(search, sieve.told, sieve.encoded):
        return page(_beyond(_by_index(search, wanted), _by_reading(search, plan)))
    return found if found or is_complete(plan) else page(_by_reading(search, plan))


def _beyond(*found: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """These hits, each once."""
    known = set[int]()
    for hit in chain.from_iterable(found):
        if hit["id"] not in known:
            known.add(hit["id"])
            yield hit


def can_be_weighed(search: Search, plan: Plan) -> bool:
    """Whether the index of words knows at least nearly all that can match."""
    route = plan.stretches[-1].route
    indexed = isinstance(route.route if isinstance(route, Beside) else route, Indexed)
    return indexed and search.query.is_words and not plan.unfinished


def is_complete(plan: Plan) -> bool:
    """Whether that index knows all: glued to CJK, a word is a part of another one to it, and some output is cut."""
    route = plan.stretches[-1].route
    return isinstance(route, Indexed) and route.glued is None


def is_written_otherwise(search: Search, *offering: Callable[..., tuple[Sieve, ...]]) -> bool:
    """Whether anything that the index of words knows as JSON may match as it reads."""
    known, query = standing(search.reader), search.query.candidates
    offers = [own for offered in offering for own in offered(known, query, Cancel())]
    held = " OR ".join(own.finds_any for own in offers)
    return bool(offers and search.reader.rows(f"SELECT 1 WHERE {held}", [own.match for own in offers]))


def _columns(layout: Layout) -> str:
    def of(table: str, name: str) -> str:
        return layout.column(table, name, "NULL", table[0])

    return (
        f"m.id AS id, m.session_id AS session_id, m.role AS role, {of('messages', 'timestamp')} AS timestamp,"
        f" {of('messages', 'tool_name')} AS tool_name, {of('sessions', 'source')} AS source,"
        f" {of('sessions', 'model')} AS model, {of('sessions', 'started_at')} AS session_started"
    )


def _by_index(search: Search, wanted: int) -> Iterator[dict[str, Any]]:
    """Hits in the order of the index; what is stored as JSON is verified in what it says.

    Args:
        wanted: How many are likely to be asked for.
    """
    ranked = _ranked if search.order or search.values or search.query.literal else _best
    # Some of the best may not be shown, and asking again costs the whole order once more.
    size = max(1, min(wanted + _SPARE, _BATCH))
    for start in count(step=size):
        ids, exhausted = ranked(search, start, size)
        yield from told_by_index(search, ids[:wanted])
        yield from told_by_index(search, ids[wanted:])
        if exhausted:
            return


def _by_reading(search: Search, plan: Plan) -> Iterator[dict[str, Any]]:
    """Hits without the index, or where it does not know all: SQL leaves out what cannot match, Python verifies."""
    for ids in _by_time(search, plan) if search.order else _newest_first(search, plan):
        yield from told_by_reading(search, ids)


def _by_time(search: Search, plan: Plan) -> Iterator[list[int]]:
    """All that may match, some at a time."""
    condition, values = candidates(search, plan)
    ids: list[int] = search.reader.json(
        f"""
        SELECT json_group_array(id) FROM (
            SELECT m.id AS id FROM messages m JOIN sessions s ON s.id = m.session_id
            WHERE ({condition}) AND {search.condition}
            ORDER BY m.timestamp {search.order}, m.id {search.order})
        """,
        (*values, *search.values),
    )
    yield from (ids[start : start + _BATCH] for start in range(0, len(ids), _BATCH))


def _newest_first(search: Search, plan: Plan) -> Iterator[list[int]]:
    """All that may match from the newest id down, more at a time with every step: mostly a few are wanted."""
    query, reader, before, size = search.query.candidates, search.reader, NEWEST, _FIRST
    for stretch in plan.stretches:
        sieves = _sieves(reader, query, stretch.route)
        while stretch.first < before:
            wanted = Ids(stretch.first, before)
            if sieves:
                some = [replace(own, size=size) for own in sieves]
                offered, before = sieve.offers(reader, some, Scope(), wanted, Cancel())
                ids = sorted(offered, reverse=True)
            else:
                ids = _likely(reader, query, wanted, size)
                before = min(ids) if len(ids) == size else stretch.first
            yield ids
            size = min(_BATCH, size * 2)


def _likely(reader: Reader, query: SessionQuery, wanted: Ids, size: int) -> list[int]:
    """The newest messages that SQL cannot tell to hold nothing."""
    likely, needles = evidence.may_match(reader.layout, query)
    ids: list[int] = reader.json(
        f"""SELECT json_group_array(id) FROM (SELECT m.id AS id FROM messages m
            WHERE m.id >= {wanted.first} AND m.id < {wanted.before} AND {likely} ORDER BY m.id DESC LIMIT {size})""",
        needles,
    )
    return ids


def told_by_index(search: Search, ids: list[int]) -> Iterator[dict[str, Any]]:
    """Those of these messages of the index that match, in the same order, as hits without a context."""
    # Asked for one row, the index gathers all words that begin alike: with the plus it does so once.
    begins = any(term.opens for term in search.query.wanted.terms)
    rowid = "+messages_fts.rowid" if begins else "messages_fts.rowid"
    if not ids:
        return
    for hit, said in _read(search, ids, f"{_FROM_THE_INDEX}{rowid}", search.query.match):
        if said is None:
            yield hit
        elif search.query.matches(said):
            yield {**hit, "snippet": _snippet(search.query.wanted, said)}


def told_by_reading(search: Search, ids: list[int]) -> Iterator[dict[str, Any]]:
    """As `told_by_index`, for messages that no index knows."""
    if not ids:
        return
    for hit, said in _read(search, ids, f"{_FROM_THE_ROWS} {search.condition} AND m.id", *search.values):
        if said is not None and search.query.matches(said):
            yield {**hit, "snippet": _snippet(search.query.wanted, said)}


def _best(search: Search, start: int, size: int) -> tuple[list[int], bool]:
    """The next ids by rank alone, and whether these are the last.

    SQLite keeps the best few of them; left to the index, all that match would be sorted.
    """
    found: list[tuple[int, bool]] = search.reader.json(
        f"""
        SELECT json_group_array(json_array(id, shown)) FROM (
            SELECT best.id AS id, coalesce({search.condition}, 0) AS shown FROM (
                SELECT rowid AS id, bm25(messages_fts) AS weight FROM messages_fts WHERE messages_fts MATCH ?
                ORDER BY weight, rowid LIMIT {size} OFFSET ?) best
            LEFT JOIN messages m ON m.id = best.id ORDER BY best.weight, best.id)
        """,
        (search.query.match, start),
    )
    return [id_ for id_, shown in found if shown], len(found) < size


def _ranked(search: Search, start: int, size: int) -> tuple[list[int], bool]:
    """The same where only some of what matches is wanted, or another order."""
    # Excerpts are made afterwards: they cost more than the order does.
    literal = () if search.order else search.query.literal
    typed = ", ".join("instr(lower(m.content), ?) > 0 DESC" for _ in literal)
    # By rank alone the index sorts for itself, ties by id.
    order = f"{typed}, rank, m.id" if typed else "rank"
    if search.order:
        order = f"m.timestamp {search.order}, rank, m.id"
    ids: list[int] = search.reader.json(
        f"""
        SELECT json_group_array(id) FROM (
            SELECT m.id AS id
            FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid JOIN sessions s ON s.id = m.session_id
            WHERE messages_fts MATCH ? AND {search.condition} ORDER BY {order} LIMIT {size} OFFSET ?)
        """,
        (search.query.match, *search.values, *literal, start),
    )
    return ids, len(ids) < size


_FROM_THE_INDEX = (
    f"snippet(messages_fts, -1, '{OPENING}', '{CLOSING}', '...', {_TOKENS}) AS snippet,"
    " CASE WHEN m.content < char(2){hides} THEN {texts} END AS texts"
    " FROM messages_fts JOIN messages m ON m.id = messages_fts.rowid JOIN sessions s ON s.id = m.session_id"
    " WHERE messages_fts MATCH ? AND "
)
_FROM_THE_ROWS = "{texts} AS texts FROM messages m JOIN sessions s ON s.id = m.session_id WHERE"


def _read(
    search: Search, ids: list[int], source: str, *values: str
) -> Iterator[tuple[dict[str, Any], Sequence[str] | None]]:
    """These messages as hits, in the same order, and what they say where it is to be verified."""
    layout = search.reader.layout
    excludes = any(group.unwanted for group in search.query.groups)
    hides = f" OR {evidence.hides(layout)}" if excludes else ""
    source = source.format(texts=texts(layout), hides=hides)
    rows = search.reader.dicts(
        f"SELECT {_columns(layout)}, {source} IN (SELECT value FROM json_each(?))",
        (*values, json.dumps(ids)),
    )
    by_id = {row["id"]: row for row in rows}
    for hit in (by_id[id_] for id_ in ids if id_ in by_id):
        written = hit.pop("texts")
        yield hit, None if written is None else content.searched(*json.loads(written))


def candidates(search: Search, plan: Plan) -> tuple[str, list[Any]]:
    """SQL that holds for every message that matches, stretch by stretch."""
    query = search.query.candidates
    conditions: list[str] = []
    values: list[Any] = []
    before = NEWEST
    for stretch in plan.stretches:
        if sieves := _sieves(search.reader, query, stretch.route):
            hit = " OR ".join(own.condition[0] for own in sieves)
            values += [value for own in sieves for value in own.condition[1]]
        else:
            hit, needles = evidence.may_match(search.reader.layout, query)
            values += needles
        conditions.append(f"(m.id >= {stretch.first} AND m.id < {before} AND ({hit}))")
        before = stretch.first
    return " OR ".join(conditions), values


def _sieves(reader: Reader, query: SessionQuery, route: Route) -> tuple[Sieve | Listed, ...]:
    """What the route asks the indexes for; nothing for a scan."""
    if isinstance(route, Beside):
        return _sieves(reader, query, route.route)
    if isinstance(route, Sieved):
        return route.sieves
    if isinstance(route, Indexed):
        words = Sieve("messages_fts", sieve.of_words(query))
        return (words, *sieve.escaped(reader, query, Cancel()), *([route.glued] if route.glued else ()))
    return ()


def _snippet(query: SessionQuery, said: Sequence[str]) -> str:
    for text in said:
        if found := excerpt.around(query, text, _WIDTH):
            return _marked(*found)
    return said[0][:_WIDTH]


def _marked(line: str, spans: tuple[tuple[int, int], ...]) -> str:
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [line[end:start], OPENING, line[start:stop], CLOSING]
        end = stop
    return "".join((*pieces, line[end:])).replace("…", "...")
