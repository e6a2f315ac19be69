"""Case 11 on the screen: a damaged search index is said, never shown as no data."""

from __future__ import annotations

from tests.cases.test_case_11_damaged_index import SETUP
from tests.support.browsing import browser, browsing, titles
from tests.support.on_screen import pane_text, press, said, search_for, transcript
from tests.support.stores import BuildV11

ADVICE = ("restore", "delete", "backup", "corrupt")


async def test_all_is_there_and_the_search_says_that_it_scanned(build_v11: BuildV11) -> None:
    path = build_v11(SETUP)
    before = path.read_bytes()
    async with browsing(path) as (app, pilot):
        assert titles(app) == ["Keep me"]
        assert said(app) == "● You 2026-05-28 20:26 alpha beta ◆ Hermes 20:26 gamma"
        await search_for(pilot, "alpha")
        assert titles(app) == ["Keep me"]
        assert transcript(app).match_position() == (1, 1)
        assert str(browser(app).box.border_subtitle).endswith("· search index damaged: scanned")
        await press(pilot, "escape", *"delta")
        notice = pane_text(app, "notice")
        assert "No match for delta" in notice
        assert "search index damaged: scanned" in notice
        assert not [word for word in ADVICE if word in notice.lower()]
        await press(pilot, "ctrl+q")
    assert path.read_bytes() == before
