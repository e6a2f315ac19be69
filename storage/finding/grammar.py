"""The tokens of a search line: how they are read, and how they are printed so that they are read the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from storage.finding.filter_values import CHOICES, KEYS, Filter
from storage.finding.terms import Term

LETTERS = 3
"""Of a word behind a dash that is excluded; `-rf` is an option of some command, and text."""

_TOKEN = re.compile(
    rf"(?P<minus>-?)(?P<key>(?i:{'|'.join(KEYS)})):(?:\"(?P<quoted>[^\"]*)(?:\"|$)|(?P<value>[^\s\"]\S*))"
    r'|(?P<dash>-?)"(?P<phrase>[^"]*)(?P<closed>"(?P<star>\*(?!\S))?|$)'
    r"|(?P<word>\S+)"
)
_UNFINISHED = re.compile(rf"-?(?:{'|'.join(KEYS)}):", re.IGNORECASE)
OPERATORS = ("OR", "AND", "NOT")


NOTHING = "\0"
"""Begins a piece that is a key whose value is not typed yet."""


class Word(NamedTuple):
    term: Term
    excluded: bool = False
    unfinished: bool = False
    """It is still being typed."""


def pieces(sound: str, typing: bool) -> Iterator[Word | Filter | str]:
    """Words, filters, and operators as strings, in the order of the line."""
    for token in _TOKEN.finditer(sound):
        last = typing and token.end() == len(sound)
        if token["key"]:
            yield _filter(token)
        elif token["phrase"] is not None:
            if phrase := token["phrase"].strip():
                yield Word(
                    Term(phrase, bool(token["star"])), token["dash"] == "-", last and not token["closed"]
                )
        elif token["word"] in OPERATORS:
            yield token["word"]
        elif last and _UNFINISHED.fullmatch(token["word"]):
            yield NOTHING + token["word"]
        else:
            yield _word(token["word"], last)


def is_grouped(sound: str) -> bool:
    """Whether parentheses seem to hold together what OR or NOT takes apart; alone they are punctuation."""
    words = [token["word"] for token in _TOKEN.finditer(sound) if token["word"]]
    opening = [
        place for place, word in enumerate(words) if word.lstrip("-").startswith("(") and ")" not in word
    ]
    closing = [place for place, word in enumerate(words) if word.endswith(")") and "(" not in word]
    if not (opening and closing and opening[0] < closing[-1]):
        return False
    return not {"OR", "NOT"}.isdisjoint(words) or any(words[place].startswith("-") for place in opening)


def _word(word: str, last: bool) -> Word:
    excluded = _excludes(word)
    if excluded:
        word = word[1:]
    star = len(word) > 1 and word.endswith("*")
    return Word(Term(word[:-1] if star else word, star), excluded, last)


def _excludes(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and sum(map(str.isalpha, word)) >= LETTERS


def filter_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The character ranges of a line that are filters and are understood."""
    return tuple(
        token.span() for token in _TOKEN.finditer(text) if token["key"] and not _filter(token).problem
    )


def _filter(token: re.Match[str]) -> Filter:
    value = token["value"] if token["quoted"] is None else token["quoted"].strip()
    key = token["key"].lower()
    return Filter(key, value.lower() if key in CHOICES else value, token["minus"] == "-")


def printed(term: Term) -> str:
    star = "*" * term.prefix
    return f"{_quoted(term.text)}{star}" if _needs_quotes(term) else f"{term.text}{star}"


def printed_excluded(term: Term) -> str:
    star = "*" * term.prefix
    if '"' not in term.text and (_needs_quotes(term) or not _excludes(f"-{term.text}")):
        return f"-{_quoted(term.text)}{star}"
    return f"-{term.text}{star}" if _excludes(f"-{term.text}") else f"NOT {printed(term)}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', " ") + '"'


def _needs_quotes(term: Term) -> bool:
    """Whether it would be read as anything but this term if it stood there as it is."""
    token = _TOKEN.fullmatch(term.text)
    if token is None or token["word"] is None or term.text in OPERATORS or _UNFINISHED.fullmatch(term.text):
        return True
    return _excludes(term.text) or (len(term.text) > 1 and term.text.endswith("*") and not term.prefix)
