"""Sessions found by what they are called: their titles and their ids."""

from __future__ import annotations

import json
import re

from storage.conversation.expressions import text
from storage.engine.connection import Cancel, Reader
from storage.finding import evidence
from storage.finding.evidence import SIEVED
from storage.finding.filter_values import OF_MESSAGES
from storage.finding.query import SessionQuery, Term

SHORTEST = 4
"""Characters from which on a term is looked for inside ids: nearly every id holds any one or two."""

LONGEST = 1_000
"""Characters up to which it is; no id is so long."""

MOST = 2_000
"""Sessions that are found by their id at most, those that were stored last: a year is a piece of every id."""


def named(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    """Ids of the sessions of which every term of an alternative matches the title, or is a piece of the id.

    Both are read from their indexes alone (SQLite sees to it where they exist): a row holds its system prompt
    before its title. Nothing where only messages are asked for (`role:`, `tool:`).
    """
    if not reader.layout.has("sessions", "id") or any(one.key in OF_MESSAGES for one in query.filters):
        return set()
    return _titled(reader, query, cancel) | _identified(reader, query, cancel)


def _titled(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    if not reader.layout.has("sessions", "title"):
        return set()
    likely, needles = evidence.may_be_in(query, ["title"])
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array({reader.layout.key("sessions")}, {text("title")})) FROM sessions
        WHERE title IS NOT NULL AND ({likely})
        """,
        needles,
        cancel,
    )
    found = [key for key, title in rows if query.matches(title)]
    return {id_ for id_, _ in _rows(reader, found, "NULL", cancel)}


def _identified(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    pieces = [re.sub(r"([!%_])", r"!\1", term.text) for term in query.terms if _is_piece(term)][:SIEVED]
    if not pieces:
        return set()
    key = reader.layout.key("sessions")
    found = reader.json(
        f"""
        SELECT json_group_array(key) FROM (
            SELECT {key} AS key FROM sessions WHERE {" OR ".join(["id LIKE '%' || ? || '%' ESCAPE '!'"] * len(pieces))}
            ORDER BY +{key} DESC LIMIT {MOST})
        """,
        pieces,
        cancel,
    )
    if len(query.terms) == 1 and not query.excluded:
        return {id_ for id_, _ in _rows(reader, found, "NULL", cancel)}
    title = text(reader.layout.column("sessions", "title"))
    return {id_ for id_, title in _rows(reader, found, title, cancel) if _is_called(query, id_, title or "")}


def _is_called(query: SessionQuery, session_id: str, title: str) -> bool:
    if any(_in_id(term, session_id) or term.matches(title) for term in query.excluded):
        return False
    return any(
        all(_in_id(term, session_id) or term.matches(title) for term in terms) for terms in query.alternatives
    )


def _in_id(term: Term, session_id: str) -> bool:
    return _is_piece(term) and term.text.lower() in session_id.lower()


def _is_piece(term: Term) -> bool:
    return SHORTEST <= len(term.text) <= LONGEST


def _rows(reader: Reader, keys: list[int | str], title: str, cancel: Cancel) -> list[tuple[str, str | None]]:
    if not keys:
        return []
    rows: list[tuple[str, str | None]] = reader.json(
        f"""
        SELECT json_group_array(json_array({text("id")}, {title})) FROM sessions
        WHERE {reader.layout.key("sessions")} IN (SELECT value FROM json_each(?1))
        """,
        (json.dumps(keys),),
        cancel,
    )
    return rows
