"""Case 34 on the screen, where it deletes: the note, the bounded wait, and trying again. (Renaming is tried beside.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.screens.browser import BrowserScreen
from storage import SessionDB, WritePolicy
from tests.cases.test_case_34_somebody_holds_the_lock import SETUP
from tests.support.acting import ids
from tests.support.browsing import browser, browsing, screen_text, settle, titles
from tests.support.on_screen import press, put_cursor_on, toasts, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, dump


@pytest.fixture(params=["wal", "delete"])
def path(request: pytest.FixtureRequest, build_v11: BuildV11) -> Path:
    return build_v11(f"{SETUP} PRAGMA journal_mode={request.param};")


async def test_it_is_deleted_once_the_lock_is_let_go(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        with other_process(path) as writer:
            writer.run("BEGIN IMMEDIATE")
            await put_cursor_on(app, pilot, "s2")
            await press(pilot, "tab", "d")
            await pilot.press("y")
            await until(pilot, lambda: "waiting for the store …" in screen_text(app))
            await pilot.press("G")
            await until(pilot, lambda: browser(app).sessions.cursor == 1)
            assert titles(app) == ["two", "one"]
            writer.run("ROLLBACK")
        await settle(pilot)
        assert ids(path) == ["s1"]
        assert titles(app) == ["one"]


async def test_a_wait_ends_and_nothing_was_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def impatient(screen: BrowserScreen) -> SessionDB:
        policy = WritePolicy(budget=0.5, busy_wait=0.1)
        return SessionDB(screen.options.db_path, migrate=False, clock=screen.options.clock, policy=policy)

    monkeypatch.setattr(BrowserScreen, "_open_for_writing", impatient)
    before = dump(path)
    async with browsing(path) as (app, pilot):
        with other_process(path) as writer:
            writer.run("BEGIN IMMEDIATE")
            await put_cursor_on(app, pilot, "s2")
            await press(pilot, "tab", "d", "y")
            assert "is busy" in toasts(app)[0]
            assert "locked" not in toasts(app)[0]
            assert titles(app) == ["two", "one"]
            assert dump(path) == before
            writer.run("ROLLBACK")
        await press(pilot, "d", "y")
        assert ids(path) == ["s1"]
        assert titles(app) == ["one"]
