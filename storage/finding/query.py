"""The search box's text → what is looked for, and what counts as a match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from storage.finding import fold

_TOKEN = re.compile(
    r'source:(?:"(?P<quoted>[^"]+)"|(?P<source>[^\s"]\S*))'
    r'|"(?P<phrase>[^"]*)(?P<closed>"|$)'
    r"|(?P<word>\S+)"
)


@dataclass(frozen=True)
class Term:
    """One thing that must be found.

    With CJK or emoji in it, it is found wherever it stands, and so is a term without any letter or number;
    any other is found as whole words in a row, compared as unicode61 folds them.
    """

    text: str
    """As typed, without its quotes."""
    prefix: bool = False
    """Its last word may go on: it is still being typed."""

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
        return list(_rows(self, fold.fold(text)) if self.words else _places(self, fold.lower(text)))


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for: every term must match, and the source must be one of `sources` if there are any."""

    text: str
    """As typed."""
    terms: tuple[Term, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def is_search(self) -> bool:
        """Whether there are words to look for, not filters alone."""
        return bool(self.terms)

    def matches(self, *texts: str) -> bool:
        """Whether every term is found in one of these texts."""
        # Loops, and each text prepared once: this runs on every row of a scan.
        if self._in_words:
            folded = [fold.words(text) for text in texts]
            for term in self._in_words:
                for text in folded:
                    if term.pattern.search(text):
                        break
                else:
                    return False
        if self._as_written:
            low = [fold.lower(text) for text in texts]
            return all(any(term.needle in text for text in low) for term in self._as_written)
        return True

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """What to mark: the character ranges of `text` that match any term, in order, not overlapping."""
        found: list[tuple[int, int]] = []
        if self._in_words:
            folded = fold.fold(text)
            found += (span for term in self._in_words for span in _rows(term, folded))
        if self._as_written:
            low = fold.lower(text)
            found += (span for term in self._as_written for span in _places(term, low))
        merged: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return tuple(merged)

    @cached_property
    def _in_words(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.words)

    @cached_property
    def _as_written(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.words)


def _rows(term: Term, folded: fold.Folded) -> Iterator[tuple[int, int]]:
    for match in term.pattern.finditer(folded.text):
        yield folded.span(*match.span())


def _places(term: Term, low: str) -> Iterator[tuple[int, int]]:
    place = low.find(term.needle)
    while place >= 0:
        yield place, place + len(term.needle)
        place = low.find(term.needle, place + len(term.needle))


def parse(text: str, *, typing: bool = True) -> SessionQuery:
    """Read the search box. Never raises, and takes as text whatever it does not know.

    Words must all match; `"a phrase"` is one term; `source:x` filters, several of them are alternatives.

    Args:
        typing: The word at the very end is still being typed and matches every word that begins so.
    """
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    terms: list[Term] = []
    sources: list[str] = []
    for token in _TOKEN.finditer(sound):
        if source := token["quoted"] or token["source"]:
            sources.append(source)
            continue
        word = token["word"] or token["phrase"].strip()
        if word:
            open_end = typing and token.end() == len(sound) and token["closed"] != '"'
            terms.append(Term(word, prefix=open_end))
    return SessionQuery(text, tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(sources)))
