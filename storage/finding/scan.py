"""Hits without an index: the messages themselves are looked through, newest first, in slices."""

from __future__ import annotations

import re

from storage.conversation.messages import shown
from storage.engine.connection import Cancel, Reader
from storage.engine.layout import Layout
from storage.finding import hits
from storage.finding.hits import Slice
from storage.finding.query import SessionQuery, Term

SLICE = 4_000
"""Messages of one statement: a cancelled scan stops between two, and the first is quick."""

SIEVED = 100
"""Terms that SQL looks for, whose expressions have a greatest depth; Python looks for them all."""

_LONGEST_NEEDLE = 1_000
"""Characters of it that SQL looks for; LIKE refuses long ones."""

_ASCII_RUN = re.compile(r"[0-9a-z]+")


def read(reader: Reader, query: SessionQuery, first: int, before: int, cancel: Cancel) -> Slice:
    """A Route that needs no index: SQL leaves out what cannot match, Python verifies the rest.

    Raises:
        Interrupted: `cancel` was cancelled.
    """
    found = reader.one(
        """
        SELECT min(id), count(*) FROM (
            SELECT id FROM messages WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3)
        """,
        (first, before, SLICE),
        cancel,
    )
    lowest, looked_at = found if found else (None, 0)
    if not looked_at:
        return Slice((), first)
    layout = reader.layout
    condition, needles = may_match(layout, query)
    rows = reader.json(
        f"""
        SELECT json_group_array(json_array({hits.facts(layout)}, {hits.texts(layout)}))
        FROM messages m WHERE m.id >= ? AND m.id < ? AND {shown(layout)} AND {condition}
        """,
        (lowest, before, *needles),
        cancel,
    )
    verified = hits.by_session(facts for facts, texts in rows if hits.found_in(query, texts))
    return Slice(verified, first if looked_at < SLICE else lowest, looked_at)


def needle(term: Term) -> str:
    """What stands as it is, in lower case, in most texts that hold the term."""
    if term.words:
        return max(_ASCII_RUN.findall(" ".join(term.words)), key=len, default="")[:_LONGEST_NEEDLE]
    # The longest stretch that reads the same in both cases.
    stretches = "".join(char if char.lower() == char.upper() else "\0" for char in term.text).split("\0")
    return max(stretches, key=len)[:_LONGEST_NEEDLE]


def may_hold(term: Term, column: str) -> str:
    """SQL with one parameter, the `needle`: holds wherever the term is found in the column's text as it stands."""
    if not term.words:
        return f"instr({column}, ?)"
    # An accent or a NUL defeats LIKE: where a text has more bytes than characters, Python looks.
    return f"({column} LIKE '%' || ? || '%' OR length({column}) <> length(CAST({column} AS BLOB)))"


def may_match(layout: Layout, query: SessionQuery) -> tuple[str, list[str]]:
    """SQL that holds for every message `m` that matches the query, and the values of its parameters."""
    columns = [
        layout.column("messages", name, "NULL", "m") for name in ("content", "tool_name", "tool_calls")
    ]
    sieved = query.terms[:SIEVED]
    # Encoded content hides its text in JSON: a control byte stands before it, and bytes may begin with one.
    encoded = f"{columns[0]} < char(2) OR typeof({columns[0]}) = 'blob'"
    terms = (" OR ".join(may_hold(term, column) for column in columns) for term in sieved)
    needles = [needle(term) for term in sieved for _ in columns]
    return f"({encoded} OR {' AND '.join(f'({sql})' for sql in terms)})", needles
