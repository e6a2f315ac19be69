"""Keys act in turn: what is pressed while the marks or the list are still to come is done when they are here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.screen import Screen

from hermes_tui.app import BrowserApp
from hermes_tui.screens.actions.delete_dialog import DeleteDialog
from hermes_tui.screens.export_dialog import ExportDialog
from tests.support.acting import FAMILY, FLAGS, ids, marked
from tests.support.browsing import BrowserPilot, browser, browsing, screen_text, settle
from tests.support.on_screen import press, search_for, until
from tests.support.slow_store import SlowStore, slow_store
from tests.support.stores import BuildV11

FOUND = [f"m{number:03}" for number in range(70)]
"""More than a search finds before it is asked to go on."""
MANY = "".join(
    f"INSERT INTO sessions(id, source, title, started_at) VALUES ('{id}', 'cli', 'many {id}', {1780001000 + number});"
    for number, id in enumerate(FOUND)
)
MANY += """INSERT INTO messages(session_id, role, content, timestamp)
    SELECT id, 'user', 'needle', started_at FROM sessions WHERE id LIKE 'm%';"""
Started = tuple[BrowserApp, BrowserPilot, SlowStore]


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(FAMILY + FLAGS + MANY)


@pytest.fixture
async def started(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Started]:
    """The browser on a search that is not at its end, with the focus in the list; `A` has to wait for the rest."""
    monkeypatch.setattr("storage.finding.index.SLICE", 20)
    monkeypatch.setattr("storage.finding.routes.NEWEST_FIRST", 0)
    monkeypatch.setattr("storage.finding.routes.NEWEST_WHOLE", 0)
    with slow_store(path, monkeypatch) as store:
        async with browsing(path, size=(100, 20)) as (app, pilot):
            await search_for(pilot, "needle")
            await press(pilot, "tab")
            assert not browser(app).finder.whole
            store.held.add("search")
            await pilot.press("A")
            await until(pilot, lambda: store.calls)
            yield app, pilot, store


async def come(pilot: BrowserPilot, store: SlowStore) -> None:
    """Let the rest be found."""
    store.let_go()
    await settle(pilot)


@pytest.mark.parametrize(("key", "dialog"), [("d", DeleteDialog), ("f8", DeleteDialog), ("e", ExportDialog)])
async def test_a_dialog_waits_for_the_marks_and_is_about_all_of_them(
    started: Started, key: str, dialog: type[Screen[object]]
) -> None:
    app, pilot, store = started
    await pilot.press(key, "y")
    assert app.screen is browser(app)
    await come(pilot, store)
    assert sorted(marked(app)) == FOUND
    assert isinstance(app.screen, dialog)
    assert "70 conversations" in screen_text(app)


@pytest.mark.parametrize(("key", "condition"), [("a", "archived = 1"), ("p", "pinned = 1")])
async def test_a_flag_waits_for_the_marks_and_is_put_on_all_of_them(
    started: Started, path: Path, key: str, condition: str
) -> None:
    _, pilot, store = started
    await pilot.press(key)
    assert ids(path, condition) == []
    await come(pilot, store)
    assert ids(path, condition) == FOUND


async def test_all_that_was_asked_for_is_done_in_turn(started: Started, path: Path) -> None:
    app, pilot, store = started
    await pilot.press("space", "p", "d", "e")
    await come(pilot, store)
    assert len(ids(path, "pinned = 1")) == len(FOUND) - 1
    assert isinstance(app.screen, DeleteDialog)
    await press(pilot, "n")
    assert len(app.screen_stack) == 1


@pytest.mark.parametrize("key", ["escape", "A"])
async def test_esc_or_a_again_takes_it_back(started: Started, key: str) -> None:
    app, pilot, store = started
    await pilot.press("d", key)
    await come(pilot, store)
    assert app.screen is browser(app)
    assert browser(app).panes.focused == "sessions"
    assert marked(app) == []
    assert "looking for all" not in screen_text(app)


async def test_other_words_take_it_back(started: Started) -> None:
    app, pilot, store = started
    await pilot.press("d", "slash", "x")
    await come(pilot, store)
    assert app.screen is browser(app)
    assert marked(app) == []


async def test_a_part_in_the_lineage_waits_for_no_marks(
    build_v11: BuildV11, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slow_store(path, monkeypatch) as store:
        async with browsing(path) as (app, pilot):
            await search_for(pilot, "word b2")
            await press(pilot, "tab", "t", "g")
            browser(app).acting.marking._all_wanted = True
            await pilot.press("d")
            assert isinstance(app.screen, DeleteDialog)
            store.let_go()


async def test_a_key_behind_the_last_letter_means_what_that_letter_finds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slow_store(path, monkeypatch) as store:
        async with browsing(path) as (app, pilot):
            store.held.add("search")
            await pilot.press(*"gamma", "tab", "d")
            await until(pilot, lambda: store.calls)
            assert app.screen is browser(app)
            await come(pilot, store)
            assert isinstance(app.screen, DeleteDialog)
            assert "gamma" in screen_text(app)
