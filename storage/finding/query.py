"""The search box's text → what is looked for, and what counts as a match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

from storage.finding import fold, grammar
from storage.finding.filter_values import CHOICES, KEYS, OF_MESSAGES, Filter, groups
from storage.finding.terms import Term, held, places, rows
from storage.records import HiddenClass

_BETWEEN = f" {fold.APART} ".encode()

__all__ = ["CHOICES", "KEYS", "OF_MESSAGES", "Filter", "SessionQuery", "Term", "parse"]


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for: all terms of any alternative, no excluded term, and what the filters leave."""

    text: str = field(default="", compare=False)
    """As typed."""
    alternatives: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    """With words, no message that matches holds one; alone, no message (nor title) of the conversation does."""
    filters: tuple[Filter, ...] = ()
    ignored: tuple[str, ...] = field(default=(), compare=False)
    """What could not be understood and why, each "without: after:soon — not a date"."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What was read in another way than it seems to be meant: "no parentheses: read as a OR b AND c"."""

    @classmethod
    def of_terms(cls, terms: Iterable[Term]) -> SessionQuery:
        """A query for all of these terms, without filters."""
        together = tuple(dict.fromkeys(terms))
        return cls(alternatives=(together,) if together else ())

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Everything that is looked for, whichever alternative it is in."""
        return tuple(dict.fromkeys(term for terms in self.alternatives for term in terms))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that are asked for by name."""
        return tuple(one.value for one in self.filters if one.key == "source" and not one.negated)

    @property
    def shown_classes(self) -> frozenset[HiddenClass]:
        """The hidden classes that it asks for by name: `source:cron`, `is:archived`."""
        sources = [source.casefold() for source in self.sources]
        states = [one.value for one in self.filters if one.key == "is" and not one.negated]
        by_source = (HiddenClass.SUBAGENT, HiddenClass.CRON, HiddenClass.TOOL)
        return frozenset(
            kind for kind in HiddenClass if kind in states or (kind in by_source and kind in sources)
        )

    @property
    def is_search(self) -> bool:
        """Whether there are words to look for, not filters or exclusions alone."""
        return bool(self.alternatives)

    @property
    def restricts(self) -> bool:
        """Whether it leaves anything out of the list."""
        return bool(self.filters or (self.excluded and not self.alternatives))

    def leaves(self, role: str, tools: Collection[str]) -> bool:
        """Whether its filters leave a message of this role that calls these tools, or is the answer of one of them."""
        return all(
            any(
                (one.value == role if one.key == "role" else one.value in tools) != one.negated
                for one in group
            )
            for group in self._of_messages
        )

    @cached_property
    def _of_messages(self) -> list[list[Filter]]:
        return groups(self.filters, OF_MESSAGES)

    def matches(self, *texts: str) -> bool:
        """Whether one message with these texts matches: filters aside."""
        # Each text prepared once: this runs on every row of a scan.
        hold = _Prepared(texts).hold
        if self.excluded and any(map(hold, self.excluded)):
            return False
        for terms in self.alternatives:
            if all(map(hold, terms)):
                return True
        return not self.alternatives

    @cached_property
    def is_of_lone_words(self) -> bool:
        """Whether each term is one word, and nothing else: then the texts of a message can be looked through as one."""
        return all(term.alone for term in (*self.terms, *self.excluded))

    def matching(self, texts: Sequence[str]) -> list[bool]:
        """Whether each of many texts `matches`: sooner than one after the other."""
        if not self.is_of_lone_words:
            return list(map(self.matches, texts))
        return self.holding([text.encode(errors="surrogatepass") for text in texts])

    def holding(self, texts: Sequence[bytes]) -> list[bool]:
        """The same for texts in UTF-8, where each term is one lone word: those in ASCII are folded as one."""
        # As Latin-1 every byte is a character, and a str is looked through sooner than bytes are.
        folded = f" {fold.ascii_words(_BETWEEN.join(texts)).decode('latin-1')} "
        pieces = folded.split(fold.APART)
        if len(pieces) != len(texts):
            return [self.matches(_text(text)) for text in texts]
        terms = (*self.terms, *self.excluded)
        held = {term: _held(term.alone, folded, pieces) for term in terms}
        found = set().union(*(set.intersection(*map(held.__getitem__, terms)) for terms in self.alternatives))
        if not self.alternatives:
            found = set(range(len(texts)))
        found.difference_update(*(held[term] for term in self.excluded))
        if not folded.isascii():
            wide = [place for place, piece in enumerate(pieces) if not piece.isascii()]
            found.difference_update(wide)
            found.update(place for place in wide if self._matches_wide(_text(texts[place])))
        return [place in found for place in range(len(texts))]

    def _matches_wide(self, text: str) -> bool:
        """`matches` for lone words: most such texts are in a writing in which none of them can stand."""
        if any(term.trace.search(text) for term in (*self.terms, *self.excluded)):
            return self.matches(text)
        return not self.alternatives

    def spans(self, text: str) -> tuple[tuple[int, int], ...]:
        """What to mark: the character ranges of `text` that match any term, in order, not overlapping."""
        return merged(self.spans_by_term(text))

    def spans_by_term(self, text: str) -> list[list[tuple[int, int]]]:
        """The character ranges of `text` that match, of each term that is found there."""
        found: list[list[tuple[int, int]]] = []
        if self._in_words:
            folded = fold.fold(text)
            found += (list(rows(term, text, folded)) for term in self._in_words)
        if self._as_written:
            low = fold.lower(text)
            found += (list(places(term, low)) for term in self._as_written)
        return [own for own in found if own]

    @cached_property
    def _in_words(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.words)

    @cached_property
    def _as_written(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.words)

    def __str__(self) -> str:
        """A line that parses to an equal query: words, then what is excluded, then filters."""
        words = " OR ".join(" ".join(map(grammar.printed, terms)) for terms in self.alternatives)
        rest = [*map(grammar.printed_excluded, self.excluded), *map(str, self.filters)]
        line = " ".join(filter(None, (words, *rest)))
        # At the very end a word would be one that is still being typed.
        return f"{line} " if words and not rest and not self.alternatives[-1][-1].prefix else line


