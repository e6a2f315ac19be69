"""A line of nothing but exclusions shows its first rows before it is known of every conversation what it holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hermes_tui.app import BrowserApp
from storage.finding import listing
from tests.support.browsing import browser, screen_text, settle
from tests.support.on_screen import id_at_cursor, press, shown_ids, until
from tests.support.slow_store import Slowed, SlowStore, slow_store
from tests.support.stores import BuildV11

CONVERSATIONS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300)
INSERT INTO sessions(id,source,started_at,title) SELECT 'id'||i,'cli',1780000000-i,'title '||i FROM n;
INSERT INTO messages(session_id,role,content,timestamp)
    SELECT id,'user',iif(rowid%3,'an error','all is well'),started_at FROM sessions ORDER BY started_at;
"""
LEFT = [f"id{n}" for n in range(3, 301, 3)]


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    monkeypatch.setattr(listing, "SMALL", 10)
    with slow_store(build_v11(CONVERSATIONS), monkeypatch) as store:
        yield store


def said(app: BrowserApp) -> str:
    return str(browser(app).box.border_subtitle)


async def type_until_the_page(slowed: Slowed) -> None:
    store, app, pilot = slowed
    await press(pilot, *"-erro")
    store.held = {"listing"}
    await pilot.press("r")
    await until(pilot, lambda: shown_ids(app) == LEFT[:60] and browser(app).sessions.visible_entries())


async def test_its_rows_are_there_before_the_whole(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await type_until_the_page(on_slow)
    await until(pilot, lambda: "title 3 " in screen_text(app) and "title 9 " in screen_text(app))
    assert said(app) == ""
    assert id_at_cursor(app) == "id3"
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == LEFT
    assert said(app) == "100 conversations · last active first"
    assert id_at_cursor(app) == "id3"


async def test_cursor_and_marks_stay_when_the_whole_comes(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await type_until_the_page(on_slow)
    await pilot.press("tab", "down", "space", "down")
    assert id_at_cursor(app) == "id12"
    top = browser(app).sessions.scroll_offset
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == LEFT
    assert id_at_cursor(app) == "id12"
    assert set(browser(app).sessions.marked) == {"id6"}
    assert browser(app).sessions.scroll_offset == top
    assert "100 conversations" in said(app)


async def test_all_of_it_is_marked_when_all_of_it_is_here(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await type_until_the_page(on_slow)
    await pilot.press("tab", "A")
    assert not browser(app).sessions.marked
    store.let_go()
    await settle(pilot)
    assert sorted(browser(app).sessions.marked) == sorted(LEFT)


async def test_other_words_do_not_wait_for_the_whole(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await type_until_the_page(on_slow)
    await pilot.press("escape", *"title")
    await until(pilot, lambda: shown_ids(app)[1] == "id2")
    store.let_go()
    await settle(pilot)
    assert shown_ids(app)[1] == "id2"


async def test_rows_that_are_on_show_do_not_go_away_for_a_page(on_slow: Slowed) -> None:
    """Others write all the time: the list is read anew, and what was known of its words is not."""
    store, app, pilot = on_slow
    await press(pilot, *"-error")
    assert shown_ids(app) == LEFT
    store.held = {"listing"}
    browser(app).finder.changed(reordered=False)
    await until(pilot, lambda: store.calls)
    assert shown_ids(app) == LEFT
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == LEFT
