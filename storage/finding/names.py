"""Sessions found by what they are called: their titles and their ids."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from storage.conversation.expressions import text
from storage.engine.connection import Cancel, Reader
from storage.finding import evidence
from storage.finding.evidence import SIEVED, Evidence
from storage.finding.filter_values import OF_MESSAGES
from storage.finding.known_names import KnownNames, known_names
from storage.finding.query import SessionQuery, Term

SHORTEST = 4
"""Characters from which on a term is looked for inside ids: nearly every id holds any one or two."""

LONGEST = 1_000
"""Characters up to which it is; no id is so long."""

MOST = 2_000
"""Sessions that are found by their id at most, those that were stored last: a year is a piece of every id."""

_PIECE = "id LIKE '%' || ? || '%' ESCAPE '!'"


class Named(NamedTuple):
    """What is called what was looked for."""

    session_ids: frozenset[str]
    notes: tuple[str, ...] = ()
    """What was not searched."""


def named(reader: Reader, query: SessionQuery, cancel: Cancel, *, every: bool = False) -> Named:
    """The sessions of which every term of an alternative matches the title, or is a piece of the id.

    Both are read from their indexes alone (SQLite sees to it where they exist): a row holds its system prompt
    before its title. Nothing where only messages are asked for (`role:`, `tool:`).

    Args:
        every: Find all ids, not only MOST.
    """
    if not reader.layout.has("sessions", "id") or any(one.key in OF_MESSAGES for one in query.filters):
        return Named(frozenset())
    known = _known(reader, cancel)
    most = -1 if every else MOST
    identified, all_of_them = _identified(reader, query, known, cancel, most)
    note = f"not searched: ids older than the newest {most:,} that match"
    return Named(_titled(reader, query, known, cancel) | identified, () if all_of_them else (note,))


def titled(reader: Reader, query: SessionQuery, cancel: Cancel) -> frozenset[str]:
    """The sessions of which every term of an alternative matches the title."""
    return _titled(reader, query, _known(reader, cancel), cancel)


def _known(reader: Reader, cancel: Cancel) -> KnownNames | None:
    return known_names(reader, cancel) if _has_titles(reader) else None


def _has_titles(reader: Reader) -> bool:
    return reader.layout.has("sessions", "id") and reader.layout.has("sessions", "title")


def _titled(reader: Reader, query: SessionQuery, known: KnownNames | None, cancel: Cancel) -> frozenset[str]:
    if not _has_titles(reader):
        return frozenset()
    if known is not None and (titled := known.titled(query)) is not None:
        return titled
    likely, needles = evidence.may_be_in(query, ["title"])
    keys, titles = reader.json(
        f"""
        SELECT json_array(json_group_array({reader.layout.key("sessions")}), json_group_array({text("title")}))
        FROM sessions WHERE title IS NOT NULL AND ({likely})
        """,
        needles,
        cancel,
    )
    found = list(compress(keys, query.matching(titles)))
    return frozenset(id_ for id_, _ in _rows(reader, found, "NULL", cancel))


def _identified(
    reader: Reader, query: SessionQuery, known: KnownNames | None, cancel: Cancel, most: int
) -> tuple[frozenset[str], bool]:
    """Sessions by a piece of the id, and whether these are all of them."""
    if known is not None and most >= 0 and (those := _known_by_id(query, known, most + 1)) is not None:
        return frozenset(those[:most]), len(those) <= most
    likely, values = _may_be_called(reader, query)
    if not likely:
        return frozenset(), True
    key = reader.layout.key("sessions")
    keys, ids = reader.json(
        f"""
        SELECT json_array(json_group_array(key), json_group_array(id)) FROM (
            SELECT {key} AS key, {text("id")} AS id FROM sessions WHERE {likely}
            ORDER BY +{key} DESC LIMIT {most + 1 if most >= 0 else -1})
        """,
        values,
        cancel,
    )
    all_of_them = len(keys) <= most or most < 0
    newest = keys if all_of_them else keys[:most]
    if len(query.terms) == 1 and not query.excluded:
        return frozenset(ids[: len(newest)]), all_of_them
    title = text(reader.layout.column("sessions", "title"))
    called = _rows(reader, newest, title, cancel)
    return frozenset(id_ for id_, title in called if _is_called(query, id_, title or "")), all_of_them


def _known_by_id(query: SessionQuery, known: KnownNames, most: int) -> Sequence[str] | None:
    """The same from what is known, the `most` that were stored last; None where it takes more to know."""
    pieces = [term for term in query.terms if _is_piece(term)]
    if len(query.terms) == 1 and not query.excluded:
        return known.identified(pieces[0].text, most) if pieces else ()
    return None if any(known.identified(term.text, 1) != [] for term in pieces) else ()


def _may_be_called(reader: Reader, query: SessionQuery) -> Evidence:
    """SQL that holds wherever an id has a piece of what is looked for, and id and title have all of it."""
    key = reader.layout.key("sessions")
    titled = f"SELECT {key} FROM sessions WHERE title IS NOT NULL"
    has_titles = reader.layout.has("sessions", "title")
    alternatives, values = [], []
    for terms in query.alternatives[:SIEVED]:
        if not any(map(_is_piece, terms[:SIEVED])):
            continue
        pieces = [re.sub(r"([!%_])", r"!\1", term.text) for term in terms[:SIEVED] if _is_piece(term)]
        # What hardly any id holds is asked first: whatever stands behind it is mostly spared.
        conditions = [f"({' OR '.join([_PIECE] * len(pieces))})"]
        values += pieces
        for term in terms[:SIEVED] if len(terms) > 1 else ():
            places = []
            if _is_piece(term):
                places.append(_PIECE)
                values.append(pieces.pop(0))
            if has_titles:
                places.append(f"{key} IN ({titled} AND {evidence.may_hold(term, 'title')})")
                values.append(evidence.needle(term))
            conditions.append(f"({' OR '.join(places) or '0'})")
        alternatives.append(f"({' AND '.join(conditions)})")
    return " OR ".join(alternatives), values


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
