"""Archive and pin: for the whole chain, for the marked, taken back by the same key; and on stores that cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import HiddenClass
from tests.support.acting import ORDER, dialog_text, ids, marked
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import id_at_cursor, press, search_for, shown_ids, toasts
from tests.support.other_process import other_process
from tests.support.stores import CopyStore, dump


async def test_the_whole_chain_is_archived_and_leaves_the_list(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j", "a")
    assert ids(path, "archived = 1") == ["b1", "b2"]
    assert shown_ids(app) == ["a", "branch", "c", "d"]
    assert id_at_cursor(app) == "branch"
    assert toasts(app) == ["Archived “beta #2” (u undoes, h shows)."]
    assert "· 1 archived" in screen_text(app)


async def test_on_show_it_stays_and_the_same_key_takes_it_back(started: Started, path: Path) -> None:
    app, pilot = started
    browser(app).finder.toggled(frozenset({HiddenClass.ARCHIVED}))
    await settle(pilot)
    await press(pilot, "a")
    assert shown_ids(app) == ORDER
    assert toasts(app) == ["Archived “alpha” (u undoes)."]
    await press(pilot, "a")
    assert ids(path, "archived = 1") == []
    assert toasts(app) == ["Unarchived “alpha” (u undoes)."]


async def test_the_marked_are_archived_all_unless_all_are(started: Started, path: Path) -> None:
    app, pilot = started
    browser(app).finder.toggled(frozenset({HiddenClass.ARCHIVED}))
    await settle(pilot)
    await press(pilot, "a")
    assert ids(path, "archived = 1") == ["a"]
    await press(pilot, "space", "space", "a")
    assert ids(path, "archived = 1") == ["a", "b1", "b2"]
    assert toasts(app) == ["Archived 1 conversation (u undoes)."]
    assert marked(app) == []
    await press(pilot, "g", "space", "space", "a")
    assert ids(path, "archived = 1") == []
    assert toasts(app) == ["Unarchived 2 conversations (u undoes)."]


async def test_under_a_search_the_filter_stays(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "slash")
    await search_for(pilot, "answer")
    before = shown_ids(app)
    await press(pilot, "tab", "j", "a")
    assert ids(path, "archived = 1") == ["c"]
    assert shown_ids(app) == [each for each in before if each != "c"]
    assert browser(app).box.value == "answer"
    await press(pilot, "u")
    assert shown_ids(app) == before
    assert id_at_cursor(app) == "c"


async def test_a_pinned_one_goes_to_the_top_and_the_cursor_with_it(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "G", "p")
    assert ids(path, "pinned = 1") == ["d"]
    assert shown_ids(app) == ["d", "a", "b2", "branch", "c"]
    assert id_at_cursor(app) == "d"
    assert toasts(app) == ["Pinned “delta” (u undoes)."]
    assert "▸★ delta" in screen_text(app)
    await press(pilot, "p")
    assert ids(path, "pinned = 1") == []
    assert shown_ids(app) == ORDER
    assert toasts(app) == ["Unpinned “delta” (u undoes)."]


async def test_all_marked_are_pinned(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j", "space", "G", "space", "p")
    assert ids(path, "pinned = 1") == ["b1", "b2", "d"]
    assert toasts(app) == ["Pinned 2 conversations (u undoes)."]


async def test_one_that_is_gone_is_said_to_be(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The browser does not see it before it acts.
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 1000)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "G", "space", "g", "space")
        with other_process(path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'd'")
            other.run("DELETE FROM sessions WHERE id = 'd'")
        await press(pilot, "a")
        assert ids(path, "archived = 1") == ["a"]
        assert toasts(app) == [
            "Archived 1 conversation (u undoes, h shows). 1 conversation is no longer there."
        ]
        assert shown_ids(app) == ["b2", "branch", "c"]


@pytest.mark.parametrize(
    ("store", "key", "what"),
    [("state-v11-0.13.0.db", "a", "archived conversations"), ("state-v22-0.19.0.db", "p", "pins")],
)
async def test_a_store_without_the_column_says_what_would_help(
    copy_store: CopyStore, store: str, key: str, what: str
) -> None:
    path = copy_store(store)
    version = store[len("state-v") :].partition("-")[0]
    before = dump(path)
    async with browsing(path) as (app, pilot):
        listed = shown_ids(app)
        await press(pilot, "tab", key)
        assert toasts(app) == [
            f"This store is of version {version} and cannot hold {what}. `hermes-tui sessions migrate --db {path}`"
            " brings it to 23; Hermes 0.13–0.19 go on working with it."
        ]
        assert shown_ids(app) == listed
    assert dump(path) == before


async def test_a_store_without_titles_says_the_same_where_one_is_typed(copy_store: CopyStore) -> None:
    path = copy_store("state-v2.db")
    before = dump(path)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "r", "ctrl+u", *"uno", "enter")
        assert (
            f"This store is of version 2 and cannot hold titles. `hermes-tui sessions migrate --db {path}`"
            " brings it to 23; Hermes 0.13–0.19 go on working with it."
        ) in dialog_text(app)
    assert dump(path) == before


async def test_in_the_search_box_they_are_letters(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "a", "p", "d", "u")
        assert browser(app).box.value == "apdu"
        assert ids(path, "archived = 1 OR pinned = 1") == []
