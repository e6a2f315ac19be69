"""One thing that is looked for, and where a text holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from storage.finding import fold


@dataclass(frozen=True)
class Term:
    """One thing that must be found, or must not be.

    With CJK or emoji in it, it is found wherever it stands, and so is a term without any letter or number;
    any other is found as whole words in a row, compared as unicode61 folds them.
    """

    text: str
    """As typed, without its quotes, its star and its dash."""
    prefix: bool = False
    """Its last word may go on: it has a star, or is still being typed."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its folded words; empty where it is looked for as it stands."""
        return () if fold.spaceless(self.text) else tuple(fold.words(self.text).split())

    @cached_property
    def opens(self) -> bool:
        """Whether the last of `words` stands for every word that begins so."""
        return self.prefix and fold.words(self.text[-1:]) != fold.GAP

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds its `words` in a text that was folded."""
        row = f"{fold.GAP}+".join(map(re.escape, self.words))
        tail = f"[^{fold.GAP}]*" if self.opens else ""
        return re.compile(f"(?<![^{fold.GAP}]){row}{tail}(?![^{fold.GAP}])")

    @cached_property
    def needle(self) -> str:
        """What is looked for where there are no `words`, in a text in lower case."""
        return fold.lower(self.text)

    def matches(self, text: str) -> bool:
        """Whether it is found in the text."""
        return bool(self.pattern.search(fold.words(text))) if self.words else self.needle in fold.lower(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where it is found, as character ranges of the text."""
        return list(rows(self, fold.fold(text)) if self.words else places(self, fold.lower(text)))


def rows(term: Term, folded: fold.Folded) -> Iterator[tuple[int, int]]:
    """Where a term of `words` stands in a folded text, as ranges of the text it came from."""
    for match in term.pattern.finditer(folded.text):
        yield folded.span(*match.span())


def places(term: Term, low: str) -> Iterator[tuple[int, int]]:
    """Where a term without `words` stands in a text in lower case."""
    place = low.find(term.needle)
    while place >= 0:
        yield place, place + len(term.needle)
        place = low.find(term.needle, place + len(term.needle))
