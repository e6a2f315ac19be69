"""Writes while another process holds the store: the screen stays live, says so, and gives up with all as it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.screens.browser import BrowserScreen
from hermes_tui.services.resume import Choice
from storage import SessionDB, StoreBusy, WritePolicy
from tests.support.acting import FAMILY, FLAGS, ORDER, ids, marked
from tests.support.browsing import browser, browsing, screen_text, settle
from tests.support.on_screen import press, shown_ids, toasts, until
from tests.support.other_process import OtherProcess, other_process
from tests.support.stores import BuildV11, dump, write_v11

CALLS = (
    "preview_delete",
    "trash_sessions",
    "restore_trash",
    "flag_conversation",
    "interrupted_deletions",
    "entries_of",
)


@pytest.fixture
def path(request: pytest.FixtureRequest, build_v11: BuildV11) -> Path:
    journal = getattr(request, "param", "wal")
    return build_v11(f"{FAMILY} {FLAGS} PRAGMA journal_mode={journal};")


in_both_journals = pytest.mark.parametrize("path", ["wal", "delete"], indirect=True)


@pytest.fixture
def holder(path: Path) -> Iterator[OtherProcess]:
    """A process that has the write lock."""
    with other_process(path) as process:
        process.run("BEGIN IMMEDIATE")
        yield process


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes give up after half a second."""

    def open_store(screen: BrowserScreen) -> SessionDB:
        policy = WritePolicy(budget=0.5, busy_wait=0.1)
        return SessionDB(screen.options.db_path, migrate=False, clock=screen.options.clock, policy=policy)

    monkeypatch.setattr(BrowserScreen, "_open_for_writing", open_store)


@in_both_journals
async def test_the_screen_is_live_says_that_it_waits_and_the_write_is_made(
    path: Path, holder: OtherProcess
) -> None:
    async with browsing(path) as (app, pilot):
        await pilot.press("tab", "a")
        await until(pilot, lambda: "waiting for the store …" in screen_text(app))
        assert shown_ids(app) == ORDER
        await pilot.press("j", "j")
        await until(pilot, lambda: browser(app).sessions.cursor == 2)
        await pilot.press("slash", *"gamma")
        await until(pilot, lambda: shown_ids(app) == ["c"])
        assert "waiting for the store …" in screen_text(app)
        await pilot.press("escape")
        holder.run("ROLLBACK")
        await settle(pilot)
        assert "waiting" not in screen_text(app)
        assert ids(path, "archived = 1") == ["a"]
        assert shown_ids(app) == ORDER[1:]


@pytest.mark.parametrize("keys", [("d", "y"), ("A", "d", "y"), ("space", "space", "a")])
@in_both_journals
async def test_after_the_bounded_wait_all_is_as_it_was(
    path: Path, holder: OtherProcess, impatient: None, keys: tuple[str, ...]
) -> None:
    before = dump(path)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", *keys)
        assert len(toasts(app)) == 1
        assert "is busy: another process holds it; try again in a moment." in toasts(app)[0]
        assert "waiting" not in screen_text(app)
        assert shown_ids(app) == ORDER
        assert marked(app) == {"A": ORDER, "space": ORDER[:2]}.get(keys[0], [])
        assert dump(path) == before
        holder.run("ROLLBACK")
        await press(pilot, "g", "p" if keys[0] in ("A", "space") else keys[0], *keys[1:2])
        assert dump(path) != before


async def test_writes_wait_in_line_and_none_is_given_up_for_the_next(
    path: Path, holder: OtherProcess
) -> None:
    async with browsing(path) as (app, pilot):
        await pilot.press("tab", "p", "j", "p", "j", "a")
        await until(pilot, lambda: "waiting for the store …" in screen_text(app))
        holder.run("ROLLBACK")
        await settle(pilot)
        assert ids(path, "pinned = 1") == ["a", "b1", "b2"]
        assert ids(path, "archived = 1") == ["branch"]
        await press(pilot, "u", "u", "u")
        assert ids(path, "pinned = 1 OR archived = 1") == []


@pytest.mark.parametrize("key", ["ctrl+q", "q", "enter"])
async def test_leaving_waits_for_the_write(path: Path, holder: OtherProcess, key: str) -> None:
    async with browsing(path, print_only=True) as (app, pilot):
        await pilot.press("tab", "p", key)
        await until(pilot, lambda: "writing, then leaving …" in screen_text(app))
        assert app.is_running
        assert toasts(app) == ["The store is being written to; leaving as soon as that is done."]
        holder.run("ROLLBACK")
        await until(pilot, lambda: not app.is_running)
    assert ids(path, "pinned = 1") == ["a"]
    assert app.return_value == (Choice("a") if key == "enter" else None)


