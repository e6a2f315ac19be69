"""What SQL alone can tell of a match: that a text cannot hold a term, or that it surely does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from storage.engine.layout import Layout
from storage.finding import fold
from storage.finding.query import SessionQuery, Term

SIEVED = 100
"""Terms that SQL looks for, whose expressions have a greatest depth; Python looks for them all."""

_LONGEST_NEEDLE = 1_000
"""Characters of it that SQL looks for; LIKE refuses long ones."""

_FEW = 4
"""Words that are looked for behind escapes; more of them take as long as reading the message."""

_ASCII_RUN = re.compile(r"[0-9a-z]+")

_ACCENTED = f"*[{fold.ACCENTED}]*"
"""GLOB for whatever folds to an ASCII letter, or to nothing."""

_ESCAPED_LETTERS = ("00[4-7c-fC-F]", "0[12]", "03[0-3]", "1[eE]", "212")
"""GLOB for the beginnings of what folds to an ASCII letter, or to nothing, as JSON escapes it."""

_HIDING = "*\\[bfnrtu]*"
"""GLOB for JSON that says another thing than what is stored, but for what a backslash only marks."""

_WRITTEN_IN_JSON = re.compile(r"[\x00-\x1f\x7f<>&'\"\\/]")
"""Signs of ASCII that JSON may write as an escape."""

Evidence = tuple[str, list[str]]
"""SQL about the message `m`, and the values of its parameters."""


def searched(layout: Layout) -> list[str]:
    """SQL: what is searched of the message `m`."""
    return [layout.column("messages", name, "NULL", "m") for name in ("content", "tool_name", "tool_calls")]


def needle(term: Term) -> str:
    """What stands as it is, in lower case, in most texts that hold the term."""
    if term.words:
        return max(_ASCII_RUN.findall(" ".join(term.words)), key=len, default="")[:_LONGEST_NEEDLE]
    # The longest stretch that reads the same in both cases.
    stretches = "".join(char if char.lower() == char.upper() else "\0" for char in term.solid).split("\0")
    return max(stretches, key=len)[:_LONGEST_NEEDLE]


def may_hold(term: Term, column: str) -> str:
    """SQL with one parameter, the `needle`: holds wherever the term is found in the column's text as it stands."""
    if not term.words:
        return f"coalesce(instr({column}, ?), 0)"
    # An accent or a NUL defeats LIKE; both show in the bytes. As the value of an OR all of it would be evaluated.
    return f"""CASE WHEN {column} LIKE '%' || ? || '%' THEN 1
        WHEN length({column}) <> length(CAST({column} AS BLOB))
        THEN {column} GLOB '{_ACCENTED}' OR instr(CAST({column} AS BLOB), x'00') ELSE 0 END"""


def may_match(layout: Layout, query: SessionQuery) -> Evidence:
    """SQL that holds for every message `m` that matches the query."""
    columns = searched(layout)
    # Encoded content hides its text in JSON: a control byte stands before it, and bytes may begin with one.
    encoded = f"{columns[0]} < char(2) OR typeof({columns[0]}) = 'blob'"
    sql, needles = may_be_in(query, columns, columns[2])
    return f"({encoded} OR {sql})", needles


def may_be_in(query: SessionQuery, columns: Sequence[str], calls: str = "") -> Evidence:
    """SQL that holds wherever the query is found in these columns as they stand, and in tool calls as they read."""
    if len(query.alternatives) > 1 and len(query.terms) > SIEVED:
        return "1", []
    alternatives, needles = [], []
    for terms in query.alternatives:
        sieved = terms[:SIEVED]
        alternatives.append(" AND ".join(f"({_anywhere(term, columns, calls)})" for term in sieved))
        needles += [needle(term) for term in sieved for _ in columns]
    return " OR ".join(f"({sql})" for sql in alternatives) or "1", needles


