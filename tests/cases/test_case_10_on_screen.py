"""Case 10 on the screen: titles and ids are searched, and every result shows its title."""

from __future__ import annotations

import pytest

from tests.cases.test_case_10_titles_and_ids import SETUP
from tests.support.browsing import browser, browsing
from tests.support.on_screen import pane_lines, press, search_for, transcript
from tests.support.stores import BuildV11


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("Modpack", ["Building the Modpack Server"]),
        ("modpack", ["Building the Modpack Server"]),
        ("server", ["—", "Building the Modpack Server"]),
        ("an-94", ["AN-94 review"]),
        ("20260315_0924", ["Building the Modpack Server"]),
        ("c9a6ff", ["Building the Modpack Server"]),
    ],
)
async def test_found_by_what_it_is_called(build_v11: BuildV11, words: str, rows: list[str]) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, words)
        shown = [line[3:].split("  ")[0] for line in pane_lines(app, "sessions")[1:] if line]
        assert shown == rows


async def test_a_title_match_has_no_hits_and_opens_its_conversation(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "modpack")
        assert browser(app).finder.hit_labels() == {}
        assert "  hello there" in pane_lines(app, "transcript")
        await press(pilot, "escape", *"server")
        assert browser(app).finder.hit_labels() == {"20260317_111111_bbbbbb": "1"}
        assert transcript(app).match_position() == (1, 1)
