"""Sessions found by what they are called: their titles and their ids."""

from __future__ import annotations

import json
import re

from storage.conversation.expressions import text
from storage.engine.connection import Cancel, Reader
from storage.finding.evidence import SIEVED, may_hold, needle
from storage.finding.query import SessionQuery, Term

SHORTEST = 4
"""Characters from which on a term is looked for inside ids: nearly every id holds any one or two."""

LONGEST = 1_000
"""Characters up to which it is; no id is so long."""


def named(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    """Ids of the sessions of which every term matches the title, or is a piece of the id.

    Both are read from their indexes alone (SQLite sees to it where they exist): a row holds its system prompt
    before its title.
    """
    if not reader.layout.has("sessions", "id"):
        return set()
    return _titled(reader, query, cancel) | _identified(reader, query, cancel)


def _titled(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    if not reader.layout.has("sessions", "title"):
        return set()
    sieved = query.terms[:SIEVED]
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array(rowid, {text("title")})) FROM sessions
        WHERE title IS NOT NULL AND {" AND ".join(may_hold(term, "title") for term in sieved)}
        """,
        [needle(term) for term in sieved],
        cancel,
    )
    found = [rowid for rowid, title in rows if query.matches(title)]
    return {id_ for id_, _ in _rows(reader, found, "NULL", cancel)}


def _identified(reader: Reader, query: SessionQuery, cancel: Cancel) -> set[str]:
    pieces = [re.sub(r"([!%_])", r"!\1", term.text) for term in query.terms if _is_piece(term)][:SIEVED]
    if not pieces:
        return set()
    found = reader.json(
        f"""
        SELECT json_group_array(rowid) FROM sessions
        WHERE {" OR ".join(["id LIKE '%' || ? || '%' ESCAPE '!'"] * len(pieces))}
        """,
        pieces,
        cancel,
    )
    if len(query.terms) == 1:
        return {id_ for id_, _ in _rows(reader, found, "NULL", cancel)}
    title = text(reader.layout.column("sessions", "title"))
    return {
        id_
        for id_, title in _rows(reader, found, title, cancel)
        if all(_in_id(term, id_) or term.matches(title or "") for term in query.terms)
    }


def _in_id(term: Term, session_id: str) -> bool:
    return _is_piece(term) and term.text.lower() in session_id.lower()


def _is_piece(term: Term) -> bool:
    return SHORTEST <= len(term.text) <= LONGEST


def _rows(reader: Reader, rowids: list[int], title: str, cancel: Cancel) -> list[tuple[str, str | None]]:
    if not rowids:
        return []
    rows: list[tuple[str, str | None]] = reader.json(
        f"""
        SELECT json_group_array(json_array({text("id")}, {title})) FROM sessions
        WHERE rowid IN (SELECT value FROM json_each(?1))
        """,
        (json.dumps(rowids),),
        cancel,
    )
    return rows
