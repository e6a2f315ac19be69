"""Many at once: from the confirmation on a dialog owns the keys, the list stands, and a stop is accounted for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from hermes_tui.screens.actions.progress_dialog import ProgressDialog
from storage import SessionDB, StoreBusy
from tests.support.acting import EVERYTHING, ORDER, ids, marked
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import press, shown_ids, toasts, until


class Gate:
    """Holds a deletion before it begins, and after every conversation until the test lets it go on."""

    def __init__(self) -> None:
        self.begin, self.go, self.done = Event(), Event(), 0


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate, plain = Gate(), SessionDB.trash_sessions

    def slow(self: SessionDB, conversations: Any, **options: Any) -> Any:
        report = options["progress"]

        def progress(done: int, total: int) -> None:
            report(done, total)
            gate.done = done
            gate.go.wait(30)

        gate.begin.wait(30)
        return plain(self, conversations, **{**options, "progress": progress})

    monkeypatch.setattr(SessionDB, "trash_sessions", slow)
    yield gate
    gate.begin.set()
    gate.go.set()


@pytest.fixture
async def started(path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Started]:
    """The browser with a deletion of all just confirmed."""
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "d")
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, ProgressDialog))
        yield app, pilot
        gate.begin.set()
        gate.go.set()


async def test_no_key_reaches_the_list_before_the_bar_is_seen(
    path: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.actions.writing.WAITING_SECONDS", 1000)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "d")
        focused = browser(app).focused
        await pilot.press("y", "j", "slash", "x", "q", "d", "u")
        await pilot.pause()
        assert isinstance(app.screen, ProgressDialog)
        assert "Deleting" not in screen_text(app)
        assert browser(app).focused is focused
        assert browser(app).sessions.cursor == 0
        assert browser(app).box.value == ""
        await pilot.press("escape")
        await pilot.pause()
        assert "stopping" in screen_text(app)
        gate.begin.set()
        gate.go.set()
        await settle(pilot)
        assert len(app.screen_stack) == 1
        assert ids(path) == EVERYTHING
        assert toasts(app) == ["Nothing was deleted."]
        assert marked(app) == ORDER


async def test_the_bar_says_of_how_many_before_the_first_one_is_done(started: Started) -> None:
    app, pilot = started
    await until(pilot, lambda: "0 of 5" in screen_text(app))


async def test_the_list_stands_while_they_go(started: Started, path: Path, gate: Gate) -> None:
    app, pilot = started
    gate.begin.set()
    await until(pilot, lambda: gate.done == 1)
    assert "a" not in ids(path)
    await pilot.pause(0.1)
    assert shown_ids(app) == ORDER
    assert "5 marked · 5 conversations · last active first" in screen_text(app)
    gate.go.set()
    await settle(pilot)
    assert shown_ids(app) == []


async def test_a_stopped_deletion_comes_back_as_what_it_was(started: Started, path: Path, gate: Gate) -> None:
    app, pilot = started
    gate.begin.set()
    await until(pilot, lambda: gate.done == 1)
    await pilot.press("escape")
    gate.go.set()
    await settle(pilot)
    assert toasts(app)[0].startswith("Deleted 1 conversation, 2 messages; u brings it back.")
    await press(pilot, "u")
    assert toasts(app) == ["Undone: 1 conversation is back, 2 messages."]
    assert ids(path) == EVERYTHING


async def test_leaving_in_the_middle_says_what_went_and_how_it_comes_back(
    started: Started, path: Path, gate: Gate
) -> None:
    app, pilot = started
    gate.begin.set()
    await until(pilot, lambda: gate.done == 1)
    await pilot.press("ctrl+q")
    await until(pilot, lambda: "writing, then leaving" in screen_text(app))
    await pilot.press("ctrl+q")
    gate.go.set()
    await until(pilot, lambda: not app.is_running or app.parting)
    with SessionDB(path, read_only=True) as store:
        (step,) = store.list_trash()
    assert app.parting == (
        f"Deleted 1 conversation, 2 messages; hermes-tui sessions trash --db {path} restore {step.step}"
        " brings it back. 4 conversations are as before: stopped."
    )


async def test_a_refusal_gives_the_keys_back_and_reads_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: SessionDB, *_: Any, **__: Any) -> None:
        raise StoreBusy(path)

    monkeypatch.setattr(SessionDB, "trash_sessions", refuse)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "d", "y")
        assert app.screen is browser(app)
        assert toasts(app) == [str(StoreBusy(path))]
        assert shown_ids(app) == ORDER
        assert marked(app) == ORDER


async def test_the_footer_says_no_keys_that_a_dialog_owns(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        assert screen_text(app).splitlines()[-1].endswith("? help")
        await press(pilot, "d")
        assert screen_text(app).split("\n")[-1] == ""
        await press(pilot, "escape")
        assert screen_text(app).splitlines()[-1].endswith("? help")


async def test_the_line_about_marks_keeps_its_end_where_there_is_little_room(path: Path) -> None:
    async with browsing(path, size=(72, 24)) as (app, pilot):
        await press(pilot, *"word", "tab", "A")
        assert "5 marked · 5 of 5 conversations · 1 more in subagent: h ─╯" in screen_text(app)
