"""How a word may be spelt in JSON, for an index of words that knows the JSON and not what it says.

JSON that keeps to ASCII, as Hermes writes it, parts a word at each letter that is none: `café` is stored as
`caf\\u00e9`, two words to the index, "caf" and "u00e9"; and what stands right behind an escape belongs to its word:
"u4f1adocker", "ndocker".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from storage.finding import fold, trigrams
from storage.finding.terms import Term

GLUE = tuple("nrtbf")
"""What JSON's escapes of one letter leave in front of a word: the index knows `\\nword` as "nword"."""

ESCAPE = 5
"""Characters of the word that an escape leaves, with what stands behind it: "u4f1a"."""

_BESIDE = 8
"""Characters in front of an escape that are looked for with it."""

_PAIRS = 8
"""Letters of a word that are looked for, each with the next."""

_SIGN = re.compile("[<>&']")
"""What writers of JSON for web pages escape, besides what JSON must."""

_LETTERS = (range(0x80, 0x3000), range(0xA640, 0xAC00))
"""Where the letters are that have cases or accents."""


class Escapes:
    """The words of an index that begin with an escape of JSON."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(words)

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self._words

    def behind(self, word: str) -> list[str]:
        """The index's words for this one right behind an escape, as "u201cdocker"."""
        return self._by_rest.get(word, [])

    def begun(self, word: str) -> list[str]:
        """The same for all words that begin so, each by its beginning."""
        found = (escape + word for escape in self._all)
        return [beginning for beginning in found if self._has(beginning)]

    def saying(self, text: str) -> list[str]:
        """Those that fold to this text, "u00e9t" to "et"."""
        return self._by_text.get(text, [])

    def begun_saying(self, text: str) -> list[str]:
        """The beginnings of those that fold to what begins so."""
        found = [escape + text[1:] for escape in self._by_letter.get(text[:1], ())]
        found += [escape + text for escape in self._by_letter.get("", ())]
        return [beginning for beginning in found if self._has(beginning)]

    def _has(self, beginning: str) -> bool:
        place = bisect_left(self._words, beginning)
        return place < len(self._words) and self._words[place].startswith(beginning)

    @cached_property
    def _all(self) -> list[str]:
        return sorted({word[:ESCAPE] for word in self._words})

    @cached_property
    def _by_letter(self) -> Mapping[str, Sequence[str]]:
        letters: dict[str, list[str]] = {}
        for escape in self._all:
            letters.setdefault(_folded(escape), []).append(escape)
        return letters

    @cached_property
    def _by_rest(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._words:
            found.setdefault(word[ESCAPE:], []).append(word)
        return found

    @cached_property
    def _by_text(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._words:
            found.setdefault(_folded(word) + word[ESCAPE:], []).append(word)
        return found


def with_escapes(word: str, opens: bool, escapes: Escapes) -> set[str]:
    """MATCH for a folded word that has an escape in it, or one of these right in front of it.

    Args:
        opens: Or any word that begins so.
    """
    if not word.isascii():
        return {_by_letters(word, opens)}
    behind = escapes.begun(word) if opens else escapes.behind(word)
    found = {phrase(own, opens) for own in behind}
    for beginning, own, goes_on in parted(word, opens, escapes):
        before = _before(beginning, escapes) if beginning else ("",)
        found.update(phrase(f"{one} {own}".lstrip(), goes_on) for one in before)
    return found


def parted(word: str, opens: bool, escapes: Escapes) -> Iterator[tuple[str, str, bool]]:
    """The beginning of a word up to an escape in it, the index's word from there on, and whether that one goes on."""
    for place in range(len(word)):
        for end in range(place, len(word) + 1):
            yield from ((word[:place], own, False) for own in escapes.saying(word[place:end]))
        if opens:
            yield from ((word[:place], own, True) for own in escapes.begun_saying(word[place:]))


def raw(word: str, opens: bool, escapes: Escapes) -> set[str]:
    """The same as it is stored: what of it shows where it stands behind an escape that is not among these."""
    if not word.isascii():
        return set()
    return {
        f"{beginning[-_BESIDE:]}{slashes}{own}"
        for beginning, own, _ in parted(word, opens, escapes)
        if beginning
        for slashes in ("\\", "\\\\")
    }


def glued(word: str, opens: bool) -> set[str]:
    """MATCH for a word right behind an escape of one letter."""
    return {phrase(glue + word, opens) for glue in GLUE}


def wide(term: Term) -> str:
    """What is no ASCII of a term without words, or the longest stretch of it."""
    return max(re.split(r"[\x00-\x7f]+", trigrams.longest(term)), key=len)


def of_signs(term: Term) -> set[str]:
    """MATCH for a term without words; nothing where JSON leaves it as it is."""
    if found := wide(term):
        return {phrase(trigrams.escaped(found), True)}
    sign = _SIGN.search(term.text)
    return {phrase(f"u{ord(sign[0]):04x}", True)} if sign else set()


def phrase(text: str, opens: bool) -> str:
    """Words in a row for MATCH; if it opens, with all that begin like the last one."""
    return f'"{text}" *' if opens else f'"{text}"'


def _before(beginning: str, escapes: Escapes) -> tuple[str, ...]:
    """The index's words for the beginning of a word up to an escape."""
    return (beginning, *(glue + beginning for glue in GLUE), *escapes.behind(beginning))


def _by_letters(word: str, opens: bool) -> str:
    """The escapes of a word, each letter of which has cases or accents, by twos: there may be a mark between them."""
    found: list[str] = []
    for run in re.finditer(r"[^\x00-\x7f]+", word):
        letters = [_spelt(char) for char in run[0]][: _PAIRS + 1]
        goes_on = opens or run.end() < len(word) or len(letters) < len(run[0])
        if len(letters) == 1:
            found.append(" OR ".join(phrase(own, goes_on) for own in letters[0]))
        for place, (these, those) in enumerate(pairwise(letters), start=2):
            is_last = place == len(letters) and goes_on
            pairs = (f"NEAR({phrase(a, False)} {phrase(b, is_last)}, 1)" for a in these for b in those)
            found.append(" OR ".join(pairs))
    return " AND ".join(f"({own})" for own in found[:_PAIRS])


def _spelt(letter: str) -> Sequence[str]:
    """All that folds to a letter, as the index knows its escape."""
    alike = _alike().get(letter) or sorted({letter, letter.upper(), letter.lower()})
    return [trigrams.escaped(char) for char in alike]


@lru_cache(maxsize=1)
def _alike() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for code in (code for some in _LETTERS for code in some):
        folded = fold.words(chr(code))
        if folded != fold.GAP and not folded.isascii():
            found.setdefault(folded, []).append(chr(code))
    return found


def _folded(escape: str) -> str:
    return fold.words(chr(int(escape[1:ESCAPE], 16)))
