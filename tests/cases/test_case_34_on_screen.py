"""Case 34 on the screen, its reading half: another process holds the write lock. (Renaming and deleting wait.)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.test_case_34_somebody_holds_the_lock import SETUP
from tests.support.browsing import browser, browsing, titles
from tests.support.on_screen import press, put_cursor_on, said, search_for, shown_ids, toasts
from tests.support.other_process import OtherProcess, other_process
from tests.support.stores import BuildV11


@pytest.fixture(params=["wal", "delete"])
def path(request: pytest.FixtureRequest, build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Whoever waits for a lock fails at once: what passes has not waited.
    monkeypatch.setattr("storage.engine.opening.BUSY_TIMEOUT", 0)
    return build_v11(f"{SETUP} PRAGMA journal_mode={request.param};")


@pytest.fixture
def writer(path: Path) -> Iterator[OtherProcess]:
    with other_process(path) as process:
        process.run("BEGIN IMMEDIATE")
        process.run("UPDATE sessions SET title = id || ' not yet'")
        yield process


async def test_start_list_open_and_search_are_unaffected(path: Path, writer: OtherProcess) -> None:
    async with browsing(path) as (app, pilot):
        assert titles(app) == ["two", "one"]
        await put_cursor_on(app, pilot, "s1")
        assert said(app) == "● You 2026-05-28 20:26 hello"
        await search_for(pilot, "hello")
        assert shown_ids(app) == ["s1"]
        await press(pilot, "escape", "f5")
        assert titles(app) == ["two", "one"]
        assert toasts(app) == []


async def test_what_it_wrote_appears_once_it_lets_go(
    path: Path, writer: OtherProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    async with browsing(path) as (app, pilot):
        writer.run(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s1', 'user', 'x', 1780000009)"
        )
        await press(pilot, "down")
        assert titles(app) == ["two", "one"]
        writer.run("COMMIT")
        while shown_ids(app) != ["s1", "s2"]:
            await pilot.pause(0.02)
        assert toasts(app) == []
        assert browser(app).finder.total == 2


async def test_between_the_calls_it_commits_without_waiting(path: Path, writer: OtherProcess) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "down")
        writer.run("COMMIT")
        for number in range(5):
            await press(pilot, *"hello"[number])
            writer.say("s2", f"more {number}", 1780000010 + number)
        assert shown_ids(app) == ["s1"]
