"""The lines of a family tree: guides, names and aligned figures. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hermes_tui.text import figures, safe_text
from hermes_tui.text.marks import Marks
from storage import Edge, Lineage, LineageNode

DEEPEST = 8
"""Levels that are indented; deeper ones stand at the last of them."""


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One relative, cut into the pieces that are coloured apart."""

    guide: str
    edge: str
    name: str
    live: bool
    messages: str
    cost: str


def tree_lines(lineage: Lineage, marks: Marks) -> list[TreeLine]:
    """Every node as a line, in the order of the tree."""
    guides = _guides(lineage.nodes, marks)
    top = safe_text.line(lineage.nodes[0].title) if lineage.nodes else ""
    return [
        TreeLine(
            guide=guide,
            edge="" if node.edge is Edge.ROOT else node.edge.value,
            name=_name(node, top),
            live=node.live,
            messages=f"{figures.count(node.messages)} msgs",
            cost=figures.money(node.cost),
        )
        for node, guide in zip(lineage.nodes, guides, strict=True)
    ]


def total_words(lineage: Lineage, cells: int) -> str:
    """What all parts are together, as much of it as there is room for: "total · 5 parts · 412k tokens"."""
    parts = figures.plural(len(lineage.nodes), "part")
    tokens = f"{parts} · {figures.short(lineage.tokens)} tokens"
    return next((words for words in (f"total · {tokens}", tokens) if safe_text.width(words) <= cells), parts)


def total_figures(lineage: Lineage) -> tuple[str, str]:
    """Messages and cost of all parts together, for the columns of the tree."""
    return f"{figures.count(lineage.messages)} msgs", figures.money(lineage.cost)


def _name(node: LineageNode, top: str) -> str:
    title = safe_text.line(node.title)
    if not title:
        return safe_text.line(node.preview) or safe_text.line(node.id)
    if node.parent is not None and top and title.startswith(f"{top} #"):
        # The numbers of a chain say enough: "#3" below "Fix Docker Build".
        return title[len(top) + 1 :]
    return title


def _guides(nodes: Sequence[LineageNode], marks: Marks) -> list[str]:
    last_child: dict[str | None, str] = {node.parent: node.id for node in nodes}
    guides: list[str] = []
    open_levels: list[bool] = []
    for node in nodes:
        depth = min(node.depth, DEEPEST)
        if node.depth == 0:
            guides.append("")
            open_levels = []
            continue
        is_last = last_child[node.parent] == node.id
        del open_levels[depth - 1 :]
        above = "".join(marks.pipe if is_open else marks.blank for is_open in open_levels)
        guides.append(above + (marks.corner if is_last else marks.tee))
        open_levels.append(not is_last)
    return guides
