"""What may reach the terminal, and how wide it is there."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from hermes_tui.text.safe_text import block, cut, fit, line, page, width, wrap

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs", "Cf", "Cc", "Zs", "Zl", "Zp", "Mn"]),
        st.sampled_from("\x1b\x9b\x9d[]0;m2JcPX^_\\\x07\x9c\r\n\t \u202e\u200d\ufe0f👍🏽中文。 "),
    ),
    max_size=60,
)
SAFE_BLOCK = HOSTILE.map(block)
FORBIDDEN = {"Cc", "Cf", "Cs"}


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("plain", "plain"),
        ("", ""),
        ("\x1b[31mRed\x1b[0m", "Red"),
        ("\x1b]0;PWNED\x07", ""),
        ("a\x9b2Jb\u202ec\u200bd", "abcd"),
        ("tele\x1b[2Jgram", "telegram"),
        ("X\x1b[2J\x1b]8;;http://evil\x07link\x1b]8;;\x07 Y", "Xlink Y"),
        ("bell\x07 so\x0e nul\x00 end", "bell so nul end"),
        ("t\x1bc", "t"),
        ("\x1bP1;2qpixels\x1b\\after", "after"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b(Bline drawing", "line drawing"),
        ("never closed \x1b]0;but readable", "never closed 0;but readable"),
        ("cut short \x1b[38;5", "cut short"),
        ("\x1b\x1b[31m[31mnested", "[31mnested"),
        ("  two \t words\r\nand\u2028more\u3000 ", "two words and more"),
        ("a \u200b b", "a b"),
        ("lone \ud800surrogate", "lone surrogate"),
        ("soft\xadhyphen", "softhyphen"),
        ("👨\u200d👩\u200d👧 ❤\ufe0f 👍🏽", "👨👩👧 ❤ 👍"),
        ("日本語 éé", "日本語 éé"),
        ("[b]not markup[/b]", "[b]not markup[/b]"),
    ],
)
def test_a_line(stored: str, shown: str) -> None:
    assert line(stored) == shown


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("one\r\ntwo\rthree\n\nfour", "one\ntwo\nthree\n\nfour"),
        ("\tindented  by\ttabs ", "    indented  by    tabs "),
        ("a\r\u200b\nb", "a\nb"),
        ("page\x0cfeed\x85next\u2029last", "page\nfeed\nnext\nlast"),
        ("\x1b[1mbold\x1b[0m\x08\n", "bold\n"),
    ],
)
def test_a_block(stored: str, shown: str) -> None:
    assert block(stored) == shown


@given(HOSTILE)
def test_nothing_that_acts_survives(stored: str) -> None:
    for safe in (line(stored), block(stored).replace("\n", "")):
        assert [char for char in safe if unicodedata.category(char) in FORBIDDEN] == []
        safe.encode("utf-8")


def test_every_character_that_acts_is_dropped() -> None:
    survivors = [
        f"U+{code:04X}"
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(char := chr(code)) in {*FORBIDDEN, "Zl", "Zp"}
        and not char.isspace()
        and line(f"a{char}") != "a"
    ]
    assert survivors == []


@given(HOSTILE)
def test_safe_text_stays_as_it_is(stored: str) -> None:
    assert line(line(stored)) == line(stored)
    assert block(block(stored)) == block(stored)
    assert line(block(stored)) == line(stored)


@given(
    st.text(st.characters(exclude_categories=["C", "Z", "M"], exclude_characters="\u115f\u1160\u3164\uffa0"))
)
def test_visible_characters_are_kept(stored: str) -> None:
    assert line(stored) == "".join(char for char in stored if not "🏻" <= char <= "🏿")


@given(HOSTILE)
def test_the_width_is_that_of_rich(stored: str) -> None:
    assert width(line(stored)) == cell_len(line(stored))


def test_the_short_way_to_a_width_agrees_with_rich_about_every_character() -> None:
    wrong = [
        f"U+{code:04X}"
        for code in range(0x20, 0x10000)
        if line(char := chr(code)) == char and width(char) != get_character_cell_size(char)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 1, "…"),
        ("abcdef", 0, ""),
        ("abcdef", -3, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 2, "…"),
        ("e\u0301a\u0301b", 2, "e\u0301…"),
    ],
)
def test_a_cut(text: str, cells: int, shown: str) -> None:
    assert cut(text, cells) == shown


def test_a_cut_with_another_ellipsis() -> None:
    assert cut("abcdef", 5, "...") == "ab..."
    assert cut("abcdef", 2, "...") == "ab"
    assert cut("日本語", 3, "") == "日"


@given(HOSTILE.map(line), st.integers(-2, 40), st.sampled_from(["…", "...", ""]))
def test_a_cut_is_never_wider_than_asked(text: str, cells: int, ellipsis: str) -> None:
    short = cut(text, cells, ellipsis)
    assert width(short) <= max(cells, 0) or (cells < 0 and width(short) == 0)
    assert cut(short, cells, ellipsis) == short
    assert text.startswith(short.removesuffix(ellipsis) if ellipsis else short)


def test_fitting() -> None:
    assert fit("ab", 4) == "ab  "
    assert fit("ab", 4, "right") == "  ab"
    assert fit("日本語", 4) == "日… "
    assert fit("日本", 3, ellipsis="") == "日 "


@given(HOSTILE.map(line), st.integers(0, 40), st.sampled_from(["left", "right"]))
def test_a_fitted_text_has_exactly_its_width(text: str, cells: int, align: str) -> None:
    assert width(fit(text, cells, "right" if align == "right" else "left")) == cells


@pytest.mark.parametrize(
    ("text", "cells", "lines"),
    [
        ("", 10, [""]),
        ("\n", 10, ["", ""]),
        ("one two three", 13, ["one two three"]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one   two", 4, ["one", "two"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("a unbreakable", 4, ["a", "unbr", "eaka", "ble"]),
        ("    indented code", 12, ["    indented", "code"]),
        ("      unbreakable", 10, ["      unbr", "eakable"]),
        ("first\n\nthird", 10, ["first", "", "third"]),
        ("日本語です", 4, ["日本", "語で", "す"]),
        ("see 日本語です", 8, ["see 日本", "語です"]),
        ("日本語。です", 6, ["日本", "語。で", "す"]),
        ("日本「語」", 6, ["日本", "「語」"]),
        ("日本hello", 6, ["日本", "hello"]),
        ("trailing    ", 8, ["trailing"]),
        ("日", 1, ["日"]),
        ("ab", 0, ["a", "b"]),
        ("Größe über alles", 10, ["Größe über", "alles"]),
    ],
)
def test_wrapping(text: str, cells: int, lines: list[str]) -> None:
    assert [text[start:end] for start, end in wrap(text, cells)] == lines


@given(SAFE_BLOCK, st.integers(1, 20))
@example("a b", 1)
def test_wrapped_lines_cover_the_text_in_order(text: str, cells: int) -> None:
    place = 0
    between = []
    for start, end in wrap(text, cells):
        assert place <= start <= end
        between.append(text[place:start])
        assert "\n" not in text[start:end]
        assert width(text[start:end]) <= cells or (cells == 1 and width(text[start:end]) == 2)
        place = end
    between.append(text[place:])
    assert set("".join(between)) <= {" ", "\n"}
    assert "".join(between).count("\n") == text.count("\n")


@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=1), st.integers(8, 20))
def test_words_that_fit_are_kept_whole(words: list[str], cells: int) -> None:
    text = " ".join(words)
    assert " ".join(text[start:end] for start, end in wrap(text, cells)).split() == words


def test_plain_text_needs_neither_rich_nor_textual() -> None:
    code = (
        "import sys\n"
        "from hermes_tui.text import figures, marks, recap, relative_time, safe_text\n"
        "safe_text.fit(safe_text.line('Größe — \\x1b[1mx'), 4); safe_text.wrap('a b', 1)\n"
        "print(sorted({'rich', 'textual'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("👨\u200d👩\u200d👧 👍🏽 ❤\ufe0f می\u200cخواهم", "👨\u200d👩\u200d👧 👍🏽 ❤\ufe0f می\u200cخواهم"),
        ("\tkeep:\n\t\tindent", "\tkeep:\n\t\tindent"),
        ("a\r\nb\rc\x0bd\u2028e", "a\nb\nc\nd\ne"),
        ("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x9b2Jc1", "red link c1"),
        ("\u202eevil\u202c \u2066x\u2069 \ufeffbom\u200b \x00\x07\ud800", "evil x bom "),
    ],
)
def test_a_page_keeps_what_joins_and_drops_what_commands(text: str, written: str) -> None:
    assert page(text) == written
