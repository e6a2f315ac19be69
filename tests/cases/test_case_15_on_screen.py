"""Case 15 on the screen: which children are conversations of their own."""

from __future__ import annotations

from tests.cases.test_case_15_which_children_are_conversations import EDGES, SETUP
from tests.support.browsing import browsing, screen_text
from tests.support.on_screen import press, put_cursor_on, said, shown_ids
from tests.support.stores import BuildV11


async def test_eight_rows_and_a_ninth_on_demand(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        assert sorted(shown_ids(app)) == sorted(EDGES)
        assert "8 conversations" in screen_text(app)
        assert "hidden 1 subagent" in screen_text(app)
        await press(pilot, "tab", "h", "down", "down", "space", "enter")
        assert sorted(shown_ids(app)) == sorted([*EDGES, "d3"])
        assert "9 conversations" in screen_text(app)
        assert "hidden" not in screen_text(app).splitlines()[0]


async def test_opening_what_was_before_the_reset(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await put_cursor_on(app, pilot, "p1")
        assert said(app) == "● You 2026-05-28 20:26 text of p1"
        assert "before new · cli" in screen_text(app)
        await press(pilot, "enter")
        assert app.return_value is not None
        assert app.return_value.session_id == "p1"
