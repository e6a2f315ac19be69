"""Where the focus goes: from pane to pane, back to the search box, and where a pane or a search goes away."""

from __future__ import annotations

from tests.support.browsing import Started, browser, settle
from tests.support.on_screen import press, title_at_cursor, until


async def test_the_search_box_has_the_focus_at_the_start(on_demo: Started) -> None:
    app, _ = on_demo
    assert browser(app).box.has_focus
    assert title_at_cursor(app) == "weekly report"


async def test_slash_goes_to_the_search_box(on_demo: Started) -> None:
    app, pilot = on_demo
    for pane in (1, 2):
        await press(pilot, *["tab"] * pane)
        assert not browser(app).box.has_focus
        await press(pilot, "slash")
        assert browser(app).box.has_focus
    assert browser(app).box.value == ""


async def test_tab_walks_the_panes_and_back(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, *["down"] * 4)
    assert title_at_cursor(app) == "Fix Docker Build #3"
    seen = []
    for _ in range(4):
        await press(pilot, "tab")
        seen.append(screen.focused.id if screen.focused else None)
    assert seen == ["sessions", "transcript", "lineage", "search"]
    await press(pilot, "shift+tab")
    assert screen.detail.relatives.has_focus


async def test_tab_leaves_out_a_lineage_that_is_not_there(on_demo: Started) -> None:
    app, pilot = on_demo
    assert not browser(app).has_class("-relatives")
    await press(pilot, "tab", "tab", "tab")
    assert browser(app).box.has_focus


async def test_clearing_a_search_from_another_pane_keeps_the_conversation(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, *"docker")
    await press(pilot, "tab", "t")
    assert screen.detail.relatives.has_focus
    await press(pilot, "escape")
    assert screen.box.value == ""
    assert title_at_cursor(app) == "Fix Docker Build #3"
    assert screen.detail.relatives.has_focus


async def test_a_pane_that_goes_away_gives_the_focus_to_the_list(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, "tab", *["j"] * 4)
    await press(pilot, "t")
    screen.sessions.first()
    await settle(pilot)
    assert not screen.has_class("-relatives")
    await until(pilot, lambda: screen.sessions.has_focus)
