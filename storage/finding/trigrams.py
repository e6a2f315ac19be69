"""The index of all trigrams, for what no index of words can take apart: CJK, emoji, signs, words glued to them.

It knows only what is at least three characters long; its own vocabulary helps with what is shorter: whatever
begins with 会 or 会话 is a range of it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from storage.engine.connection import Cancel, Reader
from storage.finding import fold
from storage.finding.query import Term

LONG = 3
"""Characters that the index knows by themselves."""

DENSE = 64
"""Beginnings in the vocabulary from which on a short term is so common that the newest messages are looked at first."""

_MOST = 5_000
"""Beginnings that are looked for at once; what has more is everywhere."""

MOST_PLACES = 50_000
"""Places of a short text that are listed, in some milliseconds; what has more is everywhere."""

_LONGEST = 1_000
"""Characters of a term that are looked for."""

_VOCABULARY = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.messages_fts_trigrams
USING fts5vocab('main', 'messages_fts_trigram', 'row')"""
"""It lives in the connection, not in the store, and can be made on a read-only one; not under PRAGMA query_only."""

_PLACES = """CREATE VIRTUAL TABLE IF NOT EXISTS temp.messages_fts_trigram_places
USING fts5vocab('main', 'messages_fts_trigram', 'instance')"""

_ACCENTED = (("\u00c0", "\u0234"), ("\u0300", "\u0332"), ("\u1e00", "\u1efa"))
"""Where what folds to an ASCII letter, or to nothing, stands in the vocabulary."""

_MOST_ACCENTED = 5_000
"""Places of such letters that are looked at."""

_MOST_FRONTS = 5_000
"""Steps of the walk that gathers what stands in front of words: some 0.03 ms each."""

_FRONTS = f"""WITH RECURSIVE walk(term) AS (
    SELECT (SELECT term FROM temp.messages_fts_trigram_places WHERE term >= '\u061c' LIMIT 1)
    UNION ALL
    SELECT (SELECT next.term FROM temp.messages_fts_trigram_places AS next WHERE next.term >= CASE
        WHEN substr(walk.term, 2, 1) > 'z' THEN
            char(CASE unicode(walk.term) WHEN 0xD7FF THEN 0xE000 ELSE unicode(walk.term) + 1 END) || '0'
        WHEN substr(walk.term, 2, 1) < '0' THEN substr(walk.term, 1, 1) || '0'
        WHEN substr(walk.term, 2, 1) BETWEEN ':' AND '`' THEN substr(walk.term, 1, 1) || 'a'
        WHEN substr(walk.term, 3, 1) > 'z' THEN
            substr(walk.term, 1, 1) || char(unicode(substr(walk.term, 2, 1)) + 1)
        ELSE walk.term || char(1) END LIMIT 1)
    FROM walk WHERE walk.term IS NOT NULL
    LIMIT {_MOST_FRONTS})
SELECT json_array(count(*), json_group_array(term) FILTER (WHERE term GLOB '?[0-9a-z]*')) FROM walk"""
"""What stands in front of a letter in ASCII, and of two: a walk that passes over what begins with any others."""

_BEGUN = """SELECT term FROM (
    SELECT term FROM temp.messages_fts_trigram_places WHERE term >= ? AND term < ? LIMIT ?)"""


def phrase(text: str) -> str:
    """The text for MATCH."""
    return '"' + text.replace('"', '""') + '"'


def longest(term: Term) -> str:
    """The longest stretch of a term without `words` that is folded alike here and there."""
    return max(_folded_alike(term.solid), key=len)[:_LONGEST]


def words_within(term: Term) -> list[str]:
    """What the index knows of its words: it keeps accents, so a letter that was typed with one is left out.

    A word that was typed without its accent is not known to be a part of one that has it.
    """
    pieces = term.words
    if not term.text.isascii():
        pieces = tuple(max(_without_accents(word), key=len) for word in term.written)
    return [piece[:_LONGEST] for piece in pieces if len(piece) >= LONG]


def beginnings(reader: Reader, text: str, cancel: Cancel) -> list[str] | None:
    """The trigrams that begin with a text of one or two characters; None where there are too many to look for."""
    reader.rows(_VOCABULARY, (), cancel)
    low = fold.lower(text)
    found: list[str] = reader.json(
        """SELECT json_group_array(term) FROM (
            SELECT term FROM temp.messages_fts_trigrams WHERE term >= ? AND term < ? LIMIT ?)""",
        (low, _after(low), _MOST + 1),
        cancel,
    )
    return None if len(found) > _MOST else found


def places(reader: Reader, text: str, cancel: Cancel) -> tuple[int, ...] | None:
    """The messages that hold a text of one or two characters, newest first; None where there are very many.

    One walk through the vocabulary: a query for thousands of trigrams begins anew for each.
    """
    reader.rows(_PLACES, (), cancel)
    low = fold.lower(text)
    found: list[int] = reader.json(
        """SELECT json_group_array(doc) FROM (
            SELECT doc FROM temp.messages_fts_trigram_places WHERE term >= ? AND term < ? LIMIT ?)""",
        (low, _after(low), MOST_PLACES + 1),
        cancel,
    )
    return None if len(found) > MOST_PLACES else tuple(sorted(set(found), reverse=True))