def _held(alone: str, folded: str, pieces: Sequence[str]) -> set[int]:
    """Which of the pieces hold the word; together they are the `folded`."""
    if alone not in folded:
        return set()
    return {place for place, piece in enumerate(pieces) if alone in piece}


def _text(stored: bytes) -> str:
    return stored.decode(errors="replace")


def merged(by_term: Iterable[Iterable[tuple[int, int]]]) -> tuple[tuple[int, int], ...]:
    """These ranges in order, those that touch as one."""
    together: list[tuple[int, int]] = []
    for start, end in sorted(span for own in by_term for span in own):
        if together and start <= together[-1][1]:
            together[-1] = together[-1][0], max(end, together[-1][1])
        else:
            together.append((start, end))
    return tuple(together)


class _Prepared:
    """The texts of one message, folded when first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text for text in texts if text]
        self._folded: list[str] | None = None
        self._low: list[str] | None = None

    def hold(self, term: Term) -> bool:
        if term.words:
            if self._folded is None:
                self._folded = [fold.words(text) for text in self._texts]
            return any(map(held, repeat(term), self._texts, self._folded))
        if self._low is None:
            self._low = [fold.lower(text) for text in self._texts]
        return any(map(term.stands_in, self._low))


def parse(text: str, *, typing: bool = True) -> SessionQuery:
    """Read the search box. Never raises, and takes as text whatever it does not know.

    Words must all match (a blank and AND mean and, and bind tighter than OR); `"a phrase"` is one term; `word*`
    may go on; `-word` and `NOT word` exclude wherever they stand; `key:value` filters (KEYS). Parentheses are
    punctuation.

    Args:
        typing: The word at the very end is still being typed and matches every word that begins so.
    """
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    line = _Line()
    pieces = list(grammar.pieces(sound, typing))
    if all(isinstance(piece, str) and not piece.startswith(grammar.NOTHING) for piece in pieces):
        # Nothing but operators: they are what somebody looks for.
        open_end = typing and sound.endswith(grammar.OPERATORS)
        pieces = [
            grammar.Word(Term(str(piece)), unfinished=open_end and place == len(pieces))
            for place, piece in enumerate(pieces, 1)
        ]
    for piece in pieces:
        line.take(piece)
    query = line.query(text)
    return replace(query, remarks=(_read_as(query),)) if grammar.is_grouped(sound) else query


def _read_as(query: SessionQuery) -> str:
    def bare(term: Term) -> str:
        text = term.text.strip("()") or term.text
        return f'"{text}"' if " " in text else text

    line = " OR ".join(" AND ".join(map(bare, terms)) for terms in query.alternatives)
    line += "".join(f" NOT {bare(term)}" for term in query.excluded)
    return f"no parentheses: read as {line.strip()}"


class _Line:
    """What was read of the line so far."""

    def __init__(self) -> None:
        self._alternatives: list[dict[Term, None]] = [{}]
        self._excluded: dict[Term, None] = {}
        self._filters: dict[Filter, None] = {}
        self._ignored: list[str] = []
        self._operator = ""
        """One that waits for what it is about."""
        self._left: grammar.Word | Filter | None = None
        """What stands before it."""
        self._last: grammar.Word | Filter | None = None
        """What was read last, but for operators."""
        self._negated = False

    def take(self, piece: grammar.Word | Filter | str) -> None:
        if isinstance(piece, Filter):
            self._take_filter(Filter(piece.key, piece.value, True) if self._negated else piece)
        elif isinstance(piece, grammar.Word):
            self._take_word(piece)
        elif piece.startswith(grammar.NOTHING):
            self._without(piece.removeprefix(grammar.NOTHING), "nothing after it")
        else:
            self._take_operator(piece)

    def _take_filter(self, one: Filter) -> None:
        if one.problem:
            self._without(str(one), one.problem)
        else:
            self._filters[one] = None
        if self._operator == "AND":
            self._operator = ""
        elif self._operator and isinstance(self._left, Filter):
            self._without_or(self._left, one)
            self._operator = ""
        self._last, self._negated = one, False

    def _take_word(self, piece: grammar.Word) -> None:
        if piece.excluded or self._negated:
            # An unfinished word excludes itself alone: it would take away what is still wanted.
            self._excluded[piece.term] = None
            if self._operator == "AND":
                self._operator = ""
        else:
            if self._operator == "OR":
                if self._alternatives[-1]:
                    self._alternatives.append({})
                else:
                    self._without_or(self._left)
            self._operator = ""
            term = Term(piece.term.text, True) if piece.unfinished else piece.term
            self._alternatives[-1][term] = None
        self._last, self._negated = piece, False

    def _take_operator(self, piece: str) -> None:
        if self._negated:
            self._without("NOT", "nothing after it")
        self._negated = piece == "NOT"
        if self._negated:
            return
        if self._operator and self._last is None:
            self._without(piece, "nothing between two of them")
        elif self._operator:
            # Only OR waits for a word behind a filter; AND holds for that as it stands.
            if piece == "OR":
                self._without_or(self._last)
        elif self._last is None:
            self._without(piece, "nothing before it")
        else:
            self._operator, self._left, self._last = piece, self._last, None

    def _without_or(self, beside: grammar.Word | Filter | None, other: Filter | None = None) -> None:
        """Leave out an OR that stands beside what holds for the whole line, or between two filters."""
        if not isinstance(beside, Filter):
            self._without("OR", "NOT holds for the whole line")
        elif other is None or beside.key != other.key or beside.negated or other.negated:
            self._without("OR", "it joins words only")
        else:
            self._without("OR", f"it joins words only; {beside} {other} means either")

    def _without(self, what: str, why: str) -> None:
        self._ignored.append(f"without: {what} — {why}")

    def query(self, text: str) -> SessionQuery:
        if self._operator and self._last is not None:
            self._without_or(self._last)
        elif self._operator:
            self._without(self._operator, "nothing after it")
        if self._negated:
            self._without("NOT", "nothing after it")
        alternatives = dict.fromkeys(tuple(terms) for terms in self._alternatives if terms)
        return SessionQuery(
            text,
            tuple(alternatives),
            tuple(self._excluded),
            tuple(self._filters),
            tuple(dict.fromkeys(self._ignored)),
        )
