"""Case 29 on the screen: bad timestamps cost one cell, not the list. (Export waits for its issue.)"""

from __future__ import annotations

from storage import Sort
from tests.cases.test_case_29_bad_timestamps import SETUP
from tests.support.browsing import browser, browsing
from tests.support.on_screen import pane_lines, press, put_cursor_on, said, shown_ids
from tests.support.stores import BuildV11

UNREADABLE = {"text", "iso", "inf", "neg", "zero", "blank"}


async def test_all_are_listed_and_what_cannot_be_read_is_said(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, _):
        ids = shown_ids(app)
        assert len(ids) == 10
        lines = dict(zip(ids, pane_lines(app, "sessions")[1:], strict=False))
        assert all(" ?  " in lines[id_] for id_ in UNREADABLE)
        assert " 5h ago " in lines["good"]
        assert "-" not in lines["future"]
        assert all(ids.index("good") < ids.index(id_) for id_ in UNREADABLE)


async def test_each_opens_in_every_order(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        talk = {}
        for id_ in shown_ids(app):
            await put_cursor_on(app, pilot, id_)
            talk[id_] = said(app)
        assert {id_: text for id_, text in talk.items() if "You" in text} == {
            "good": "● You 2026-05-28 20:26 ok",
            "text": "● You x",
            "back": "● You 2026-05-28 20:26 y",
        }
        await press(pilot, "tab")
        for _ in Sort:
            await press(pilot, "s")
            assert len(shown_ids(app)) == 10
        assert browser(app).finder.sort is Sort.ACTIVE
