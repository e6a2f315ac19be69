"""Case 24 on the screen: a clash is explained while it is typed, an ancestor gives way, a refusal keeps the text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, Static

from hermes_tui.app import BrowserApp
from hermes_tui.screens.browser import BrowserScreen
from hermes_tui.screens.rename import RenameDialog
from storage import SessionDB, WritePolicy
from tests.cases.test_case_24_renames_that_clash import ROWS
from tests.support.browsing import BrowserPilot, Started, browser, browsing, row_of, screen_text
from tests.support.on_screen import press, put_cursor_on, toasts, tree, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11

TITLES = {"r": "scanner", "t": "scanner #2", "u": "taken"}


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


def stored(path: Path) -> dict[str, str | None]:
    with SessionDB(path, read_only=True) as db:
        return {row["id"]: row["title"] for row in db.search_sessions()}


def shown_title(app: BrowserApp, session_id: str) -> str:
    screen = browser(app)
    [entry] = [entry for entry in screen.finder.entries if entry.id == session_id]
    row = row_of(app, entry)
    assert row is not None
    return row.title


@asynccontextmanager
async def renaming(path: Path, session_id: str, key: str = "r") -> AsyncIterator[Started]:
    """The browser, asking for a conversation's title."""
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, session_id)
        await press(pilot, key)
        yield app, pilot


async def type_title(pilot: BrowserPilot, text: str) -> None:
    """Paste a title in the place of the one that is there."""
    await pilot.press("ctrl+u")
    pilot.app.screen.query_one(Input).post_message(events.Paste(text))
    await press(pilot)


def typed(app: BrowserApp) -> str:
    assert isinstance(app.screen, RenameDialog)
    return app.screen.text


def verdict(app: BrowserApp) -> list[str]:
    """What the dialog says of the title."""
    return str(app.screen.query_one("#verdict", Static).content).splitlines()


async def test_an_ancestor_gives_its_title_up_and_u_gives_it_back(path: Path) -> None:
    async with renaming(path, "t") as (app, pilot):
        assert typed(app) == "scanner #2"
        await press(pilot, "backspace", "backspace", "backspace")
        assert "The earlier part r (desktop) gives this title up." in screen_text(app)
        await press(pilot, "enter")
        assert stored(path) == {"r": None, "t": "scanner", "u": "taken"}
        assert toasts(app) == ["Renamed to “scanner”. An earlier part gave it up. u undoes it."]
        assert shown_title(app, "t") == "scanner"
        await press(pilot, "u")
        assert stored(path) == TITLES
        assert toasts(app) == ["Undone: renaming to “scanner”."]
        assert shown_title(app, "t") == "scanner #2"


@pytest.mark.parametrize("text", ["taken", "  taken  ", "ta\u200bken"])
async def test_somebody_elses_title_is_refused_and_the_text_stays(path: Path, text: str) -> None:
    async with renaming(path, "t", "f2") as (app, pilot):
        await type_title(pilot, text)
        await press(pilot, "enter")
        assert "Title 'taken' is already in use by session u (telegram)" in screen_text(app)
        assert typed(app) == "taken"
        await press(pilot, "2", "enter")
        assert stored(path) == {**TITLES, "t": "taken2"}


async def test_cleared_the_list_shows_what_the_dialog_said(path: Path) -> None:
    async with renaming(path, "t") as (app, pilot):
        await press(pilot, "ctrl+u")
        assert verdict(app) == [
            "The title will be removed; the list shows “scanner”, the title of an earlier part."
        ]
        await press(pilot, "enter")
        assert stored(path) == {**TITLES, "t": None}
        assert shown_title(app, "t") == "scanner"
        # The title that is left is the one that the list shows: that of the earlier part.
        await press(pilot, "r")
        assert typed(app) == "scanner"
        await press(pilot, "ctrl+u")
        assert verdict(app) == ["The title will be removed; the list shows the first words."]
        await press(pilot, "enter")
        assert stored(path) == {"r": None, "t": None, "u": "taken"}
        assert shown_title(app, "t") == ""
        await press(pilot, "u", "u")
        assert stored(path) == TITLES


