"""The first page does not wait for the count; it comes behind, and an older one never follows a newer answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.screens import finder
from hermes_tui.services import store_worker
from storage.finding import counting, index
from tests.support.browsing import browser, settle
from tests.support.on_screen import until
from tests.support.other_process import other_process
from tests.support.slow_store import Slowed, SlowStore, slow_store
from tests.support.stores import BuildV11

CONVERSATIONS = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300)
INSERT INTO sessions(id,source,started_at,title)
    SELECT 'id'||i,CASE WHEN i%10=0 THEN 'cron' ELSE 'cli' END,1780000000-i,'title '||i FROM n;
WITH RECURSIVE n(i) AS (SELECT 300 UNION ALL SELECT i-1 FROM n WHERE i>1)
INSERT INTO messages(session_id,role,content,timestamp) SELECT 'id'||i,'user','talk of zebras',1780000000-i FROM n;
INSERT INTO messages(session_id,role,content,timestamp)
    SELECT 'id1','user','talk again',1780000000 FROM messages LIMIT 3;
"""


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    monkeypatch.setattr(index, "SLICE", 30)
    monkeypatch.setattr(store_worker, "COUNT_AFTER", 0)
    with slow_store(build_v11(CONVERSATIONS), monkeypatch) as store:
        yield store


def head(app: BrowserApp) -> str:
    return str(browser(app).box.border_subtitle).split(" · ")[0]


def hidden(app: BrowserApp) -> str:
    return str(browser(app).box.border_subtitle).split(" · ")[-1]


async def test_the_count_comes_behind_the_first_page(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"count_matches"}
    await pilot.press(*"talk")
    await until(pilot, lambda: store.calls and head(app).endswith("270 conversations"))
    first = len(browser(app).finder.entries)
    assert finder.FIRST_PAGE <= first < 270
    assert head(app) == f"{first}+ of 270 conversations"
    assert hidden(app).endswith("+ more in cron: h")
    assert browser(app).finder.hit_labels()["id1"] == "4+"
    store.let_go()
    await until(pilot, lambda: head(app) == "270 of 270 conversations")
    assert hidden(app) == "30 more in cron: h"
    assert browser(app).finder.hit_labels()["id1"] == "4"
    assert len(browser(app).finder.entries) == first


async def test_beyond_the_bound_it_is_not_exact(on_slow: Slowed, monkeypatch: pytest.MonkeyPatch) -> None:
    _, app, pilot = on_slow
    monkeypatch.setattr(counting, "MOST", 120)
    await pilot.press(*"talk")
    await until(pilot, lambda: (count := browser(app).finder.count) is not None and not count.exact)
    assert 120 <= browser(app).finder.matching < 270
    assert head(app) == f"{browser(app).finder.matching}+ of 270 conversations"


async def test_the_next_letter_cancels_the_count(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"count_matches"}
    await pilot.press(*"talk")
    await until(pilot, lambda: store.calls)
    older = store.calls[0]
    await pilot.press("backspace")
    assert older.cancel is not None
    assert older.cancel.cancelled
    await pilot.press(*"k again")
    store.let_go()
    await settle(pilot)
    assert head(app) == "1 of 270 conversations"


async def test_a_count_that_took_long_is_not_repeated_whenever_others_write(
    on_slow: Slowed, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, app, pilot = on_slow
    monkeypatch.setattr(finder, "QUICKLY", 0)
    await pilot.press(*"talk")
    await until(pilot, lambda: head(app) == "270 of 270 conversations")
    with other_process(store.path) as other:
        other.say("id7", "more talk", 1780000500)
        await until(pilot, lambda: head(app) == "270+ of 270 conversations")
