"""Whatever the store is, or becomes, the screen says it and something can be done."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.services.resume import Choice
from storage import HiddenClass
from tests.support.browsing import browser, browsing, screen_text, settle, titles
from tests.support.on_screen import pane_text, press, said, search_for, shown_ids, toasts, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, CopyStore, write_v11

ONE = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one');
INSERT INTO messages(session_id,role,content,timestamp) VALUES('s1','user','hello there',1780000000);
"""
CRON = """
INSERT INTO sessions(id,source,started_at,title) VALUES('c1','cron',1780000001,'nightly'),
('c2','cron',1780000002,'hourly');
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','backup done',started_at FROM sessions
WHERE source = 'cron';
"""


async def test_no_store_then_the_demo(tmp_path: Path) -> None:
    async with browsing(tmp_path / "state.db") as (app, pilot):
        notice = pane_text(app, "notice")
        assert "No session store here" in notice
        assert "Nothing was created." in notice
        await press(pilot, "x", "slash", "enter", "tab", "h", "s", "t", "y")
        assert app.screen is browser(app)
        await pilot.press("D")
        await until(pilot, lambda: browser(app).opened)
        await settle(pilot)
        assert "demo store" in screen_text(app).splitlines()[0]
        assert len(titles(app)) > 10
        await search_for(pilot, "docker")
        assert "docker" in screen_text(app).lower()
    assert list(tmp_path.iterdir()) == []


async def test_no_store_then_one_is_made(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    async with browsing(path) as (app, pilot):
        await press(pilot, "f5")
        assert "No session store here" in pane_text(app, "notice")
        write_v11(path, ONE)
        await press(pilot, "f5")
        assert titles(app) == ["one"]
        assert browser(app).box.has_focus
        await search_for(pilot, "hello")
        assert shown_ids(app) == ["s1"]
        await press(pilot, "enter")
    assert app.return_value == Choice("s1")


async def test_no_store_can_be_left(tmp_path: Path) -> None:
    async with browsing(tmp_path / "state.db") as (app, pilot):
        await press(pilot, "q")
        assert not app.is_running


async def test_not_a_database(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"hello world" * 500)
    async with browsing(path) as (app, pilot):
        notice = pane_text(app, "notice")
        assert "The store cannot be opened" in notice
        assert f"{path} is not a database." in notice
        assert "Nothing was changed." in notice
        path.unlink()
        write_v11(path, ONE)
        await press(pilot, "f5")
        assert titles(app) == ["one"]
        assert not browser(app).has_class("-notice")


async def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()
    async with browsing(tmp_path / "state.db") as (app, _):
        assert str(tmp_path / "state.db") in pane_text(app, "notice")


@pytest.mark.parametrize("kind", ["empty-v22-0.19.0.db", "no bytes", "v11"])
async def test_an_empty_store_fills(
    kind: str, tmp_path: Path, copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    path = tmp_path / "home" / "state.db"
    path.parent.mkdir()
    if kind == "no bytes":
        path.touch()
    elif kind == "v11":
        write_v11(path)
    else:
        copy_store(kind).rename(path)
    async with browsing(path) as (app, pilot):
        notice = pane_text(app, "notice")
        assert "No sessions yet" in notice
        assert "the conversation appears here by itself" in notice
        if kind == "no bytes":
            with (
                closing(sqlite3.connect(path)) as made,
                closing(sqlite3.connect(write_v11(tmp_path / "other.db"))) as full,
            ):
                full.backup(made)
        with other_process(path) as other:
            other.begin("new", "just begun", 1780002000)
            other.say("new", "hello", 1780002001)
        await until(pilot, lambda: titles(app) == ["just begun"])
        await until(pilot, lambda: said(app).endswith("hello"))


async def test_all_hidden(build_v11: BuildV11) -> None:
    async with browsing(build_v11(CRON)) as (app, pilot):
        notice = pane_text(app, "notice")
        assert "All 2 conversations here are of hidden classes." in notice
        assert "Tab h" in notice
        await press(pilot, "tab", "h", "down", "down", "down", "space", "enter")
        assert browser(app).finder.show == {HiddenClass.CRON}
        assert titles(app) == ["hourly", "nightly"]
        assert said(app).endswith("backup done")
        await press(pilot, "h", "down", "down", "down", "space", "enter")
        assert "Nothing on show" in pane_text(app, "notice")


async def test_no_match_but_for_what_is_hidden(build_v11: BuildV11) -> None:
    async with browsing(build_v11(ONE + CRON)) as (app, pilot):
        assert shown_ids(app) == ["s1"]
        await search_for(pilot, "backup")
        notice = pane_text(app, "notice")
        assert "No match for backup" in notice
        assert "2 more in cron" in notice
        await press(pilot, "tab", "h", "a", "enter")
        assert shown_ids(app) == ["c2", "c1"]
        assert browser(app).box.value == "backup"
        await press(pilot, "slash", "escape")
        assert shown_ids(app) == ["c2", "c1", "s1"]


async def test_what_a_store_cannot_do_is_said(build_v11: BuildV11) -> None:
    path = build_v11(ONE + "DROP TABLE messages_fts_trigram;")
    async with browsing(path) as (app, pilot):
        (note,) = toasts(app)
        assert note
        await search_for(pilot, "hello")
        assert shown_ids(app) == ["s1"]


async def test_a_store_that_somebody_locks_whole(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.engine.opening.BUSY_TIMEOUT", 0)
    path = build_v11(ONE + "PRAGMA journal_mode=delete;")
    with other_process(path) as other:
        other.run("BEGIN EXCLUSIVE")
        async with browsing(path) as (app, pilot):
            notice = pane_text(app, "notice")
            assert "The store cannot be opened" in notice
            assert "busy" in notice or "locked" in notice
            other.run("ROLLBACK")
            await press(pilot, "f5")
            assert titles(app) == ["one"]
            other.run("BEGIN EXCLUSIVE")
            await press(pilot, *"hello")
            assert app.is_running
            assert toasts(app)
            other.run("ROLLBACK")
            await press(pilot, "f5")
            assert shown_ids(app) == ["s1"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
async def test_a_store_that_vanishes(
    build_v11: BuildV11, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.2)
    path = build_v11(f"{ONE}{CRON} PRAGMA journal_mode={journal};")
    async with browsing(path) as (app, pilot):
        for file in path.parent.iterdir():
            file.unlink()
        await press(pilot, *"hello", "tab", "j", "k", "f5", "escape", "h", "a", "enter", "s")
        assert app.is_running
        assert list(path.parent.iterdir()) == []
        assert "The store is gone" in pane_text(app, "notice")
        write_v11(path, ONE.replace("'one'", "'another one'"))
        await press(pilot, "f5")
        assert titles(app) == ["another one"]


async def test_a_store_that_is_cut_short(build_v11: BuildV11) -> None:
    rows = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<3000) "
        "INSERT INTO messages(session_id,role,content,timestamp) "
        "SELECT 's1','user',hex(zeroblob(200))||i,1780000001 FROM n;"
    )
    path = build_v11(ONE + rows + "PRAGMA journal_mode=delete;")
    async with browsing(path) as (app, pilot):
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 3 // 4096 * 4096)
        await press(pilot, *"hello", "tab", "f5", "tab", "g", "f5", "escape")
        assert app.is_running


async def test_a_conversation_without_messages_says_so(build_v11: BuildV11) -> None:
    rows = "INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000)"
    async with browsing(build_v11(rows)) as (app, _):
        assert "No messages in this conversation." in screen_text(app)
