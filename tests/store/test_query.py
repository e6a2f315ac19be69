"""What the box's text means, and that it means to Python what it means to the index."""

from __future__ import annotations

import sqlite3
import unicodedata

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


def test_every_character_folds_as_the_index_folds_it() -> None:
    # Unicode 3.2 stands still and every SQLite knows it; two Mongolian letters became marks since.
    known = [
        code
        for code in range(1, 0x110000)
        if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Cs", "Co")
        and code not in (0x1885, 0x1886)
    ]
    ours = {code: fold.words(f"x{chr(code)}y").split() for code in known}
    real = unicode61({code: f"x{chr(code)}y" for code in known})
    assert {chr(code): (ours[code], real[code]) for code in known if ours[code] != real[code]} == {}


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