def surely_matches(layout: Layout, query: SessionQuery) -> Evidence:
    """SQL that holds only for messages `m` that match the query: most of them, where it is one everyday word."""
    columns = searched(layout)
    if len(query.terms) + len(query.excluded) > SIEVED:
        return "0", []
    alternatives, values = [], []
    for terms in query.alternatives:
        sure = [_surely_holds(term, columns) for term in terms]
        if all(sql for sql, _ in sure):
            alternatives.append(" AND ".join(sql for sql, _ in sure))
            values += [value for _, own in sure for value in own]
    if not alternatives:
        return "0", []
    plain = f"typeof({columns[0]}) = 'text' AND {columns[0]} >= char(2)"
    anyone = " OR ".join(f"({sql})" for sql in alternatives)
    without = "".join(f" AND NOT ({_anywhere(term, columns, columns[2])})" for term in query.excluded)
    values += [needle(term) for term in query.excluded for _ in columns]
    return f"({plain} AND ({anyone}){without})", values


def hides(layout: Layout) -> str:
    """SQL: whether the tool calls of the message `m` hold an escape that may hide a word."""
    return f"coalesce({searched(layout)[2]} GLOB '{_HIDING}', 0)"


def hides_any(layout: Layout, query: SessionQuery) -> str:
    """SQL: whether the tool calls of the message `m` hold a letter as an escape, or a word of the query behind one."""
    calls = searched(layout)[2]
    words = {word[:_LONGEST_NEEDLE] for term in query.terms for word in term.words}
    if len(words) > _FEW or not all(map(str.isascii, words)):
        return hides(layout)
    behind = "".join(f" OR {calls} LIKE '%\\{any_}{word}%'" for word in words for any_ in ("_", "u____"))
    return f"coalesce({_has_letters(calls)}{behind}, 0)"


def _has_letters(calls: str) -> str:
    """SQL: whether there is an escape in them that may be a letter of a word in ASCII."""
    letters = " OR ".join(f"{calls} GLOB '*\\u{beginning}*'" for beginning in _ESCAPED_LETTERS)
    return f"coalesce(instr({calls}, '\\u') AND ({letters}), 0)"


def _anywhere(term: Term, columns: Iterable[str], calls: str) -> str:
    held = " OR ".join(may_hold(term, column) for column in columns)
    return f"{held} OR {_may_be_told(term, calls)}" if calls not in ("", "NULL") else held


def _may_be_told(term: Term, calls: str) -> str:
    """SQL: whether these tool calls may say it with escapes of JSON, where `may_hold` finds nothing of it."""
    if term.words:
        return _has_letters(calls)
    wanted = needle(term)
    if _WRITTEN_IN_JSON.search(wanted):
        return f"coalesce(instr({calls}, '\\'), 0)"
    wide = next((char for char in wanted if not char.isascii()), "")
    # Of ASCII with nothing that JSON escapes, but for writers that escape everything.
    pattern = "%".join(re.findall(r"\\u....", json.dumps(wide))) if wide else r"\u00"
    return f"coalesce({calls} LIKE '%{pattern}%', 0)"


def _surely_holds(term: Term, columns: Sequence[str]) -> Evidence:
    """Empty SQL where it takes Python to know."""
    text = " ".join(term.words) if term.words else term.text
    # LIKE folds ASCII alone, and reads no further than a NUL.
    if not _reads_alike(text) or term.sign or len(text) > _LONGEST_NEEDLE:
        return "", []
    if not term.words:
        return f"{columns[0]} LIKE ? ESCAPE '!'", [f"%{_literal(text)}%"]
    # Between blanks: other gaps are left to Python, which is quicker at them than any pattern of SQL.
    like = [f"coalesce({column} LIKE ?, 0)" for column in columns]
    return f"({' OR '.join(like)})", [f"% {text}{'%' if term.opens else ' %'}"] * len(like)


def _reads_alike(text: str) -> bool:
    return all(char.isascii() or char.lower() == char.upper() for char in text) and "\0" not in text


def _literal(text: str) -> str:
    return re.sub(r"([!%_])", r"!\1", text)
