"""Times, figures, recaps and marks: exact words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.text import figures, marks, recap
from hermes_tui.text.relative_time import clock_time, relative

NOW = 1_790_000_000.0


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    import time

    time.tzset()


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (-5000, "just now"),
        (0, "just now"),
        (59.9, "just now"),
        (60, "1m ago"),
        (3599, "59m ago"),
        (3600, "1h ago"),
        (86_399, "23h ago"),
        (86_400, "yesterday"),
        (172_799, "yesterday"),
        (172_800, "2d ago"),
        (604_799, "6d ago"),
        (604_800, "2026-09-14"),
    ],
)
def test_relative(age: float, words: str) -> None:
    assert relative(NOW - age, NOW) == words


@pytest.mark.parametrize("ts", [None, 0, math.nan, math.inf, -math.inf, -1e300])
def test_a_time_that_cannot_be_told(ts: float | None) -> None:
    assert relative(ts, NOW) == "?"
    assert clock_time(ts or None) == "?"


def test_clock_time() -> None:
    assert clock_time(NOW) == "14:13"


@given(st.floats() | st.none(), st.floats(0, 4e9))
def test_telling_a_time_never_raises(ts: float | None, now: float) -> None:
    assert relative(ts, now)
    assert clock_time(ts)


@pytest.mark.parametrize(
    ("n", "short"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1k"),
        (1234, "1.2k"),
        (9949, "9.9k"),
        (9950, "10k"),
        (412_345, "412k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_240_000, "1.2M"),
        (12_400_000, "12M"),
        (999_500_000, "1B"),
        (31_000_000_000, "31B"),
        (-1234, "-1.2k"),
    ],
)
def test_short(n: int, short: str) -> None:
    assert figures.short(n) == short


@given(st.integers(0, 999_499_999_999))
def test_short_is_short(n: int) -> None:
    assert len(figures.short(n)) <= 4


def test_count_and_plural() -> None:
    assert figures.count(2556) == "2,556"
    assert figures.plural(1, "session") == "1 session"
    assert figures.plural(2556, "session") == "2,556 sessions"
    assert figures.plural(0, "match", "matches") == "0 matches"


@pytest.mark.parametrize(
    ("dollars", "shown"),
    [
        (None, ""),
        (math.nan, ""),
        (math.inf, ""),
        (0.0, "$0.00"),
        (0.004, "<$0.01"),
        (0.01, "$0.01"),
        (1.239, "$1.24"),
        (1234.5, "$1,234.50"),
        (-2.0, "-$2.00"),
    ],
)
def test_money(dollars: float | None, shown: str) -> None:
    assert figures.money(dollars) == shown


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        ("  plain  ", "plain"),
        ("a < b and c > d", "a < b and c > d"),
        ("<think>hm\nhm</think>\n\nYes.", "Yes."),
        ("<THINK>x</think>A<Reasoning>y</reasoning>B<thought>z</thought>C", "ABC"),
        ("<REASONING_SCRATCHPAD>a</REASONING_SCRATCHPAD> done", "done"),
        ("Answer first. <thinking>and never closed", "Answer first."),
        ("stray</think> closing", "strayclosing"),
        ("I <thinks> so", "I <thinks> so"),
        ('<tool_call>{"name": "x"}</tool_call>\nRan it.', "Ran it."),
        ('<function_calls type="a">b</function_calls>ok</tool_result> then', "okthen"),
        ("<tool_call>never closed", "<tool_call>never closed"),
        ('Look.\n<function name="ls">{}</function> Done', "Look.\nDone"),
        ('Write `<function name="ls">x</function>` there', 'Write `<function name="ls">x` there'),
        ("<think>only</think>", ""),
    ],
)
def test_strip_reasoning(stored: str, told: str) -> None:
    assert recap.strip_reasoning(stored) == told


def test_a_text_full_of_openings_is_told_in_one_pass() -> None:
    assert recap.strip_reasoning("x<tool_call>" * 200_000) == "x<tool_call>" * 200_000
    assert recap.strip_reasoning("x<think>" * 200_000) == "x"


def test_shortening() -> None:
    assert recap.shorten_user("u" * 300) == "u" * 300
    assert recap.shorten_user("u" * 301) == "u" * 300 + "..."
    assert recap.shorten_assistant("1\n2\n3") == "1\n2\n3"
    assert recap.shorten_assistant("1\n2\n3\n4") == "1\n2\n3 ..."
    assert recap.shorten_assistant("a" * 200) == "a" * 200
    assert recap.shorten_assistant("a" * 201) == "a" * 200 + "..."


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ([], ""),
        (["terminal"], "[1 tool call: terminal]"),
        (["terminal", "web_search", "terminal"], "[3 tool calls: terminal, web_search]"),
        (["a", "b", "c", "d"], "[4 tool calls: a, b, c, d]"),
        (["a", "b", "c", "d", "e"], "[5 tool calls: a, b, c, d, ...]"),
        (["", "a"], "[2 tool calls: unknown, a]"),
    ],
)
def test_tool_line(names: list[str], folded: str) -> None:
    assert recap.tool_line(names) == folded


def test_every_glyph_takes_one_cell() -> None:
    guides = {marks.UNICODE.tee, marks.UNICODE.corner, marks.UNICODE.pipe, marks.UNICODE.blank}
    assert {glyph for glyph in marks.UNICODE if cell_len(glyph) != 1} == guides
    assert {cell_len(guide) for guide in guides} == {2}
    assert all(glyph.isascii() for glyph in marks.ASCII)


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "utf_16"])
def test_unicode_marks(encoding: str) -> None:
    assert marks.for_encoding(encoding) is marks.UNICODE


@pytest.mark.parametrize("encoding", [None, "", "ascii", "latin-1", "ANSI_X3.4-1968", "no such thing"])
def test_ascii_marks(encoding: str | None) -> None:
    assert marks.for_encoding(encoding) is marks.ASCII
