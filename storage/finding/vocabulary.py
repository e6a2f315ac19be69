"""The words that the index of words knows, for what a full-text query cannot ask: how a word begins and goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from storage.engine.connection import Cancel, Reader
from storage.finding.query import SessionQuery

_WORDS = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.messages_fts_words
USING fts5vocab('main', 'messages_fts', 'row')"""
"""It lives in the connection, not in the store, and can be made on a read-only one; not under PRAGMA query_only."""

_ESCAPE = 5
"""Characters of the word that JSON's `\\u4f1a` leaves, with what stands behind it: "u4f1adocker"."""

_LONGEST = 100
"""Characters of a word that are compared."""

_LOOKED_FOR = 16
"""Words of a query of which it is asked what goes on from them."""

_WIDE = (("\u1100", "\u1200"), ("\u2e80", "\U0010ffff"))
"""Where words begin with CJK."""


def has_wide(reader: Reader, query: SessionQuery, cancel: Cancel) -> bool:
    """Whether any word begins with CJK, or with a word of the query that CJK goes on from."""
    reader.rows(_WORDS, (), cancel)
    beginnings = ("", *(word for term in query.terms[:_LOOKED_FOR] for word in term.words[-1:]))
    ends = [(word + first, word + last) for word in beginnings for first, last in _WIDE]
    among = "EXISTS (SELECT 1 FROM temp.messages_fts_words WHERE term >= ? AND term < ?)"
    return any(reader.rows(f"SELECT 1 WHERE {' OR '.join([among] * len(ends))}", sum(ends, ()), cancel))


def behind_escapes(reader: Reader, words: Iterable[str], cancel: Cancel) -> Mapping[str, Sequence[str]]:
    """By the beginning of a word: the escapes of JSON that stand right in front of it anywhere, as "u4f1a"."""
    beginnings = {word: word[:_LONGEST] for word in words}
    if not beginnings:
        return {}
    reader.rows(_WORDS, (), cancel)
    begins = " OR ".join([f"term GLOB 'u{_HEX * 4}' || ? || '*'"] * len(beginnings))
    known: list[str] = reader.json(
        f"SELECT json_group_array(term) FROM ({_ESCAPED}) WHERE {begins}",
        tuple(beginnings.values()),
        cancel,
    )
    return {
        word: sorted({term[:_ESCAPE] for term in known if term.startswith(beginning, _ESCAPE)})
        for word, beginning in beginnings.items()
    }


_HEX = "[0-9a-f]"

_ESCAPED = " UNION ALL ".join(
    f"SELECT term FROM temp.messages_fts_words WHERE term >= 'u{first}{low}' AND term < 'u{first}{high}'"
    for first in "0123456789abcdef"
    for low, high in (("0", ":"), ("a", "g"))
)
"""Words that begin like an escape. Range by range: "ubuntu" and its kind are everywhere, and are not looked at."""
