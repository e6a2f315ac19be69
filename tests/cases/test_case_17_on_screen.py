"""Case 17 on the screen: several continuations of one parent."""

from __future__ import annotations

from hermes_tui.services.resume import Choice
from tests.cases.test_case_17_several_continuations import SETUP
from tests.support.browsing import browsing, titles
from tests.support.on_screen import press, said, search_for, shown_ids, transcript, tree
from tests.support.stores import BuildV11


async def test_one_row_that_resumes_the_living_continuation(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        assert shown_ids(app) == ["b"]
        assert titles(app) == ["talk #2"]
        await press(pilot, "enter")
        assert app.return_value == Choice("b")


async def test_a_dead_end_is_found_and_can_be_read(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "dead end")
        assert shown_ids(app) == ["b"]
        await press(pilot, "tab", "t", "g", "down")
        node = tree(app).node
        assert node is not None
        assert node.id == "a"
        await press(pilot, "enter")
        assert said(app) == "● You 2026-05-28 20:45 dead end"


async def test_the_words_of_a_dead_end_are_shown_at_once(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "dead end")
        # Two words in one message.
        assert transcript(app).match_position() == (1, 2)
        assert said(app).endswith("● You 20:45 dead end")
        await press(pilot, "escape")
        assert "dead end" not in said(app)