def beside(reader: Reader, texts: Iterable[str], words: Iterable[Term], cancel: Cancel) -> str:
    """MATCH for what holds texts of one or two characters and may hold these words; empty where it takes too long.

    A text in which a letter has an accent may hold a word that was typed without.
    """
    pieces = [piece for term in words for piece in words_within(term)]
    begun = [beginnings(reader, text, cancel) for text in texts]
    if not pieces or not all(found and len(found) <= DENSE for found in begun):
        return ""
    accented = reader.learned("accented trigrams", lambda: _accented(reader, cancel))
    if accented is None:
        return ""
    held = (any_of((piece[:LONG], *accented)) for piece in pieces)
    return " AND ".join((*(any_of(found) for found in begun if found), *held))


def ends(word: str) -> str:
    """MATCH for both ends of a word at their distance: found sooner than a long word, and hardly ever more than it."""
    between = len(word) - LONG - 1
    return f"NEAR({phrase(word[:LONG])} {phrase(word[-LONG:])}, {between})" if between > 1 else phrase(word)


def has_wide(reader: Reader) -> bool:
    """Whether there is CJK in the store at all, at least three characters of some text from its end."""
    reader.rows(_VOCABULARY)
    return bool(reader.rows("SELECT 1 FROM temp.messages_fts_trigrams WHERE term >= ? LIMIT 1", ("\u1100",)))


def fronts(reader: Reader) -> Mapping[str, Sequence[str]] | None:
    """By one or two letters or digits of ASCII: what is beyond Europe's letters, and stands right in front of them.

    Nowhere in the store does anything else of the kind stand there; None where that takes too long to know.
    """
    reader.rows(_PLACES)
    steps, found = reader.json(_FRONTS)
    if steps >= _MOST_FRONTS:
        return None
    known: dict[str, dict[str, None]] = {}
    for term in found:
        for behind in (term[1], term[1:]):
            known.setdefault(behind, {})[term[0]] = None
    return {behind: tuple(own) for behind, own in known.items()}


def goes_on(reader: Reader, text: str, cancel: Cancel) -> list[str]:
    """The trigrams in which such things stand right behind one or two characters; DENSE and one more of very many."""
    reader.rows(_VOCABULARY, (), cancel)
    found: list[str] = reader.json(
        """SELECT json_group_array(term) FROM (
            SELECT term FROM temp.messages_fts_trigrams WHERE term >= ? AND term < ? LIMIT ?)""",
        (f"{text}\u061c", _after(text), DENSE + 1),
        cancel,
    )
    return found


def behind_backslashes(reader: Reader, letters: Iterable[str]) -> str:
    """Those of these letters that stand behind a backslash anywhere, with something behind them."""
    reader.rows(_VOCABULARY)
    known = "EXISTS (SELECT 1 FROM temp.messages_fts_trigrams WHERE term >= ? AND term < ?)"
    begun = [f"\\{letter}" for letter in letters]
    sql = f"SELECT {', '.join([known] * len(begun))}"
    found = reader.rows(sql, [value for text in begun for value in (text, _after(text))])[0]
    return "".join(text[1:] for text, is_there in zip(begun, found, strict=True) if is_there)


def any_of(texts: Iterable[str]) -> str:
    """MATCH for any of these."""
    return f"({' OR '.join(map(phrase, texts))})"


def escaped(text: str) -> str:
    """The text as words of JSON that keeps to ASCII, for the index of words; empty where JSON leaves it as it is."""
    spelt = json.dumps(text)[1:-1]
    return " ".join(spelt.lower().replace("\\", " ").split()) if "\\u" in spelt else ""


def _folded_alike(text: str) -> list[str]:
    """The stretches of it in ASCII or in writing without cases."""
    alike = (char != "\0" and (char.isascii() or char.lower() == char.upper()) for char in text)
    return "".join(char if same else "\0" for char, same in zip(text, alike, strict=True)).split("\0")


def _without_accents(word: str) -> list[str]:
    composed = unicodedata.normalize("NFC", word)
    return [piece for alike in _folded_alike(composed) for piece in fold.COMBINING_MARKS.split(alike)]


def _after(text: str) -> str:
    """The first text that does not begin with this one."""
    last = ord(text[-1]) + 1
    return text[:-1] + chr(0xE000 if last == 0xD800 else last)


def _accented(reader: Reader, cancel: Cancel) -> list[str] | None:
    """The trigrams that begin with a letter that has an accent; None where there are very many."""
    reader.rows(_PLACES, (), cancel)
    terms: list[str] = reader.json(
        f"SELECT json_group_array(term) FROM ({' UNION ALL '.join([_BEGUN] * len(_ACCENTED))})",
        [value for first, after in _ACCENTED for value in (first, after, _MOST_ACCENTED)],
        cancel,
    )
    return None if len(terms) >= _MOST_ACCENTED else sorted(set(terms))
