"""The lines of a family tree: a chain is a straight line, and of every line the end is whole in any width."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text import safe_text
from hermes_tui.text.marks import ASCII, UNICODE, Marks
from hermes_tui.text.tree_lines import laid, total_words, tree_lines
from storage import Edge, Lineage, LineageNode

WIDE = 200
"""Cells in which everything has room."""


def node(id_: str, parent: str | None, edge: Edge, title: str = "", **more: object) -> LineageNode:
    facts: dict[str, object] = {"preview": "", "live": False, **more}
    return LineageNode(
        id_, parent, 0, edge, title, "cli", bool(facts["live"]), 4, 900, 0.5, None, id_, str(facts["preview"])
    )


def family(*nodes: LineageNode) -> Lineage:
    return Lineage(nodes, messages=0, tokens=412_000, cost=None, tip=nodes[-1].id)


def chain(title: str, parts: int, **below: Sequence[LineageNode]) -> Lineage:
    """A chain of so many parts, numbered; `p6` names what hangs below its sixth part."""
    nodes = []
    for number in range(1, parts + 1):
        parent = f"p{number - 1}" if number > 1 else None
        name = f"{title} #{number}" if number > 1 else title
        edge = Edge.COMPRESSED if number > 1 else Edge.ROOT
        nodes.append(node(f"p{number}", parent, edge, name, live=number == parts))
        nodes.extend(below.get(f"p{number}", ()))
    return family(*nodes)


def drawn(lineage: Lineage, cells: int, marks: Marks = UNICODE) -> list[str]:
    return ["".join(laid(line, cells, marks)) for line in tree_lines(lineage, marks)]


DEEP = chain(
    "Rebuild the pipeline",
    12,
    p6=(
        node("s1", "p6", Edge.SUBAGENT, "read the logs of the balancer"),
        node("b1", "p6", Edge.BRANCH, "数据库重构与迁移到新的集群"),
        node("b2", "b1", Edge.COMPRESSED, "数据库重构与迁移到新的集群 #2"),
        node("s2", "b2", Edge.SUBAGENT, preview="count the rows"),
    ),
    p9=(node("s3", "p9", Edge.SUBAGENT),),
)


def test_a_chain_is_a_straight_line_beside_what_hangs_below_its_parts() -> None:
    assert drawn(DEEP, WIDE) == [
        "Rebuild the pipeline",
        "compressed #2",
        "compressed #3",
        "compressed #4",
        "compressed #5",
        "compressed #6",
        "├ subagent read the logs of the balancer",
        "├ branch 数据库重构与迁移到新的集群",
        "│ compressed 数据库重构与迁移到新的集群 #2",
        "│ └ subagent count the rows",
        "compressed #7",
        "compressed #8",
        "compressed #9",
        "├ subagent s3",
        "compressed #10",
        "compressed #11",
        "compressed #12 ◂ live",
    ]


def test_narrow_the_reason_is_shortened_first_and_then_the_name_is_cut() -> None:
    assert drawn(DEEP, 22)[5:11] == [
        "compressed #6",
        "├ subag… read the log…",
        "├ branch 数据库重构与…",
        "│ compr… 数据库重… #2",
        "│ └ subag… count the …",
        "compressed #7",
    ]
    assert drawn(DEEP, 16) == [
        "Rebuild the pip…",
        *(f"compressed #{number}" for number in range(2, 7)),
        "├ subag… read t…",
        "├ branch 数据库…",
        "│ compr… 数… #2",
        "│ └ subag… coun…",
        *(f"compressed #{number}" for number in range(7, 10)),
        "├ subagent s3",
        "compressed #10",
        "compressed #11",
        "comp… #12 ◂ live",
    ]


def test_without_utf_8_the_same_in_plain_signs() -> None:
    assert drawn(DEEP, 22, ASCII)[6:10] == [
        "|-sub... read the l...",
        "|-branch 数据库重构...",
        "| com... 数据库... #2",
        "| `-sub... count th...",
    ]
    assert drawn(DEEP, 16, ASCII)[-1] == "co... #12 < live"


def test_a_dead_end_hangs_beside_the_line_that_goes_on() -> None:
    parts = chain("t", 3, p1=(node("dead", "p1", Edge.COMPRESSED, "t #9"),))
    assert drawn(parts, WIDE) == ["t", "├ compressed #9", "compressed #2", "compressed #3 ◂ live"]


def test_the_last_below_a_part_that_was_never_continued_closes_its_level() -> None:
    tree = family(
        node("a", None, Edge.ROOT, "plan"),
        node("b", "a", Edge.BRANCH, "one way"),
        node("c", "b", Edge.RESET, "afresh"),
        node("d", "a", Edge.SUBAGENT, "look", live=True),
        node("e", "d", Edge.SUBAGENT, "deeper"),
    )
    assert drawn(tree, WIDE) == [
        "plan",
        "├ branch one way",
        "│ └ reset afresh",
        "└ subagent look ◂ live",
        "  └ subagent deeper",
    ]


@pytest.mark.parametrize(
    ("top", "title", "drawn_as"),
    [
        ("Fix it", "Fix it #2", "compressed #2"),
        ("Fix it #2", "Fix it #3", "compressed #3"),
        ("Fix it", "Another #3", "compressed Another #3"),
        ("Fix it", "Fix it", "compressed Fix it"),
        ("Fix it", "#2", "compressed #2"),
        ("Fix it", "Fix it #1234567", "compressed Fix it #1234567"),
        ("Fix it", "Fix\x1b[2J  it #2\n", "compressed #2"),
        ("", "", "compressed b"),
    ],
)
def test_only_the_number_is_told_of_a_title_that_is_the_familys(top: str, title: str, drawn_as: str) -> None:
    tree = family(node("a", None, Edge.ROOT, top), node("b", "a", Edge.COMPRESSED, title))
    assert drawn(tree, WIDE)[1] == drawn_as


def test_a_numbered_title_keeps_its_number_where_it_is_cut() -> None:
    top = family(node("a", None, Edge.ROOT, "Rebuild the deployment pipeline #14", live=True))
    assert drawn(top, 24) == ["Rebuild the … #14 ◂ live"]
    assert drawn(top, 12) == ["… #14 ◂ live"]


def test_of_guides_deeper_than_half_the_room_the_innermost_stay() -> None:
    nodes = [node("n0", None, Edge.ROOT, "top")]
    nodes += [node(f"n{level}", f"n{level - 1}", Edge.SUBAGENT, f"level {level}") for level in range(1, 30)]
    lines = drawn(family(*nodes), 24)
    assert lines[4:7] == ["      └ subagent level 4", "        └ subag… level 5", "          └ subag… leve…"]
    assert lines[7] == lines[29].replace("29", "7") == "…         └ subag… leve…"
    assert drawn(family(*nodes), 7, ASCII)[29] == "`-su..."


def test_what_all_parts_are_together_in_the_room_there_is() -> None:
    assert [total_words(DEEP, cells, UNICODE) for cells in (31, 30, 22, 21, 3)] == [
        "total · 17 parts · 412k tokens",
        "total · 17 parts · 412k tokens",
        "17 parts · 412k tokens",
        "17 parts",
        "17 parts",
    ]
    assert total_words(DEEP, 40, ASCII) == "total - 17 parts - 412k tokens"


TITLES = st.text(st.sampled_from("ab c数据é́🚀\u200d#7"), max_size=30) | st.sampled_from(
    ["Fix it", "Fix it #2", "Fix it #31", "数据库重构与迁移 #123456", "#2"]
)


@st.composite
def families(draw: st.DrawFn) -> Lineage:
    """Trees of any shape, their nodes in the order of the tree."""
    nodes = [node("n0", None, Edge.ROOT, draw(TITLES))]
    spine = ["n0"]
    for number in range(1, draw(st.integers(1, 25))):
        spine = spine[: draw(st.integers(1, len(spine)))]
        edge = draw(st.sampled_from([Edge.COMPRESSED, Edge.BRANCH, Edge.SUBAGENT, Edge.RESET, Edge.MISSING]))
        live = draw(st.booleans())
        nodes.append(node(f"n{number}", spine[-1], edge, draw(TITLES), live=live))
        spine.append(f"n{number}")
    return family(*nodes)


def whole_tail(number: str, live: bool, marks: Marks) -> str:
    return " ".join(word for word in (number, f"{marks.live_tip} live" if live else "") if word)


@given(families(), st.integers(16, 60), st.sampled_from([UNICODE, ASCII]))
def test_no_line_is_too_wide_its_end_is_whole_and_what_is_cut_says_so(
    lineage: Lineage, cells: int, marks: Marks
) -> None:
    for line in tree_lines(lineage, marks):
        pieces = laid(line, cells, marks)
        text = "".join(pieces)
        assert safe_text.width(text) <= cells
        tail = whole_tail(line.number, line.live, marks)
        assert text.endswith(tail)
        words = " ".join(word for word in (line.edge, line.name, tail) if word)
        if text == line.guide + words:
            continue
        # An ellipsis of three dots may begin in the reason and end in the name.
        cut = (pieces.guide, pieces.edge + pieces.name)
        room = cells - safe_text.width(tail)
        assert any(marks.ellipsis in piece for piece in cut) or room < 8
        if pieces.tail and text != pieces.tail:
            assert pieces.tail.startswith(" ")


@given(families(), st.integers(0, 16))
def test_no_width_raises_or_is_exceeded(lineage: Lineage, cells: int) -> None:
    assert all(safe_text.width(text) <= cells for text in drawn(lineage, cells))
