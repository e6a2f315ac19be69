"""Which sessions hold a word anywhere: what a line of nothing but exclusions leaves out."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain, compress

from storage.conversation.expressions import text
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.errors import IndexDamaged
from storage.finding import hits, names, routes, sieve
from storage.finding.beside import Beside
from storage.finding.hits import Route
from storage.finding.index import Indexed
from storage.finding.query import SessionQuery
from storage.finding.ranges import Some
from storage.finding.scope import NEWEST, Ids, Scope
from storage.finding.sieve import Listed, Sieve, Sieved
from storage.finding.standing import ENCODED, standing
from storage.finding.terms import Term

_FEW = 20_000
"""Messages that match, up to which their sessions are sooner asked for than each session for a message that does."""

_REMAINING = 0.25
"""The part of all sessions up to which their messages are looked up first."""

_OTHERS = 0.5
"""The same where they are the sessions without a frequent word: these are short."""

_ALONE = 2_000
"""Messages of theirs up to which all are looked at: an index would gather all of its own first."""

_PACE = 400
"""Quarters of a slice: nobody waits for a first page here."""


def holding(reader: Reader, term: Term, cancel: Cancel) -> frozenset[str]:
    """The sessions in which anything matches the word: a message, the title, the id."""
    return Holders(reader, term, cancel).everywhere()


def tells_of_few(layout: Layout) -> bool:
    """Whether it is quicker to know it of a few sessions than of all."""
    return layout.has("sessions", "id") and "idx_messages_session" in layout.indexes


class Holders:
    """The sessions in which anything matches a word, found where they are asked for.

    Raises:
        Interrupted: `cancel` was cancelled.
    """

    def __init__(self, reader: Reader, term: Term, cancel: Cancel) -> None:
        self._reader, self._cancel = reader, cancel
        self._query = SessionQuery.of_terms([term])
        self._named = names.named(reader, self._query, cancel, every=True).session_ids
        self._plan = routes.plan(reader, self._query, cancel)

    def everywhere(self) -> frozenset[str]:
        """All of them."""
        return self._found(None)

    def among(self, sessions: Sequence[str]) -> frozenset[str]:
        """Those of these few sessions that are in `everywhere`, where it `tells_of_few`."""
        return self._found(sessions)

    def _found(self, few: Sequence[str] | None) -> frozenset[str]:
        reader, query, cancel = self._reader, self._query, self._cancel
        found = set(self._named if few is None else self._named.intersection(few))
        plan, others = self._plan, few
        try:
            if any(_asks_for_words(stretch.route) for stretch in plan.stretches):
                if few is None:
                    met, others = _with_words(reader, query, cancel)
                else:
                    met = _with_words_among(reader, query, few, cancel)
                found |= met
                beyond = (replace(own, route=_beyond_words(own.route)) for own in plan.stretches)
                plan = replace(plan, stretches=tuple(beyond))
            some = _remaining(reader, found, others, cancel, few=few is not None)
            return frozenset(found | _walked(reader, query, plan, found, some, cancel))
        except IndexDamaged:
            plan = routes.scan_all("search index damaged")
            some = _remaining(reader, found, few, cancel, few=few is not None)
            return frozenset(found | _walked(reader, query, plan, found, some, cancel))


def _asks_for_words(route: Route) -> bool:
    return isinstance(route, Indexed) or (isinstance(route, Beside) and _asks_for_words(route.route))


def _beyond_words(route: Route) -> Route:
    """The same route without what the index of words finds by itself."""
    if isinstance(route, Beside):
        return replace(route, route=_beyond_words(route.route))
    return replace(route, words=False) if isinstance(route, Indexed) else route


def _with_words(reader: Reader, query: SessionQuery, cancel: Cancel) -> tuple[set[str], list[str] | None]:
    """The sessions of the messages that the index of words finds, and all others where that is known as well."""
    match = _match(reader, query)
    matched = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?"
    counted = reader.one(f"SELECT count(*) FROM ({matched} LIMIT {_FEW})", (match,), cancel)
    seen = shown(reader.layout)
    if (counted and counted[0] < _FEW) or "idx_messages_session" not in reader.layout.indexes:
        sql = f"SELECT DISTINCT m.session_id AS id FROM messages m WHERE m.id IN ({matched}) AND {seen}"
        return set(reader.json(f"SELECT json_group_array({text('id')}) FROM ({sql})", (match,), cancel)), None
    ids, held = reader.json(
        f"""SELECT json_array(json_group_array(id), json_group_array(held)) FROM (
            SELECT {text("s.id")} AS id, EXISTS (
                SELECT 1 FROM messages m WHERE m.session_id = s.id AND +m.id IN ({matched}) AND {seen}) AS held
            FROM sessions s WHERE s.id IS NOT NULL)""",
        (match,),
        cancel,
    )
    met = set(compress(ids, held))
    return met, [id_ for id_ in ids if id_ not in met]


def _with_words_among(reader: Reader, query: SessionQuery, few: Sequence[str], cancel: Cancel) -> set[str]:
    """Those of these sessions of which the index of words finds a message."""
    sessions = json.dumps(few)
    theirs = "messages m INDEXED BY idx_messages_session ON m.session_id = w.value"
    # Where theirs lie, for the index gathers all that match.
    reached = reader.one(
        f"SELECT min(m.id), max(m.id) FROM json_each(?) w CROSS JOIN {theirs}", (sessions,), cancel
    )
    if reached is None or reached[0] is None:
        return set()
    first, last = reached
    matched = (
        f"SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? AND rowid >= {first} AND rowid <= {last}"
    )
    seen = shown(reader.layout)
    met: list[str] = reader.json(
        f"""SELECT json_group_array(w.value) FROM json_each(?) w WHERE EXISTS (
            SELECT 1 FROM messages m WHERE m.session_id = w.value AND +m.id IN ({matched}) AND {seen})""",
        (sessions, _match(reader, query)),
        cancel,
    )
    return set(met)


def _match(reader: Reader, query: SessionQuery) -> str:
    """MATCH for what the index of words knows as it is said."""
    match = sieve.of_words(query)
    return f"({match}) NOT {ENCODED}" if standing(reader).has_encoded else match


def _walked(
    reader: Reader,
    query: SessionQuery,
    plan: routes.Plan,
    found: Collection[str],
    some: Some | None,
    cancel: Cancel,
) -> set[str]:
    """The other sessions that are met on this way; only `some`, if they are known."""
    known = json.dumps(list(found))
    scope = Scope("m.session_id NOT IN (SELECT value FROM json_each(?))", (known,), pace=_PACE)
    met: set[str] = set()
    before = NEWEST
    while stretch := plan.below(before):
        cancel.check()
        wanted, narrowed = Ids(stretch.first, before), scope
        if some is not None and (sieves := _sieves(reader, query, stretch.route, cancel)) is not None:
            before = stretch.first
            ids = _offered(reader, sieves, some.sessions, wanted, cancel)
            more = hits.verified(reader, query, Scope(), *sieve.listed(ids), cancel) if ids else ()
            met.update(hit.session_id for hit in more)
            continue
        if some is not None:
            wanted, narrowed = some.among(reader, scope, wanted, cancel)
        piece = stretch.route(reader, query, narrowed, wanted, cancel)
        before = piece.lowest
        met.update(hit.session_id for hit in piece.hits)
    return met


def _sieves(
    reader: Reader, query: SessionQuery, route: Route, cancel: Cancel
) -> tuple[Sieve | Listed, ...] | None:
    """What offers all that this route finds; None where it looks at messages one by one."""
    if isinstance(route, Sieved):
        return route.sieves
    if isinstance(route, Indexed) and not route.words:
        return (*sieve.escaped(reader, query, cancel), *([route.glued] if route.glued else ()))
    return None


def _offered(
    reader: Reader, sieves: Sequence[Sieve | Listed], sessions: str, wanted: Ids, cancel: Cancel
) -> list[int]:
    """The messages of these sessions that any of the sieves offers; all, if these are few."""
    if not sieves:
        return []
    theirs = f"""FROM json_each(?) w CROSS JOIN messages m INDEXED BY idx_messages_session
        ON m.session_id = w.value WHERE m.id >= {wanted.first} AND m.id < {wanted.before}"""
    found: list[int] = reader.json(
        f"SELECT json_group_array(id) FROM (SELECT m.id AS id {theirs} LIMIT {_ALONE + 1})",
        (sessions,),
        cancel,
    )
    if len(found) > _ALONE or standing(reader).has_encoded:
        conditions, values = zip(*(own.condition for own in sieves), strict=True)
        found = reader.json(
            f"SELECT json_group_array(m.id) {theirs} AND ({' OR '.join(conditions)})",
            (sessions, *chain.from_iterable(values)),
            cancel,
        )
    return found


def _remaining(
    reader: Reader, known: Collection[str], others: Iterable[str] | None, cancel: Cancel, *, few: bool
) -> Some | None:
    """The sessions that are not known yet, if they are few.

    Args:
        others: All that do not hold it as a word, if that is known.
        few: They are, and no others are wanted.
    """
    if not tells_of_few(reader.layout):
        return None
    total, newest = reader.rows("SELECT (SELECT count(*) FROM sessions), (SELECT max(id) FROM messages)")[0]
    newest = newest if isinstance(newest, int) else 0
    most = _REMAINING if others is None else _OTHERS
    if not few and (not newest or total - len(known) > total * most):
        return None
    if others is None:
        others = reader.json(
            f"SELECT json_group_array({text('id')}) FROM sessions WHERE id IS NOT NULL", (), cancel
        )
    ids = [id_ for id_ in others if id_ not in known]
    return Some(json.dumps(ids), max(1, len(ids)) / max(1, total), newest, together=max(1, newest))
