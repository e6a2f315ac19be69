"""The query of `search_messages`: the seeds' syntax, where everyday punctuation is literal text.

Words must all match; `"a phrase"`, `prefix*`, and the words AND, OR and NOT in capitals. OR binds least, NOT excludes
the one term that follows it. Punctuation inside a word makes its parts a phrase: `src/main.py`, `it's`, `#123`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from storage.finding.query import SessionQuery, Term

LONGEST = 2048
"""Characters of a query that are read, as in the real store."""

_TOKEN = re.compile(r'"(?P<phrase>[^"]*)"(?P<opens>\*+)?|(?P<word>[^\s"]+)|"')
_OPERATORS = ("AND", "OR", "NOT")
_SYNTAX = re.compile(r"[(){}\[\]^*+:,;]?")
"""What FTS5 takes for syntax: alone between two blanks it is no term, longer signs are looked for as they stand."""


@dataclass(frozen=True)
class Group:
    """Terms that must all match, and terms none of which may."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...] = ()

    def matches(self, texts: Sequence[str]) -> bool:
        """Whether a message with these texts matches."""
        return all(_in(term, texts) for term in self.wanted) and not any(
            _in(term, texts) for term in self.unwanted
        )

    @property
    def match(self) -> str:
        """The group for FTS5; every term must have words."""
        wanted = " AND ".join(map(_phrase, self.wanted))
        unwanted = " OR ".join(map(_phrase, self.unwanted))
        return f"(({wanted}) NOT ({unwanted}))" if unwanted else f"({wanted})"


@dataclass(frozen=True)
class MessageQuery:
    """What is looked for: any of the groups."""

    groups: tuple[Group, ...]

    @cached_property
    def wanted(self) -> SessionQuery:
        """Everything that may be marked in a message that matches."""
        return SessionQuery.of_terms(term for group in self.groups for term in group.wanted)

    @cached_property
    def candidates(self) -> SessionQuery:
        """Matches every message that matches, and what holds an unwanted term besides."""
        return SessionQuery(alternatives=tuple(group.wanted for group in self.groups))

    @property
    def is_words(self) -> bool:
        """Whether an index of words can tell what matches."""
        return all(term.words for group in self.groups for term in (*group.wanted, *group.unwanted))

    @property
    def literal(self) -> tuple[str, ...]:
        """What was typed with punctuation, in lower case: who holds it as typed comes before who holds its words."""
        return tuple(
            term.text.lower()
            for term in self.wanted.terms
            if term.words and not term.text.replace(" ", "").isalnum()
        )

    @property
    def match(self) -> str:
        """The query for FTS5."""
        return " OR ".join(group.match for group in self.groups)

    def matches(self, texts: Sequence[str]) -> bool:
        """Whether a message with these texts matches."""
        return any(group.matches(texts) for group in self.groups)


def parse(text: str) -> MessageQuery:
    """Read a query; never raises. Operators without a term on both sides are ignored, and so is a lone quote."""
    if len(text) > LONGEST:
        # Not within a word, for half a word is another one.
        text = text[:LONGEST].rpartition(" ")[0]
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    groups: list[Group] = []
    for tokens in _alternatives(_tokens(sound)):
        group = _group(tokens)
        if group.wanted:
            groups.append(group)
    return MessageQuery(tuple(groups))


def _tokens(text: str) -> Iterator[str | Term]:
    """Terms, and the operators between them."""
    for token in _TOKEN.finditer(text):
        word = token["word"]
        if word in _OPERATORS:
            yield word
        elif word is not None:
            bare = word.rstrip("*").lstrip("*")
            if not _SYNTAX.fullmatch(bare):
                yield Term(bare, prefix=word.endswith("*"), strict=False)
        elif token["phrase"] and not _SYNTAX.fullmatch(token["phrase"].strip()):
            yield Term(token["phrase"].strip(), prefix=bool(token["opens"]), strict=False)


def _alternatives(tokens: Iterable[str | Term]) -> list[list[str | Term]]:
    found: list[list[str | Term]] = [[]]
    for token in tokens:
        if token == "OR":
            found.append([])
        else:
            found[-1].append(token)
    return found


def _group(tokens: Iterable[str | Term]) -> Group:
    wanted: list[Term] = []
    unwanted: list[Term] = []
    excluding = False
    for token in tokens:
        if isinstance(token, str):
            # NOT excludes from something: with nothing before it, it dangles, as in the real store.
            excluding = token == "NOT" and bool(wanted)
        else:
            (unwanted if excluding else wanted).append(token)
            excluding = False
    return Group(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))


def _phrase(term: Term) -> str:
    words = " ".join(term.words)
    return f'"{words}" *' if term.opens else f'"{words}"'


def _in(term: Term, texts: Sequence[str]) -> bool:
    return any(term.matches(text) for text in texts)
