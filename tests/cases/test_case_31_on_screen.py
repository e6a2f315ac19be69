"""Case 31 on the screen: malformed JSON and NULLs in one row. (Export waits for its issue.)"""

from __future__ import annotations

from tests.cases.test_case_31_malformed_json_and_nulls import SETUP
from tests.support.browsing import browsing
from tests.support.on_screen import pane_lines, press, put_cursor_on, said, shown_ids
from tests.support.stores import BuildV11


async def test_every_row_opens_and_shows_what_there_is(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        assert shown_ids(app) == ["tc", "arr", "mc", "ok"]
        talk = {}
        for id_ in shown_ids(app):
            await put_cursor_on(app, pilot, id_)
            talk[id_] = said(app)
        assert talk["ok"] == "● You 2026-05-28 20:26 hi"
        assert talk["mc"] == "● You 2026-05-28 20:26 there"
        assert talk["tc"] == "◆ Hermes 2026-05-28 20:26 [Calling tool: terminal [1 tool call: terminal]"
        assert talk["arr"] == "· weird-role 2026-05-28 20:26 odd"


async def test_the_tool_and_its_empty_result(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await press(pilot, "tab", "tab", "T")
        lines = [line.strip() for line in pane_lines(app, "transcript") if line]
        assert lines[1:3] == ["[Calling tool: terminal", "[1 tool call: terminal]"]
        assert "terminal" in lines[3]
