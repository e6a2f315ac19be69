"""The file of the store is replaced, moved or deleted while it is open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from storage import SessionDB, Sort
from tests.support.browsing import browser, browsing, screen_text, settle, titles
from tests.support.on_screen import pane_text, press, said, search_for, toasts, until
from tests.support.stores import BuildV11, write_v11


def rows(word: str) -> str:
    return (
        f"INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'{word} one'),"
        f"('s2','cli',1780000002,'{word} two');"
        "INSERT INTO messages(session_id,role,content,timestamp)"
        f" VALUES('s1','user','{word} hello',1780000001),('s2','user','{word} there',1780000003);"
    )


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.2)
    return build_v11(rows("old"))


def put(path: Path, word: str) -> None:
    """As a restored backup comes: written elsewhere, then moved over the old one."""
    os.replace(write_v11(path.parent / "backup" / word, rows(word)), path)


async def test_another_file_is_opened_by_itself(store: Path) -> None:
    async with browsing(store) as (app, pilot):
        await press(pilot, "down")
        assert "old hello" in said(app)
        put(store, "new")
        await until(pilot, lambda: titles(app) == ["new two", "new one"])
        await settle(pilot)
        assert "new hello" in said(app)
        assert browser(app).sessions.cursor == 1, "the cursor stays on its session"
        assert toasts(app) == []
        put(store, "newer")
        await until(pilot, lambda: titles(app) == ["newer two", "newer one"])


async def test_words_filters_and_order_outlive_the_file(store: Path) -> None:
    async with browsing(store) as (app, pilot):
        await press(pilot, "tab", "s")
        sort = browser(app).finder.sort
        assert sort is not Sort.ACTIVE
        store.unlink()
        await until(pilot, lambda: browser(app).box.disabled)
        put(store, "new")
        await until(pilot, lambda: browser(app).opened)
        await settle(pilot)
        assert browser(app).finder.sort is sort
        order = [entry.id for entry in SessionDB(store, read_only=True).listing(sort=sort).entries]
        assert [entry.id for entry in browser(app).finder.entries] == order
    async with browsing(store) as (app, pilot):
        await search_for(pilot, "hello")
        put(store, "other")
        await until(pilot, lambda: titles(app) == ["other one"])
        assert browser(app).box.value == "hello"


async def test_a_file_that_is_gone_and_comes_back(store: Path) -> None:
    async with browsing(store) as (app, pilot):
        store.rename(store.parent / "away")
        await until(pilot, lambda: "The store is gone" in pane_text(app, "notice"))
        await settle(pilot)
        # The path is as long as the machine makes it, and the notice wraps.
        assert "was deleted or moved while it was open." in " ".join(pane_text(app, "notice").split())
        assert "F5 look again" in pane_text(app, "notice")
        assert said(app) == ""
        assert "conversation" not in screen_text(app).splitlines()[0]
        await press(pilot, *"hello", "enter", "tab", "h", "s", "y", "slash", "f5")
        assert "The store is gone" in pane_text(app, "notice")
        assert toasts(app) == []
        (store.parent / "away").rename(store)
        await until(pilot, lambda: titles(app) == ["old two", "old one"])
        await until(pilot, lambda: browser(app).box.has_focus)
        await search_for(pilot, "hello")
        assert titles(app) == ["old one"]


async def test_what_takes_its_place_is_no_store(store: Path) -> None:
    async with browsing(store) as (app, pilot):
        (store.parent / "junk").write_text("this is no database " * 100)
        os.replace(store.parent / "junk", store)
        await until(pilot, lambda: "The store cannot be opened" in pane_text(app, "notice"))
        put(store, "new")
        await until(pilot, lambda: titles(app) == ["new two", "new one"])
        assert toasts(app) == []


async def test_the_refresh_finds_it_without_a_poll(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 1000)
    async with browsing(store) as (app, pilot):
        put(store, "new")
        await press(pilot, "f5")
        assert titles(app) == ["new two", "new one"]
        store.unlink()
        await press(pilot, "f5")
        assert "The store is gone" in pane_text(app, "notice")
        put(store, "back")
        await press(pilot, "f5")
        assert titles(app) == ["back two", "back one"]


def test_a_store_knows_whether_its_file_was_replaced(tmp_path: Path) -> None:
    path = write_v11(tmp_path / "state.db", rows("old"))
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with SessionDB(path, read_only=True) as db, SessionDB(link, read_only=True) as linked:
        assert not db.replaced()
        os.utime(path)
        path.chmod(0o400)
        assert not db.replaced()
        put(path, "new")
        assert db.replaced()
        assert linked.replaced()
        assert db.listing().entries, "the open file goes on as it is"
        path.unlink()
        assert db.replaced()