async def test_leaving_a_second_time_stops_before_the_next_conversation(
    path: Path, holder: OtherProcess
) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A")
        await pilot.press("p", "ctrl+q")
        await until(pilot, lambda: "writing, then leaving …" in screen_text(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: (now := browser(app).lane._current) is not None and now.cancel.cancelled)
        holder.run("ROLLBACK")
        await until(pilot, lambda: not app.is_running)
    assert ids(path, "pinned = 1") == ["a"]
    assert app.parting == "Pinned 1 conversation. 4 conversations are as before: stopped."


@pytest.mark.parametrize(
    ("keys", "doing"),
    [
        (("p",), "Pinning alpha"),
        (("A", "a"), "Archiving 5 conversations"),
        (("r", "ctrl+u", *"uno", "enter"), "Renaming"),
    ],
)
async def test_what_was_refused_while_leaving_is_said_when_the_screen_is_gone(
    path: Path, holder: OtherProcess, impatient: None, keys: tuple[str, ...], doing: str
) -> None:
    before = dump(path)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", *keys[:-1])
        await pilot.press(keys[-1], "ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert app.parting == f"{doing}: {StoreBusy(path)}"
    assert dump(path) == before


async def test_undo_is_kept_for_another_try(path: Path, impatient: None) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "d", "y")
        assert "a" not in ids(path)
        with other_process(path) as holder:
            holder.run("BEGIN IMMEDIATE")
            await press(pilot, "u")
            assert toasts(app)[0].startswith("Not undone: ")
            assert "a" not in ids(path)
            holder.run("ROLLBACK")
            await press(pilot, "u")
        assert "a" in ids(path)
        assert shown_ids(app) == ORDER


async def test_every_call_of_an_action_is_made_on_another_thread(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, called = threading.current_thread(), set()

    def watched(name: str, method: Any) -> Any:
        def call(self: SessionDB, *rest: Any, **more: Any) -> Any:
            called.add(name)
            assert threading.current_thread() is not here, name
            return method(self, *rest, **more)

        return call

    for name in CALLS:
        monkeypatch.setattr(SessionDB, name, watched(name, getattr(SessionDB, name)))
    async with browsing(path) as (_, pilot):
        await press(pilot, "tab", "space", "f5")
        await press(pilot, "p", "a", "d", "y", "u")
        await press(pilot, "ctrl+q")
    assert called == set(CALLS)


async def test_browsing_opens_nothing_for_writing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    plain = BrowserScreen._open_for_writing

    def opening(screen: BrowserScreen) -> SessionDB:
        opened.append(1)
        return plain(screen)

    monkeypatch.setattr(BrowserScreen, "_open_for_writing", opening)
    async with browsing(path) as (_, pilot):
        await press(pilot, "tab", "j", "space", "A", "d", "escape", "u", "h", "escape")
        assert opened == []
        await press(pilot, "p")
        assert opened == [1]
        await press(pilot, "p")
        assert opened == [1]


async def test_a_store_that_was_replaced_is_written_where_the_list_is_from(
    path: Path, tmp_path: Path
) -> None:
    async with browsing(path) as (_, pilot):
        await press(pilot, "tab", "p")
        other = write_v11(tmp_path / "other" / "state.db", FAMILY + FLAGS)
        other.rename(path)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        await press(pilot, "f5")
        await press(pilot, "a")
        assert ids(path, "archived = 1") == ["a"]
        assert ids(path, "pinned = 1") == []


async def test_a_store_that_cannot_be_written_says_why(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(screen: BrowserScreen) -> SessionDB:
        return SessionDB(screen.options.db_path, read_only=True)

    monkeypatch.setattr(BrowserScreen, "_open_for_writing", read_only)
    before = dump(path)
    async with browsing(path) as (app, pilot):
        for keys in (("a",), ("p",), ("d", "y")):
            await press(pilot, "tab", *keys)
            assert toasts(app)[0].startswith("Nothing was written: ")
            assert shown_ids(app) == ORDER
            await press(pilot, "escape")
    assert dump(path) == before
