"""What the box's text means, and that it means to Python what it means to the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.finding import fold
from storage.finding.query import Term, parse


@pytest.mark.parametrize(
    ("text", "words", "opens"),
    [
        ("Docker", ("docker",), True),
        ("src/main.py", ("src", "main", "py"), True),
        ("snake_case", ("snake", "case"), True),
        ("50%", ("50",), False),
        ("C++", ("c",), False),
        ("CAFÉ", ("cafe",), True),
        ("cafe\u0301", ("cafe",), True),
        ("Straße", ("straße",), True),
        ("ПРИВЕТ", ("привет",), True),
        ("%", (), False),
        ("会话", (), True),
        ("docker会话", (), True),
        ("🦀", (), False),
        ("한국", (), True),
    ],
)
def test_words_of_a_term(text: str, words: tuple[str, ...], opens: bool) -> None:
    assert Term(text, prefix=True).words == words
    assert Term(text, prefix=True).opens is opens
    assert Term(text).opens is False


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("err", "An error, ERRONEOUS: terror", ["error", "ERRONEOUS"]),
        ("err ", "An error, err, ERR_x: terror", ["err", "ERR"]),
        ("cafe ", "Cafe\u0301 café cafes", ["Cafe\u0301", "café"]),
        ("src/main.py ", "see src / main.py and src/main.pyc", ["src / main.py"]),
        ('"main py" src', "src/main.py", ["src", "main.py"]),
        ("会话", "上会话，会话", ["会话", "会话"]),
        ("会话 上会 ", "上会话", ["上会话"]),
        ("50% ", "it's 50% done, 500", ["50%"]),
        ("% ", "50% of 100%", ["%", "%"]),
        ("🦀 ", "rust🦀🦀", ["🦀🦀"]),
        ("DB会 ", "db会话", ["db会"]),
        ("a b ", "b a ab", ["b", "a"]),
        ("x ", "İx x", ["x"]),
        ("zzz", "nothing", []),
    ],
)
def test_spans(query: str, text: str, marked: list[str]) -> None:
    assert [text[start:end] for start, end in parse(query).spans(text)] == marked


def test_every_term_must_match_but_not_in_the_same_text() -> None:
    query = parse("docker deploy ")
    assert query.matches("deploy with docker")
    assert query.matches("deploy it", "docker")
    assert not query.matches("docker", "dockerdeploy")


def unicode61(texts: dict[int, str]) -> dict[int, list[str]]:
    """What the real tokenizer makes of each text."""
    found: dict[int, list[str]] = {}
    with sqlite3.connect(":memory:") as db:
        db.execute("CREATE VIRTUAL TABLE f USING fts5(x)")
        db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'instance')")
        db.executemany("INSERT INTO f(rowid, x) VALUES (?, ?)", texts.items())
        for term, row in db.execute("SELECT term, doc FROM v ORDER BY doc, offset"):
            found.setdefault(row, []).append(term)
    db.close()
    return found


def unlike_unicode61(codes: Sequence[int]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Characters that do not fold as the real tokenizer folds them: what they make of "xçy" here, and there."""
    texts = {code: f"{code:x}x{chr(code)}y" for code in codes}
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE f USING fts5(x, detail=none, columnsize=0)")
        db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(f, 'row')")
        for start in range(0, len(codes), 1_000):
            text = " ".join(texts[code] for code in codes[start : start + 1_000])
            db.execute("INSERT INTO f(rowid, x) VALUES (?, ?)", (start + 1, text))
        known = {term for (term,) in db.execute("SELECT term FROM v")}
    suspects = {code: text for code, text in texts.items() if fold.words(text).split()[0] not in known}
    real = unicode61(suspects)
    for code, text in suspects.items():
        ours = fold.words(text).split()
        if ours != real[code]:
            yield chr(code), ours, real[code]


def test_every_character_folds_as_the_index_folds_it() -> None:
    # The planes between hold nothing, and both take all of it for letters.
    codes = [*range(1, 0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE1000)]
    signs = set()
    for char, ours, real in unlike_unicode61(codes):
        assert (len(ours), real) == (2, [f"{ord(char):x}x{char}y"]), f"{ord(char):x} {sqlite3.sqlite_version}"
        signs.add(char)
    assert {"\u061c", "\u2066", "₽", "⏸", "🦀"} <= signs
    assert [char for char in signs if char.isalnum()] == []


def test_signs_that_are_letters_to_the_index_are_looked_for_as_they_stand() -> None:
    unseen = {"\u061c", "\u2066", "\u2067", "\u2068", "\u2069"}
    signs = {char for char, _, _ in unlike_unicode61(range(1, 0xD800))} - unseen
    assert {char for char in signs if not fold.spaceless(char)} == set()
    assert {char for char in unseen if fold.spaceless(char)} == set()


LETTERS = st.text(st.sampled_from("abcAB éÉe\u0301\u0323ßſиЙ ._-%\n12会話😀\"'*^():+\x00"), max_size=24)


@given(LETTERS)
def test_words_are_what_the_index_makes_of_them(text: str) -> None:
    assert fold.words(text).split() == unicode61({1: text}).get(1, [])


@given(LETTERS, LETTERS)
def test_spans_lie_in_the_text_in_order(query: str, text: str) -> None:
    spans = parse(query).spans(text)
    places = [place for span in spans for place in span]
    assert places == sorted(set(places))
    assert not places or 0 <= places[0] <= places[-1] <= len(text)
    assert all(parse(query).spans(text[start:end]) for start, end in spans)
