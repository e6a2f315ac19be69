"""One thing that is looked for, and where a text holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from storage.finding import fold

SIGNS = "%‰+#°$€£¥"
"""Punctuation that names something where it stands right behind a word: 50%, C++, F#."""

_WORD = re.compile(f"[^{fold.GAP}]+")


@dataclass(frozen=True)
class Term:
    """One thing that must be found, or must not be.

    With CJK or emoji in it, it is found wherever it stands, and so is a term without any letter or number (an emoji
    also where it is written with a joiner, a selector or a skin tone that was not typed);
    any other is found as whole words in a row, compared as unicode61 folds them, and also as a part of a word
    where it touches a CJK character: no blank stands between "修改" and "youer" in `修改youer服务端`.

    Punctuation only parts words (`(build`, `it's`, `what?`), but SIGNS right behind the last word belong to it: they
    name something. `100%` is not found in "100 done", nor `C++` in "vitamin c".
    """

    text: str
    """As typed, without its quotes, its star and its dash."""
    prefix: bool = False
    """Its last word may go on: it has a star, or is still being typed."""
    strict: bool = True
    """Whether SIGNS at its end count."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its folded words; empty where it is looked for as it stands."""
        return () if fold.spaceless(self.text) else tuple(fold.words(self.text).split())

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The same words as they were typed."""
        if not self.words:
            return ()
        folded = fold.fold(self.text)
        return tuple(self.text[slice(*folded.span(*word.span()))] for word in _WORD.finditer(folded.text))

    @cached_property
    def opens(self) -> bool:
        """Whether the last of `words` stands for every word that begins so."""
        return self.prefix and fold.words(self.text[-1:]) != fold.GAP

    @cached_property
    def sign(self) -> str:
        """What must stand right behind the last of its `words`."""
        if not self.strict or not self.words:
            return ""
        end = max(place for place, char in enumerate(self.text) if fold.words(char) != fold.GAP)
        behind = self.text[end + 1 :]
        return behind[: len(behind) - len(behind.lstrip(SIGNS))]

    @cached_property
    def alone(self) -> str:
        """What a text in ASCII, folded and put between two gaps, holds if it holds the term: sooner than its pattern.

        Empty where it takes more to know.
        """
        if len(self.words) != 1 or self.sign:
            return ""
        return f"{fold.GAP}{self.words[0]}{'' if self.opens else fold.GAP}"

    @cached_property
    def trace(self) -> re.Pattern[str]:
        """Finds something in every text that holds its `words`, and is quick to find nothing."""
        first = self.words[0][0]
        return re.compile(f"[{first}{first.upper()}{fold.ACCENTED}]" if first.isascii() else "")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds its `words` as such in a text that was folded."""
        return re.compile(self._as_words)

    @cached_property
    def glued(self) -> re.Pattern[str]:
        """Finds them also where they touch a CJK character."""
        wide = f"[{fold.WIDE_LETTERS}]"
        return re.compile(f"{self._as_words}|(?<={wide}){self._row}|{self._row}(?={wide})")

    @cached_property
    def _row(self) -> str:
        return f"{fold.GAP}+".join(map(re.escape, self.words))

    @cached_property
    def _as_words(self) -> str:
        tail = f"[^{fold.GAP}]*" if self.opens else ""
        return f"(?<![^{fold.GAP}]){self._row}{tail}(?![^{fold.GAP}])"

    @cached_property
    def solid(self) -> str:
        """The longest of its `pieces`, rather one that is not everywhere: it stands as it is in whatever holds them."""
        return max(self._pieces, key=lambda piece: (len(piece), not piece.isascii()))

    @cached_property
    def needle(self) -> str:
        """What is looked for where there are no `words`, in a text in lower case."""
        return fold.lower("".join(self._pieces))

    @cached_property
    def joined(self) -> re.Pattern[str] | None:
        """Finds the same where something that is not seen may stand within; None where nothing may."""
        pieces = map(re.escape, map(fold.lower, self._pieces))
        return re.compile(fold.UNSEEN.join(pieces)) if len(self._pieces) > 1 else None

    @cached_property
    def _pieces(self) -> list[str]:
        return fold.pieces(self.text)

    def stands_in(self, low: str) -> bool:
        """Whether a text in lower case holds it, where there are no `words`."""
        return bool(self.joined.search(low)) if self.joined else self.needle in low

    def matches(self, text: str) -> bool:
        """Whether it is found in the text."""
        return held(self, text, fold.words(text)) if self.words else self.stands_in(fold.lower(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it is found, as character ranges of the text."""
        return list(rows(self, text, fold.fold(text)) if self.words else places(self, fold.lower(text)))


def held(term: Term, text: str, folded: str) -> bool:
    """Whether a term of `words` stands in a text; `folded` are the words of the text."""
    if term.sign:
        return term.sign in text and any(True for _ in rows(term, text, fold.fold(text)))
    if term.alone and folded.isascii():
        return term.alone in f"{fold.GAP}{folded}{fold.GAP}"
    return bool(term.pattern.search(folded)) or (not folded.isascii() and bool(term.glued.search(folded)))


def rows(term: Term, text: str, folded: fold.Folded) -> Iterator[tuple[int, int]]:
    """Where a term of `words` stands in a text, as ranges of it; `folded` is the same text folded."""
    pattern = term.pattern if folded.text.isascii() else term.glued
    for match in pattern.finditer(folded.text):
        start, end = folded.span(*match.span())
        if text.startswith(term.sign, end):
            yield start, end + len(term.sign)


def places(term: Term, low: str) -> Iterator[tuple[int, int]]:
    """Where a term without `words` stands in a text in lower case."""
    if term.joined:
        yield from (match.span() for match in term.joined.finditer(low))
        return
    place = low.find(term.needle)
    while place >= 0:
        yield place, place + len(term.needle)
        place = low.find(term.needle, place + len(term.needle))
