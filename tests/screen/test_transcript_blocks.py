"""A transcript in lines, without an app: what is shown, how it is cut, and where each block lies."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from hermes_tui.text.block_lines import lay_out
from hermes_tui.text.blocks import MAX_LINES, Block, Kind, Shown, arrange, estimate
from hermes_tui.text.marks import ASCII, UNICODE
from hermes_tui.widgets.line_heights import LineHeights
from hermes_tui.widgets.match_walk import MatchWalk
from hermes_tui.widgets.transcript_layout import TranscriptLayout
from storage import Message, MessageKind, SessionQuery, ToolCall, Transcript, parse

NOON = 1_795_867_320.0
"""12:02 in UTC."""


def said(id: int, role: str, text: str = "", *tools: str, session: str = "a", **more: Any) -> Message:
    calls = tuple(ToolCall(name, '{"command": "docker ps"}') for name in tools)
    return Message(id, session, role, text, NOON, calls, **more)


def drawn(
    *messages: Message,
    shown: Shown | None = None,
    query: SessionQuery | None = None,
    width: int = 60,
    parts: tuple[str, ...] = ("a",),
    earlier: int = 0,
    live: str | None = None,
    notes: tuple[str, ...] = (),
) -> list[str]:
    transcript = Transcript(parts, messages, earlier, notes)
    layout = layout_of(transcript, shown or Shown(), query, width, live)
    lines = [line for index in range(len(layout.blocks)) for line in layout.laid_out(index).lines]
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def layout_of(
    transcript: Transcript,
    shown: Shown,
    query: SessionQuery | None = None,
    width: int = 60,
    live: str | None = None,
) -> TranscriptLayout:
    def render(block: Block, message: Message | None) -> Any:
        return lay_out(block, message, query, width, UNICODE)

    return TranscriptLayout(arrange(transcript, shown, live), transcript.messages, width, render)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


TALK = (
    said(1, "user", "the docker deploy fails on the second host with exit 137, can you look?"),
    said(2, "assistant", "<think>hm</think>Exit 137 is the\nout-of-memory killer.", "terminal", "patch"),
    said(3, "tool", "one\ntwo docker", tool_name="terminal"),
    said(4, "assistant", "", "terminal"),
    said(5, "tool", "three", tool_name="terminal"),
    said(6, "assistant", "Done."),
    said(7, "system", "You are Hermes"),
    said(8, "user", "thanks"),
)
RECAP = """\
● You  2026-11-28 12:02
  the docker deploy fails on the second host with exit 137,
  can you look?

◆ Hermes  12:02
  Exit 137 is the
  out-of-memory killer.
  [2 tool calls: terminal, patch]
  [1 tool call: terminal]
  Done.

