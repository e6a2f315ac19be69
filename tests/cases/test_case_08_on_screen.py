"""Case 8 on the screen: pictures are marks, their text is previewed, read and found."""

from __future__ import annotations

from tests.cases.test_case_08_picture_messages import SETUP
from tests.support.browsing import browser, browsing, row_of, screen_text
from tests.support.on_screen import pane_lines, search_for, transcript
from tests.support.stores import BuildV11

TALK = [
    "● You  2026-05-28 20:26",
    "  describe the zebra photo [image]",
    "",
    "◆ Hermes  20:26",
    "  A zebra.",
    "",
    "● You  20:26",
    "  [image]",
    "",
    "● You  20:26",
    "  not json",
    "",
    "● You  20:26",
    "  second marker form",
]


async def test_the_row_and_the_transcript(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, _):
        (entry,) = browser(app).finder.entries
        row = row_of(app, entry)
        assert row is not None
        assert row.preview == "describe the zebra photo [image]"
        assert [line for line in pane_lines(app, "transcript") if line or line == ""][: len(TALK)] == TALK
        shown = screen_text(app)
        assert not [text for text in ("json:", "base64", "iVBOR", "\0", "\1") if text in shown]


async def test_the_search_opens_at_the_newest_of_two_messages(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "zebra")
        assert [(e.id, browser(app).finder.hit_labels()[e.id]) for e in browser(app).finder.entries] == [
            ("s1", "2")
        ]
        assert transcript(app).match_position() == (2, 2)
        assert "describe the zebra photo [image] · telegram · match 2 of 2" in screen_text(app)
