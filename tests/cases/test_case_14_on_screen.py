"""Case 14 on the screen: a compression chain is one row, shown by its newest part. (Renaming waits for its issue.)"""

from __future__ import annotations

from storage import Edge
from tests.cases.test_case_14_chain_is_one_row import SETUP
from tests.support.browsing import browsing, titles
from tests.support.on_screen import pane_text, press, said, shown_ids, tree
from tests.support.stores import BuildV11


async def test_the_chain_is_one_row_that_opens_whole(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP), size=(120, 60)) as (app, pilot):
        assert shown_ids(app) == ["t", "z"]
        assert titles(app) == ["my project #3", "other"]
        await press(pilot, "f5")
        assert shown_ids(app) == ["t", "z"]
        talk = said(app)
        places = [
            talk.index(text) for text in ("first ask", "part 2 of 3", "middle ask", "part 3 of 3", "last ask")
        ]
        assert places == sorted(places)
        assert "summary text" not in pane_text(app, "sessions")


async def test_its_links_are_in_order(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, _):
        lineage = tree(app).lineage
        assert lineage is not None
        assert [(node.id, node.edge) for node in lineage.nodes] == [
            ("r", Edge.ROOT),
            ("m", Edge.COMPRESSED),
            ("t", Edge.COMPRESSED),
        ]
        lines = [line.split() for line in pane_text(app, "lineage").splitlines()][:3]
        assert [words[:2] for words in lines] == [
            ["my", "project"],
            ["compressed", "#2"],
            ["compressed", "#3"],
        ]
        assert ["live" in words for words in lines] == [False, False, True]
