"""The family tree alone on the screen: what its figures leave for names, and where the cursor stands."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hermes_tui.text.marks import UNICODE
from hermes_tui.widgets.lineage_tree import LineageTree
from storage import Edge, Lineage, LineageNode
from tests.screen.bare_app import BareApp, lines_of


def node(id_: str, parent: str | None, edge: Edge, title: str, cost: float | None) -> LineageNode:
    return LineageNode(id_, parent, 0, edge, title, "cli", id_ == "c", 1240, 9, cost, None, "c")


def family(cost: float | None) -> Lineage:
    nodes = (
        node("a", None, Edge.ROOT, "Rebuild the pipeline", cost),
        node("b", "a", Edge.SUBAGENT, "read the logs", cost),
        node("c", "a", Edge.COMPRESSED, "Rebuild the pipeline #2", cost),
    )
    return Lineage(nodes, messages=3720, tokens=27, cost=cost, tip="c")


@asynccontextmanager
async def shown(lineage: Lineage, width: int) -> AsyncIterator[LineageTree]:
    tree = LineageTree(UNICODE)
    async with BareApp(tree).run_test(size=(width, 6)) as pilot:
        await pilot.pause()
        tree.show(lineage)
        tree.focus()
        await pilot.pause()
        yield tree


WITH_BOTH = """\
  Rebuild the pipel…  1,240 msgs  $12.50
  ├ subag… read the…  1,240 msgs  $12.50
▸ compr… #2 ◂ live    1,240 msgs  $12.50

  3 parts             3,720 msgs  $12.50"""
WITHOUT_COST = """\
  Rebuild the pip…  1,240 msgs
  ├ subag… read t…  1,240 msgs
▸ compr… #2 ◂ live  1,240 msgs

  3 parts           3,720 msgs"""
ALONE = """\
  Rebuild the pipeli…
  ├ subag… read the …
▸ compr… #2 ◂ live

  3 parts · 27 tokens"""


@pytest.mark.parametrize(
    ("width", "drawn"), [(41, WITH_BOTH), (31, WITHOUT_COST), (22, ALONE)], ids=["both", "no cost", "alone"]
)
async def test_names_have_room_beside_the_figures_and_the_end_is_whole(width: int, drawn: str) -> None:
    async with shown(family(12.5), width) as tree:
        assert lines_of(tree)[:5] == drawn.splitlines()


async def test_without_costs_there_is_no_column_for_them() -> None:
    async with shown(family(None), 31) as tree:
        assert lines_of(tree)[4].endswith("3,720 msgs")
