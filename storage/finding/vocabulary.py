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

_MANY = 5_000
"""Words behind an escape that are remembered."""

_LOOKED_FOR = 16
"""Words of a query of which it is asked what goes on from them."""

_WIDE = (("\u061c", "\u061d"), ("\u1100", "\u1200"), ("\u2066", "\U0010ffff"))
"""Where words begin with CJK, or with a sign that is a letter to the index; a few others among them do no harm."""


def has_wide(reader: Reader) -> bool:
    """Whether any word begins with CJK or with such a sign."""
    return _any_between(reader, [*_WIDE])


def goes_on_wide(reader: Reader, query: SessionQuery, cancel: Cancel) -> bool:
    """Whether CJK or such a sign goes on from any word of the query."""
    words = [word for term in query.terms[:_LOOKED_FOR] for word in term.words[-1:]]
    return _any_between(
        reader, [(word + first, word + last) for word in words for first, last in _WIDE], cancel
    )


def escaped(reader: Reader) -> tuple[str, ...] | None:
    """The words that begin like an escape of JSON; None where there are very many."""
    reader.rows(_WORDS)
    known = reader.json(
        f"SELECT json_group_array(term) FROM (SELECT term FROM ({_ESCAPED}) LIMIT {_MANY + 1})"
    )
    return None if len(known) > _MANY else tuple(known)


def escaped_letters(reader: Reader) -> tuple[str, ...] | None:
    """Those of them that are letters with accents, or stand between words; None where there are very many."""
    reader.rows(_WORDS)
    known = reader.json(
        f"SELECT json_group_array(term) FROM (SELECT term FROM ({_ESCAPED_LETTERS}) LIMIT {_MANY + 1})"
    )
    return None if len(known) > _MANY else tuple(known)


def escaped_letters_of(reader: Reader, words: Sequence[str], cancel: Cancel) -> tuple[str, ...]:
    """The same where they are very many: those that can be of use for these words."""
    own = [word[:_LONGEST] for word in words]
    of_use = " OR ".join(
        [f"instr(?, substr(term, {_ESCAPE + 1})) OR substr(term, {_ESCAPE + 1}) GLOB ? || '*'"] * len(own)
    )
    values = [word for word in own for _ in range(2)]
    sql = f"SELECT json_group_array(term) FROM ({_ESCAPED_LETTERS}) WHERE {of_use}"
    return tuple(reader.json(sql, values, cancel)) if own else ()


def has_other_escapes(reader: Reader) -> bool:
    """Whether any word begins like an escape of CJK, or of other writing without cases."""
    reader.rows(_WORDS)
    return bool(reader.rows(f"SELECT 1 WHERE {_OTHER_ESCAPES}"))


def behind_escapes(
    reader: Reader, known: Sequence[str] | None, words: Iterable[str], cancel: Cancel
) -> Mapping[str, Sequence[str]]:
    """By the beginning of a word: the escapes of JSON that stand right in front of it anywhere, as "u4f1a".

    Args:
        known: What `escaped` said.
    """
    beginnings = {word: word[:_LONGEST] for word in words}
    if known is None and beginnings:
        begins = " OR ".join([f"term GLOB 'u{_HEX * 4}' || ? || '*'"] * len(beginnings))
        known = reader.json(
            f"SELECT json_group_array(term) FROM ({_ESCAPED}) WHERE {begins}",
            tuple(beginnings.values()),
            cancel,
        )
    return {
        word: sorted({term[:_ESCAPE] for term in known or () if term.startswith(beginning, _ESCAPE)})
        for word, beginning in beginnings.items()
    }


def _any_between(reader: Reader, ends: Sequence[tuple[str, str]], cancel: Cancel | None = None) -> bool:
    """Whether there is a word in any of these ranges."""
    if not ends:
        return False
    reader.rows(_WORDS, (), cancel)
    among = "EXISTS (SELECT 1 FROM temp.messages_fts_words WHERE term >= ? AND term < ?)"
    values = [end for pair in ends for end in pair]
    return bool(reader.rows(f"SELECT 1 WHERE {' OR '.join([among] * len(ends))}", values, cancel))


_HEX = "[0-9a-f]"

_ESCAPED = " UNION ALL ".join(
    f"SELECT term FROM temp.messages_fts_words WHERE term >= 'u{first}{low}' AND term < 'u{first}{high}'"
    for first in "0123456789abcdef"
    for low, high in (("0", ":"), ("a", "g"))
)
"""Words that begin like an escape. Range by range: "ubuntu" and its kind are everywhere, and are not looked at."""

# The plus: as the beginning of a word the pattern would be a range of its own, and widen the one beside it.
_IS_ESCAPE = f"+term GLOB 'u{_HEX * 4}*'"

_ESCAPED_LETTERS = " UNION ALL ".join(
    f"SELECT term FROM temp.messages_fts_words WHERE term >= '{first}' AND term < '{after}' AND {_IS_ESCAPE}"
    for first, after in (
        ("u0000", "u0370"),
        ("u1e00", "u1f00"),
        ("u2000", "u2c00"),
        ("udc00", "udg"),
        ("ufe00", "ufeg"),
    )
)
"""The same for Latin letters with accents, for punctuation, arrows and pictures, and the ends of what is a pair."""

_OTHER_ESCAPES = " OR ".join(
    "EXISTS (SELECT 1 FROM temp.messages_fts_words"
    f" WHERE term >= '{first}' AND term < '{after}' AND {_IS_ESCAPE})"
    for first, after in (
        ("u0590", "u1e00"),
        ("u2c00", "u9g"),
        ("ua0", "ua:"),
        ("uaa", "uag"),
        ("ub0", "ub:"),
        ("uba", "ubg"),
        ("uc0", "uc:"),
        ("uca", "ucg"),
        ("ud0", "ud8"),
        ("uf9", "ufe"),
        ("uff", "ufg"),
    )
)
"""Whether there is any of the rest, but for alphabets that have letters alone."""