● You  12:02
  thanks"""
WITH_TOOLS = """\
  [2 tool calls: terminal, patch]
  └ terminal
     one
     two docker
  [1 tool call: terminal]
  └ terminal
     three
  Done."""
SEARCHED = """\
  [2 tool calls: terminal, patch]
    terminal {"command": "docker ps"}
    patch {"command": "docker ps"}
  └ terminal
     one
     two docker
  [1 tool call: terminal]
    terminal {"command": "docker ps"}
  Done."""


def test_recap() -> None:
    assert drawn(*TALK) == RECAP.splitlines()


def test_tool_results_when_asked_for() -> None:
    assert drawn(*TALK, shown=Shown(tools=True))[7:15] == WITH_TOOLS.splitlines()


def test_what_matches_is_shown_whatever_it_is() -> None:
    query = parse("docker")
    walk = MatchWalk(TALK, query)
    walk.look(lambda: 0.0, 1)
    assert (walk.places, walk.total, walk.finished) == (frozenset({0, 1, 2, 3}), 5, True)
    assert drawn(*TALK, shown=Shown(matching=walk.places), query=query)[7:16] == SEARCHED.splitlines()


def test_reasoning_system_and_summaries_when_asked_for() -> None:
    messages = (
        said(1, "user", "[CONTEXT COMPACTION] all of it", kind=MessageKind.SUMMARY),
        said(2, "assistant", "Yes.", reasoning="Is it?\nIt is."),
        said(3, "system", "You are Hermes"),
    )
    assert drawn(*messages) == [
        "  [context summary · 30 characters]",
        "",
        "◆ Hermes  2026-11-28 12:02",
        "  Yes.",
    ]
    assert drawn(*messages, shown=Shown(inner=True)) == [
        "  [context summary · 30 characters]", "  [CONTEXT COMPACTION] all of it", "",
        "◆ Hermes  2026-11-28 12:02", "  Is it?", "  It is.", "  Yes.", "",
        "· System  12:02", "  You are Hermes",
    ]  # fmt: skip


def test_what_is_never_shown() -> None:
    assert drawn(
        said(1, "user", "x", kind=MessageKind.SCAFFOLDING),
        said(2, "session_meta", "x", kind=MessageKind.BOOKKEEPING),
        said(3, "user", " \n "),
        said(4, "assistant", "<think>only thoughts"),
        said(5, "assistant", ""),
        shown=Shown(tools=True),
    ) == []  # fmt: skip


def test_long_messages_are_cut_but_not_the_last_answer_nor_a_match() -> None:
    long = "word " * 100
    lines = drawn(
        said(1, "user", long),
        said(2, "assistant", "1\n2\n3\n4"),
        said(3, "assistant", "1\n2\n3\n4"),
        width=72,
    )
    assert lines[:6] == [
        "● You  2026-11-28 12:02",
        *["  " + "word " * 13 + "word"] * 4,
        "  word word word word …",
    ]
    assert lines[7:] == ["◆ Hermes  12:02", "  1", "  2", "  3 …", "", "  1", "  2", "  3", "  4"]
    whole = drawn(said(1, "user", long), shown=Shown(matching=frozenset({0})), width=72)
    assert sum(line.count("word") for line in whole) == 100


def test_a_result_is_cut_after_twenty_lines() -> None:
    lines = drawn(said(1, "tool", "x\n" * 30, tool_name="terminal"), shown=Shown(tools=True))
    assert lines == ["  └ terminal", *["     x"] * 20, "     … 10 more lines"]


def test_enormous_text_is_cut_and_says_so() -> None:
    lines = drawn(said(1, "user", "x" * 2_500_000, cut=5), shown=Shown(matching=frozenset({0})))
    assert len(lines) == 1 + 1725 + 1
    assert lines[-1] == "  … cut: 2,400,005 more characters"
    lines = drawn(said(1, "user", "x\n" * 2_500_000), shown=Shown(matching=frozenset({0})))
    assert len(lines) == 1 + MAX_LINES + 2
    assert lines[-2:] == ["  … 48,000 more lines", "  … cut: 4,900,000 more characters"]


def exchanges(count: int) -> tuple[Message, ...]:
    return tuple(said(n, "user" if n % 2 else "assistant", f"m{n}") for n in range(1, 2 * count + 1))


@pytest.mark.parametrize(
    ("count", "earlier", "first"),
    [(10, 0, "● You  2026-11-28 12:02"), (11, 0, "… 2 earlier messages …"), (10, 34, "… 34 earlier messages …"),
     (12, 34, "… 38 earlier messages …"), (1, 1, "… 1 earlier message …")],
)  # fmt: skip
def test_earlier_messages_are_one_line(count: int, earlier: int, first: str) -> None:
    lines = drawn(*exchanges(count), earlier=earlier)
    assert lines[0] == first
    assert sum(line.startswith("●") for line in lines) == min(count, 10)
    lines = drawn(*exchanges(count), earlier=earlier, shown=Shown(unfolded=True))
    assert lines[0] == (
        f"… {earlier} earlier message{'s' * (earlier > 1)} …" if earlier else "● You  2026-11-28 12:02"
    )
    assert sum(line.startswith("●") for line in lines) == count


def test_seams() -> None:
    messages = (
        said(1, "user", "one", compacted=True),
        said(2, "user", "two"),
        said(3, "user", "hidden", session="b", kind=MessageKind.SCAFFOLDING),
        said(4, "user", "three", session="b"),
        said(5, "assistant", "four", session="c"),
    )
    assert drawn(*messages, parts=("a", "b", "c"), live="c") == [
        "● You  2026-11-28 12:02", "  one", "",
        "── context compressed here ─────────────────────────────────", "",
        "● You  12:02", "  two", "",
        "── context compressed here · part 2 of 3 ───────────────────", "",
        "● You  12:02", "  three", "",
        "── context compressed here · part 3 of 3 · live ────────────", "",
        "◆ Hermes  12:02", "  four",
    ]  # fmt: skip


def test_notes_stand_first() -> None:
    assert drawn(said(1, "user", "hi"), notes=("An index is missing.",)) == [
        "An index is missing.", "", "● You  2026-11-28 12:02", "  hi",
    ]  # fmt: skip


def test_matches_are_numbered_through_text_and_calls() -> None:
    message = said(1, "assistant", "docker one\ndocker two", "terminal")
    laid = lay_out(Block(Kind.ASSISTANT, 0, whole=True), message, parse("docker"), 40, UNICODE)
    pieces = [(piece.text, piece.match) for line in laid.lines for piece in line if piece.match >= 0]
    assert pieces == [("docker", 0), ("docker", 1), ("docker", 2)]
    assert [laid.match_lines[number] for number in range(3)] == [0, 1, 3]


def test_matches_are_walked_round() -> None:
    walk = MatchWalk(TALK, parse("docker"), first=3)
    assert walk.step(None, True) is None
    walk.look(lambda: 0.0, 0)
    assert (walk.places, walk.finished) == (frozenset({2}), False)
    walk.look(lambda: 0.0, 1)
    order = [(1, 0), (2, 0), (2, 1), (3, 0), (4, 0)]
    found = walk.step(None, True)
    for number, match in enumerate(order, 1):
        assert (found, walk.number(found)) == (match, number)
        found = walk.step(found, True)
    assert found == order[0]
    assert walk.step(order[0], False) == order[-1]
    assert (walk.newest(), walk.first_of(2), walk.first_of(8)) == ((4, 0), (2, 0), None)
    assert (walk.from_place(1), walk.from_place(5)) == ((2, 0), (1, 0))


# --- any text at all

ROLES = st.sampled_from(["user", "assistant", "tool", "system", "\x1b[31mrole"])
KINDS = st.sampled_from(
    [MessageKind.MESSAGE, MessageKind.MESSAGE, MessageKind.SUMMARY, MessageKind.SCAFFOLDING]
)
ANY_TEXT = st.text(st.characters(codec=None), max_size=120) | st.sampled_from(
    [
        "\x1b[2J docker",
        "a\r\nb\x00c\ttab",
        "\ud800",
        "\u202eevil",
        "👩‍🚀" * 30,
        "数" * 300,
        "e\u0301" * 400,
        "docker " * 90,
    ]
)
CALLS = st.lists(st.builds(ToolCall, ANY_TEXT, ANY_TEXT), max_size=2).map(tuple)
MESSAGES = st.lists(
    st.builds(
        Message, id=st.integers(0, 9), session_id=st.sampled_from("abc"), role=ROLES, text=ANY_TEXT,
        timestamp=st.none() | st.floats(), tool_calls=CALLS, tool_name=ANY_TEXT, reasoning=ANY_TEXT,
        compacted=st.booleans(), kind=KINDS, cut=st.integers(0, 5),
    ),
    max_size=12,
)  # fmt: skip
SHOWN = st.builds(
    Shown, tools=st.booleans(), inner=st.booleans(), unfolded=st.booleans(),
    matching=st.frozensets(st.integers(0, 11)),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(MESSAGES, SHOWN, st.integers(1, 90), ANY_TEXT, st.sampled_from([UNICODE, ASCII]))
def test_no_text_acts_and_no_line_is_too_wide(
    messages: list[Message], shown: Shown, width: int, words: str, marks: Any
) -> None:
    transcript = Transcript(("a", "b"), tuple(messages), 3, (words,))
    query = parse(words)
    for block in arrange(transcript, shown):
        message = None if block.kind in (Kind.EARLIER, Kind.NOTE, Kind.SEAM) else messages[block.place]
        assert estimate(block, message, width) >= 1
        for line in lay_out(block, message, query, width, marks).lines:
            text = "".join(piece.text for piece in line)
            # One wide character alone in a line of one cell is all that may be too wide.
            assert cell_len(text) <= max(width, 2)
            assert not {"Cc", "Cs"} & {unicodedata.category(char) for char in text}


@settings(max_examples=200, deadline=None)
@given(MESSAGES, SHOWN, st.integers(3, 90), st.data())
def test_heights_and_offsets_agree(
    messages: list[Message], shown: Shown, width: int, data: st.DataObject
) -> None:
    layout = layout_of(Transcript(("a", "b"), tuple(messages)), shown, width=width)
    rows = data.draw(st.integers(1, 40))
    for _step in range(3):
        if not layout.blocks:
            assert (layout.height, layout.settle(5, rows), layout.settle_end(rows)) == (0, 0, 0)
            return
        top = data.draw(st.integers(0, layout.height + 3))
        held = layout.at(top)
        top = layout.settle(top, rows)
        assert layout.at(top)[0] == held[0]
        first, last = layout.at(top)[0], layout.at(top + rows - 1)[0]
        height = layout.height
        for index in range(first, last + 1):
            lines = layout.laid_out(index).lines
            assert layout.offset(index) + len(lines) == layout.offset(index + 1)
        assert layout.height == height, "what is on the screen was known before it was drawn"
    end = layout.settle_end(rows)
    assert end == max(layout.height - rows, 0)
    assert layout.settle(end, rows) == end


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.data())
def test_line_heights(heights: list[int], data: st.DataObject) -> None:
    lines = LineHeights([1] * len(heights))
    for block in data.draw(st.permutations(range(len(heights)))):
        lines.set(block, heights[block])
    assert lines.total == sum(heights)
    assert [lines.offset(block) for block in range(len(heights) + 1)] == [
        sum(heights[:block]) for block in range(len(heights) + 1)
    ]
    drawn_lines = [(block, line) for block, height in enumerate(heights) for line in range(height)]
    assert [lines.at(line) for line in range(lines.total)] == drawn_lines


def test_a_heading_says_the_date_when_it_is_another_one() -> None:
    day = 86_400
    talk = [
        replace(said(1, "user", "one"), timestamp=NOON),
        replace(said(2, "assistant", "two"), timestamp=NOON + 60),
        replace(said(3, "user", "three"), timestamp=NOON + day),
        replace(said(4, "user", "four"), timestamp=None),
        replace(said(5, "user", "five"), timestamp=NOON + day + 60),
    ]
    assert [line for line in drawn(*talk) if line.startswith(("●", "◆"))] == [
        "● You  2026-11-28 12:02",
        "◆ Hermes  12:03",
        "● You  2026-11-29 12:02",
        "● You",
        "● You  12:03",
    ]


def test_long_messages_are_whole_when_asked_for() -> None:
    lines = drawn(said(1, "assistant", "1\n2\n3\n4"), said(2, "assistant", "end"), shown=Shown(whole=True))
    assert lines[1:5] == ["  1", "  2", "  3", "  4"]
