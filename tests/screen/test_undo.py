"""Undo: step by step back through what this browser did, and what cannot come back says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, StoreBusy
from tests.support.acting import EVERYTHING, FAMILY, FLAGS, ORDER, content, ids, rows
from tests.support.browsing import Started, browser, browsing
from tests.support.on_screen import id_at_cursor, press, put_cursor_on, search_for, shown_ids, toasts
from tests.support.other_process import other_process
from tests.support.stores import NOW, BuildV11, dump, write_v11


async def test_nothing_to_undo_is_said(started: Started) -> None:
    app, pilot = started
    await press(pilot, "u")
    assert toasts(app)[0].startswith("Nothing to undo here; earlier deletions: hermes-tui sessions trash ")


async def test_a_deletion_comes_back_as_it_was_and_is_found_again(started: Started, path: Path) -> None:
    app, pilot = started
    before = content(path)
    await press(pilot, "j", "d", "y")
    assert content(path) != before
    await press(pilot, "u")
    assert content(path) == before
    assert shown_ids(app) == ORDER
    assert id_at_cursor(app) == "b2"
    assert toasts(app) == ["Undone: “beta #2” is back, 6 messages."]
    await press(pilot, "slash")
    await search_for(pilot, "word b2")
    assert shown_ids(app) == ["b2"]


async def test_step_by_step_back_through_everything(started: Started, path: Path) -> None:
    app, pilot = started
    before = content(path)
    await press(pilot, "d", "y")
    await press(pilot, "a")
    await press(pilot, "G", "p")
    assert ids(path, "archived = 1") == ["b1", "b2"]
    assert ids(path, "pinned = 1") == ["d"]
    await press(pilot, "u")
    assert toasts(app) == ["Undone: “delta” is no longer pinned."]
    assert ids(path, "pinned = 1") == []
    await press(pilot, "u")
    assert toasts(app) == ["Undone: “beta #2” is no longer archived."]
    assert ids(path, "archived = 1") == []
    await press(pilot, "u")
    assert toasts(app) == ["Undone: “alpha” is back, 2 messages."]
    assert content(path) == before
    assert shown_ids(app) == ORDER
    await press(pilot, "u")
    assert toasts(app)[0].startswith("Nothing to undo")


async def test_two_at_once_are_two_steps(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "d", "y")
    await press(pilot, "d", "y")
    assert ids(path) == ["branch", "c", "d"]
    await press(pilot, "u", "u")
    assert ids(path) == EVERYTHING
    assert shown_ids(app) == ORDER


async def test_unarchiving_is_taken_back_too(build_v11: BuildV11) -> None:
    path = build_v11(FAMILY + FLAGS + "UPDATE sessions SET archived = 1 WHERE id = 'a';")
    async with browsing(path) as (app, pilot):
        await search_for(pilot, "is:archived")
        await press(pilot, "tab", "a")
        assert ids(path, "archived = 1") == []
        await press(pilot, "u")
        assert ids(path, "archived = 1") == ["a"]
        assert toasts(app) == ["Undone: “alpha” is archived again."]


@pytest.mark.parametrize(("key", "column"), [("a", "archived"), ("p", "pinned")])
@pytest.mark.parametrize("own", ["b1", "b2"])
async def test_parts_that_differed_get_back_what_each_had(
    build_v11: BuildV11, key: str, column: str, own: str
) -> None:
    path = build_v11(f"{FAMILY} {FLAGS} UPDATE sessions SET {column} = 1 WHERE id = '{own}';")
    before = content(path)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "h", "a", "enter")
        await put_cursor_on(app, pilot, "b2")
        await press(pilot, key)
        assert len(ids(path, f"{column} = 1")) in (0, 2)
        await press(pilot, "u")
        assert content(path) == before


async def test_one_that_is_gone_when_its_flag_is_taken_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 1000)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "space", "G", "space", "p")
        assert ids(path, "pinned = 1") == ["a", "d"]
        with other_process(path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'd'")
            other.run("DELETE FROM sessions WHERE id = 'd'")
        await press(pilot, "u")
        assert ids(path, "pinned = 1") == []
        assert toasts(app) == [
            "Undone: 1 conversation is no longer pinned. 1 conversation is no longer there."
        ]


async def test_a_title_that_was_taken_meanwhile(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "d", "y")
    with other_process(path) as other:
        other.begin("other", "alpha", NOW)
    await press(pilot, "u")
    assert rows(path, "SELECT id, title FROM sessions WHERE title LIKE 'alpha%' ORDER BY id") == [
        ("a", "alpha #2"),
        ("other", "alpha"),
    ]
    assert toasts(app) == [
        "Undone: “alpha” is back, 2 messages. “alpha” is “alpha #2” now: another session has its title."
    ]


async def test_a_parent_that_is_gone_meanwhile(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j", "j", "d", "y")
    with other_process(path) as other:
        for session in ("sub", "b2", "b1"):
            other.run("DELETE FROM messages WHERE session_id = ?", session)
            other.run("DELETE FROM sessions WHERE id = ?", session)
    await press(pilot, "u")
    assert rows(path, "SELECT id, parent_session_id FROM sessions WHERE id = 'branch'") == [("branch", None)]
    assert toasts(app) == [
        "Undone: “beta branch” is back, 2 messages. 1 session has no parent any more: it is gone."
    ]


async def test_a_copy_that_was_emptied_meanwhile(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "a")
    await press(pilot, "d", "y")
    with SessionDB(path, migrate=False) as store:
        assert store.empty_trash() == 1
    await press(pilot, "u")
    assert toasts(app)[0].startswith("Not undone: ")
    assert "b1" not in ids(path)
    await press(pilot, "u")
    assert ids(path, "archived = 1") == []


async def test_under_a_search_the_words_stay(started: Started, path: Path) -> None:
    app, pilot = started
    before = content(path)
    await press(pilot, "slash")
    await search_for(pilot, "answer")
    await press(pilot, "tab", "G", "d", "y")
    assert ids(path) == EVERYTHING[1:]
    await press(pilot, "u")
    assert shown_ids(app) == ["d", "c", "branch", "b2", "a"]
    assert id_at_cursor(app) == "a"
    assert browser(app).box.value == "answer"
    assert content(path) == before


async def test_in_the_search_box_u_is_a_letter(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "u")
        assert browser(app).box.value == "u"


async def test_what_an_undo_did_not_come_to_is_the_next_step(
    started: Started, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    before = content(path)
    await press(pilot, "A", "p")
    assert ids(path, "pinned = 1") == ["a", "b1", "b2", "branch", "c", "d"]
    plain = SessionDB.flag_conversation

    def stop_at_the_third(self: SessionDB, session_id: str, *rest: Any) -> Any:
        if session_id == "branch":
            raise StoreBusy(path)
        return plain(self, session_id, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(SessionDB, "flag_conversation", stop_at_the_third)
        await press(pilot, "u")
    assert ids(path, "pinned = 1") == ["branch", "c", "d"]
    assert toasts(app) == [
        f"Undone: 2 conversations are no longer pinned. 3 conversations are as before: {StoreBusy(path)}"
        " u undoes the rest."
    ]
    await press(pilot, "u")
    assert toasts(app) == ["Undone: 3 conversations are no longer pinned."]
    assert content(path) == before
    await press(pilot, "u")
    assert toasts(app)[0].startswith("Nothing to undo here")


@pytest.mark.parametrize("keys", [("d", "y"), ("a",), ("p",), ("r", "ctrl+u", *"uno", "enter")])
async def test_nothing_that_was_done_to_another_file_is_undone_in_this_one(
    path: Path, tmp_path: Path, keys: tuple[str, ...]
) -> None:
    async with browsing(path) as (app, pilot):
        before = dump(path)
        await press(pilot, "tab", *keys)
        assert dump(path) != before
        other = write_v11(tmp_path / "other" / "state.db", FAMILY + FLAGS)
        with closing(sqlite3.connect(other)) as connection, connection:
            connection.execute("DELETE FROM messages WHERE session_id = 'a'")
            connection.execute("DELETE FROM sessions WHERE id = 'a'" if keys[0] == "d" else "SELECT 1")
            connection.execute("UPDATE sessions SET title = 'uno', archived = 1, pinned = 1 WHERE id = 'a'")
        other.rename(path)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        before = dump(path)
        await press(pilot, "f5", "u")
        assert dump(path) == before
        said = "Not undone: this was done in another file, which was deleted or replaced since."
        if keys[0] == "d":
            with SessionDB(path, read_only=True) as store:
                (step,) = store.list_trash()
            way = f"hermes-tui sessions trash --db {path} restore {step.step}"
            said += f" {way} puts “alpha” into this one."
        assert toasts(app) == [said]
        await press(pilot, "u")
        assert toasts(app)[0].startswith("Nothing to undo here")
