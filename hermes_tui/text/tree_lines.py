"""The lines of a family tree: guides, names and aligned figures, and what of them a width has room for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hermes_tui.text import figures, safe_text
from hermes_tui.text.marks import Marks
from storage import Edge, Lineage, LineageNode

SHORT_EDGE = 6
"""Cells of a reason where names need the room: "subag…" still tells it from "branch"."""
_NUMBERED = re.compile(r"(?P<base>.*) (?P<number>#[0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One relative, cut into the pieces that are coloured apart."""

    guide: str
    edge: str
    name: str
    """Its title without the number; nothing where that is the title of the family."""
    number: str
    """ "#3", at the end of a numbered title."""
    live: bool
    messages: str
    cost: str


class Laid(NamedTuple):
    """The pieces of a line in its width; the blanks between them stand at their beginnings."""

    guide: str
    edge: str
    name: str
    tail: str


def tree_lines(lineage: Lineage, marks: Marks) -> list[TreeLine]:
    """Every node as a line, in the order of the tree."""
    top, _ = _title(lineage.nodes[0]) if lineage.nodes else ("", "")
    return [
        _line(node, guide, top)
        for node, guide in zip(lineage.nodes, _guides(lineage.nodes, marks), strict=True)
    ]


def laid(line: TreeLine, cells: int, marks: Marks) -> Laid:
    """What a width has room for: first the number and the live tip, then why it is one, then its name.

    Args:
        cells: Of the line without its figures. What is cut ends in an ellipsis.
    """
    tail = "".join(f" {word}" for word in (line.number, f"{marks.live_tip} live" * line.live) if word)
    room = max(cells - safe_text.width(tail), 0)
    guide = line.guide
    if len(guide) > (deepest := room // 4 * 2):
        # The innermost levels say where it hangs; two cells are one level, and no room for more.
        above = marks.ellipsis if deepest > len(marks.blank) else ""
        guide = above + guide[len(guide) - deepest + len(above) :]
    room -= len(guide)
    edge, name = line.edge, f" {line.name}" if line.edge and line.name else line.name
    if safe_text.width(edge + name) > room:
        edge = safe_text.cut(edge, SHORT_EDGE, marks.ellipsis)
    words = safe_text.cut(edge + name, room, marks.ellipsis)
    if not edge + name:
        tail = tail[1:]
    return Laid(guide, words[: len(edge)], words[len(edge) :], safe_text.cut(tail, cells, ""))


def total_words(lineage: Lineage, cells: int, marks: Marks) -> str:
    """What all parts are together, as much of it as there is room for: "total · 5 parts · 412k tokens"."""
    parts = figures.plural(len(lineage.nodes), "part")
    dot = f" {marks.dot} "
    tokens = f"{parts}{dot}{figures.short(lineage.tokens)} tokens"
    wanted = (f"total{dot}{tokens}", tokens)
    return next((words for words in wanted if safe_text.width(words) <= cells), parts)


def total_figures(lineage: Lineage) -> tuple[str, str]:
    """Messages and cost of all parts together, for the columns of the tree."""
    return f"{figures.count(lineage.messages)} msgs", figures.money(lineage.cost)


def _line(node: LineageNode, guide: str, top: str) -> TreeLine:
    name, number = _title(node)
    if node.parent is not None and number and name == top:
        # The numbers of a chain say enough: "#3" below "Fix Docker Build".
        name = ""
    return TreeLine(
        guide=guide,
        edge="" if node.edge is Edge.ROOT else node.edge.value,
        name=name or ("" if number else safe_text.line(node.preview) or safe_text.line(node.id)),
        number=number,
        live=node.live,
        messages=f"{figures.count(node.messages)} msgs",
        cost=figures.money(node.cost),
    )


def _title(node: LineageNode) -> tuple[str, str]:
    """A title without its number, and the number; "#3" alone is a title."""
    title = safe_text.line(node.title)
    numbered = _NUMBERED.fullmatch(title)
    return (numbered["base"], numbered["number"]) if numbered else (title, "")


def _guides(nodes: Sequence[LineageNode], marks: Marks) -> Iterator[str]:
    """What stands before each node. A chain goes straight down, at whatever its parts were compressed.

    Branches, subagents and dead ends of a part hang between it and its continuation, which is its last child.
    """
    last_child = {node.parent: node.id for node in nodes}
    below: dict[str, str] = {}
    for node in nodes:
        is_last = last_child[node.parent] == node.id
        if node.parent is None:
            guide = below[node.id] = ""
        elif is_last and node.edge is Edge.COMPRESSED:
            guide = below[node.id] = below[node.parent]
        else:
            guide = below[node.parent] + (marks.corner if is_last else marks.tee)
            below[node.id] = below[node.parent] + (marks.blank if is_last else marks.pipe)
        yield guide