async def test_the_limit_is_named(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "r")
        await type_title(pilot, "x" * 101)
        await press(pilot, "enter")
        assert "Title too long (101 chars, max 100)" in screen_text(app)
        assert typed(app) == "x" * 101
        await press(pilot, "backspace", "enter")
        assert "x" * 100 in stored(path).values()


async def test_what_cannot_be_seen_is_not_stored_and_that_is_said(path: Path) -> None:
    async with renaming(path, "u") as (app, pilot):
        await type_title(pilot, "a\u200bb\u202ec")
        assert "Left out: 2 characters that cannot be shown." in screen_text(app)
        await press(pilot, "enter")
        assert stored(path) == {**TITLES, "u": "abc"}


async def test_who_was_deleted_meanwhile_is_not_made_again(path: Path) -> None:
    async with renaming(path, "u") as (app, pilot):
        await type_title(pilot, "x")
        with other_process(path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'u'")
            other.run("DELETE FROM sessions WHERE id = 'u'")
        await press(pilot, "enter")
        assert "Session 'u' no longer exists." in screen_text(app)
        assert typed(app) == "x"
        assert stored(path) == {"r": "scanner", "t": "scanner #2"}


async def test_a_title_that_is_taken_between_the_check_and_the_write(path: Path) -> None:
    async with renaming(path, "u") as (app, pilot):
        await type_title(pilot, "mine")
        with other_process(path) as other:
            other.begin("o", "mine", 1780000000.0)
            await press(pilot, "enter")
            assert "Title 'mine' is already in use by session o (cli)" in screen_text(app)
            assert typed(app) == "mine"
            other.run("DELETE FROM sessions WHERE id = 'o'")
        await press(pilot, "2", "enter")
        assert stored(path) == {**TITLES, "u": "mine2"}


async def test_a_busy_store_is_waited_for_and_said(path: Path) -> None:
    async with renaming(path, "u") as (app, pilot):
        await type_title(pilot, "late")
        with other_process(path) as other:
            other.run("BEGIN IMMEDIATE")
            await pilot.press("enter")
            await until(pilot, lambda: "Waiting for the store" in screen_text(app))
            assert typed(app) == "late"
            other.run("ROLLBACK")
        await until(pilot, lambda: not isinstance(app.screen, RenameDialog))
        await press(pilot)
        assert stored(path) == {**TITLES, "u": "late"}


async def test_under_a_filter_with_marks_it_is_the_row_under_the_cursor(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "slash", *"taken", "tab", "r")
        assert "2 conversations marked; this is the one under the cursor." in screen_text(app)
        await type_title(pilot, "new")
        await press(pilot, "enter")
        assert stored(path) == {**TITLES, "u": "new"}


async def test_from_the_lineage_it_is_that_part(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, "t")
        await press(pilot, "t", "g")
        node = tree(app).node
        assert node is not None
        assert node.id == "r"
        await press(pilot, "r")
        assert "rename this part" in screen_text(app)
        assert typed(app) == "scanner"
        await press(pilot, "2", "enter")
        assert stored(path) == {**TITLES, "r": "scanner2"}
        lineage = tree(app).lineage
        assert lineage is not None
        assert [one.title for one in lineage.nodes if one.id == "r"] == ["scanner2"]


async def test_a_store_that_stays_busy_leaves_all_as_it_was_and_the_text_where_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(screen: BrowserScreen) -> SessionDB:
        return SessionDB(screen.options.db_path, migrate=False, policy=WritePolicy(budget=0.5))

    monkeypatch.setattr(BrowserScreen, "_open_for_writing", impatient)
    async with renaming(path, "u") as (app, pilot):
        await type_title(pilot, "late")
        with other_process(path) as other:
            other.run("BEGIN IMMEDIATE")
            await pilot.press("enter")
            await until(pilot, lambda: "is busy" in verdict(app)[0])
            other.run("ROLLBACK")
        assert (typed(app), shown_title(app, "u"), stored(path)) == ("late", "taken", TITLES)
        await press(pilot, "enter")
        assert stored(path) == {**TITLES, "u": "late"}


async def test_keys_that_come_faster_than_the_dialog_are_its_keys(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, "u")
        for key in ("r", "d", "x", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: stored(path)["u"] == "takendx")
        await press(pilot)
        assert toasts(app) == ["Renamed to “takendx”. u undoes it."]
