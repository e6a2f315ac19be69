"""Which sessions hold a word anywhere: what a line of nothing but exclusions leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from storage.conversation.expressions import text
from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.errors import IndexDamaged
from storage.finding import names, routes, sieve
from storage.finding.beside import Beside
from storage.finding.hits import Route
from storage.finding.index import Indexed
from storage.finding.query import SessionQuery
from storage.finding.ranges import Some
from storage.finding.scope import NEWEST, Ids, Scope
from storage.finding.standing import ENCODED
from storage.finding.terms import Term

_FEW = 20_000
"""Messages that match, up to which their sessions are sooner asked for than each session for a message that does."""

_REMAINING = 0.25
"""The part of all sessions up to which their messages are looked up first."""

_PACE = 400
"""Quarters of a slice: nobody waits for a first page here."""


def holding(reader: Reader, term: Term, cancel: Cancel) -> frozenset[str]:
    """The sessions in which anything matches the word: a message, the title, the id."""
    query = SessionQuery.of_terms([term])
    found = set(names.named(reader, query, cancel, every=True).session_ids)
    plan = routes.plan(reader, query, cancel)
    try:
        if any(_asks_for_words(stretch.route) for stretch in plan.stretches):
            found |= _with_words(reader, query, cancel)
            beyond = (replace(stretch, route=_beyond_words(stretch.route)) for stretch in plan.stretches)
            plan = replace(plan, stretches=tuple(beyond))
        return frozenset(found | _walked(reader, query, plan, found, cancel))
    except IndexDamaged:
        plan = routes.scan_all("search index damaged")
        return frozenset(found | _walked(reader, query, plan, found, cancel))


def _asks_for_words(route: Route) -> bool:
    return isinstance(route, Indexed) or (isinstance(route, Beside) and _asks_for_words(route.route))


def _beyond_words(route: Route) -> Route:
    """The same route without what the index of words finds by itself."""
    if isinstance(route, Beside):
        return replace(route, route=_beyond_words(route.route))
    return replace(route, words=False) if isinstance(route, Indexed) else route


def _with_words(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    """The sessions of the messages that the index of words finds."""
    match = f"({sieve.of_words(query)}) NOT {ENCODED}"
    matched = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?"
    counted = reader.one(f"SELECT count(*) FROM ({matched} LIMIT {_FEW})", (match,), cancel)
    seen = shown(reader.layout)
    if (counted and counted[0] < _FEW) or "idx_messages_session" not in reader.layout.indexes:
        sql = f"SELECT DISTINCT m.session_id AS id FROM messages m WHERE m.id IN ({matched}) AND {seen}"
    else:
        sql = f"""SELECT s.id AS id FROM sessions s WHERE EXISTS (
            SELECT 1 FROM messages m WHERE m.session_id = s.id AND +m.id IN ({matched}) AND {seen})"""
    return set(reader.json(f"SELECT json_group_array({text('id')}) FROM ({sql})", (match,), cancel))


def _walked(
    reader: Reader, query: SessionQuery, plan: routes.Plan, found: Iterable[str], cancel: Cancel
) -> set[str]:
    """The other sessions that are met on this way."""
    known = json.dumps(list(found))
    scope = Scope("m.session_id NOT IN (SELECT value FROM json_each(?))", (known,), pace=_PACE)
    some = _remaining(reader, known, cancel)
    met: set[str] = set()
    before = NEWEST
    while stretch := plan.below(before):
        cancel.check()
        wanted, narrowed = Ids(stretch.first, before), scope
        if some is not None:
            wanted, narrowed = some.among(reader, scope, wanted, cancel)
        piece = stretch.route(reader, query, narrowed, wanted, cancel)
        before = piece.lowest
        met.update(hit.session_id for hit in piece.hits)
    return met


def _remaining(reader: Reader, known: str, cancel: Cancel) -> Some | None:
    """The sessions that are not known yet, if they are few."""
    if not (reader.layout.has("sessions", "id") and "idx_messages_session" in reader.layout.indexes):
        return None
    ids, total, newest = reader.json(
        f"""SELECT json_array(json_group_array({text("id")}), (SELECT count(*) FROM sessions),
            (SELECT max(id) FROM messages)) FROM sessions WHERE id NOT IN (SELECT value FROM json_each(?))""",
        (known,),
        cancel,
    )
    if not isinstance(newest, int) or len(ids) > total * _REMAINING:
        return None
    return Some(json.dumps(ids), max(1, len(ids)) / max(1, total), newest, together=newest)
