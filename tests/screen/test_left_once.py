"""What stands over the browser is left once, and takes itself away, never another: whatever is typed, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.screens.actions.delete_dialog import DeleteDialog
from hermes_tui.screens.dialog import LeftOnce
from hermes_tui.screens.export_dialog import ExportDialog
from hermes_tui.screens.palette import Palette
from hermes_tui.screens.rename import RenameDialog
from hermes_tui.services.export_job import ExportJob
from storage import StoreBusy
from tests.support.acting import ids, rows
from tests.support.browsing import BrowserPilot, browser, browsing, settle
from tests.support.on_screen import press, toasts, until
from tests.support.other_process import other_process
from tests.support.walking import key_of

OPENED_BY = {"help": "f1", "hidden": "h", "delete": "d", "rename": "r", "export": "e", "palette": "ctrl+p"}


async def typed_at_once(app: BrowserApp, pilot: BrowserPilot, *keys: str) -> None:
    """Keys that are all there before the first of them is handled."""
    for key in keys:
        app.post_message(key_of(key))
    await settle(pilot)


def standing(app: BrowserApp) -> list[str]:
    return [type(screen).__name__ for screen in app.screen_stack]


@pytest.mark.parametrize("what", OPENED_BY)
async def test_a_storm_of_esc_leaves_it_and_no_more(path: Path, what: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", OPENED_BY[what])
        assert len(app.screen_stack) == 2
        await typed_at_once(app, pilot, "escape", "escape")
        assert standing(app) == ["BrowserScreen"]
        assert app.is_running
    assert ids(path) == ["a", "b1", "b2", "branch", "c", "d", "sub"]


@pytest.mark.parametrize("what", OPENED_BY)
async def test_opened_and_left_before_it_stands(path: Path, what: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await typed_at_once(app, pilot, OPENED_BY[what], "pagedown", "pageup", "down", "escape", "escape")
        await until(pilot, lambda: standing(app) == ["BrowserScreen"])
        assert app.is_running
    assert ids(path) == ["a", "b1", "b2", "branch", "c", "d", "sub"]


@pytest.mark.parametrize("what", OPENED_BY)
async def test_what_says_so_twice_is_heard_once(path: Path, what: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", OPENED_BY[what])
        dialog = app.screen
        assert isinstance(dialog, LeftOnce)
        dialog.dismiss(None)
        dialog.dismiss(None)
        await settle(pilot)
        dialog.dismiss(None)
        await settle(pilot)
        assert standing(app) == ["BrowserScreen"]


@pytest.mark.parametrize("what", [name for name in OPENED_BY if name != "palette"])
async def test_what_ends_below_another_screen_goes_when_that_one_does(path: Path, what: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", OPENED_BY[what])
        below = app.screen
        assert isinstance(below, LeftOnce)
        await press(pilot, "ctrl+p")
        below.dismiss(None)
        await settle(pilot)
        assert isinstance(app.screen, Palette)
        await press(pilot, "escape")
        await until(pilot, lambda: standing(app) == ["BrowserScreen"])


@pytest.mark.parametrize("what", ["delete", "rename", "export"])
async def test_an_answer_that_comes_while_it_goes_is_drawn_nowhere(path: Path, what: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", OPENED_BY[what])
        dialog = app.screen
        assert isinstance(dialog, DeleteDialog | RenameDialog | ExportDialog)
        await dialog.remove_children()
        dialog.dismiss(None)
        dialog._draw()
        if isinstance(dialog, ExportDialog):
            dialog._progressed(ExportJob.Progressed(1, 2))
        await settle(pilot)
        assert standing(app) == ["BrowserScreen"]


async def test_enter_typed_behind_enter_runs_one_command(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "ctrl+p", *"archive, or")
        await until(pilot, lambda: isinstance(app.screen, Palette) and app.screen._list_visible)
        await typed_at_once(app, pilot, "enter", "enter", "enter")
        await until(pilot, lambda: rows(path, "SELECT id FROM sessions WHERE archived"))
        await settle(pilot)
        assert standing(app) == ["BrowserScreen"]
        assert browser(app).is_current
        assert toasts(app) == ["Archived “alpha” (u undoes, h shows)."]
    assert ids(path, "archived") == ["a"]


async def test_a_title_that_is_written_below_the_palette_is_answered(path: Path) -> None:
    with other_process(path) as other:
        async with browsing(path) as (app, pilot):
            await press(pilot, "tab", "r", "x")
            other.run("BEGIN IMMEDIATE")
            await pilot.press("enter")
            await until(pilot, lambda: browser(app).lane.busy)
            await pilot.press("ctrl+p")
            await until(pilot, lambda: isinstance(app.screen, Palette))
            other.run("COMMIT")
            await settle(pilot)
            assert isinstance(app.screen, Palette)
            await press(pilot, "escape")
            await until(pilot, lambda: standing(app) == ["BrowserScreen"])
            assert toasts(app) == ["Renamed to “alphax”. u undoes it."]


async def test_a_refusal_below_the_palette_stands_in_the_dialog(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "r", "ctrl+p")
        dialog = app.screen_stack[1]
        assert isinstance(dialog, RenameDialog)
        browser(app).acting._renaming._refused(dialog, StoreBusy(path))
        await press(pilot, "escape")
        assert standing(app) == ["BrowserScreen", "RenameDialog"]
        assert toasts(app) == []
        await press(pilot, "escape")


@pytest.mark.parametrize(("what", "leaves"), [("rename", "x"), ("export", "")])
async def test_enter_that_comes_behind_esc_writes_nothing(path: Path, what: str, leaves: str) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", OPENED_BY[what], *leaves)
        dialog = app.screen
        assert isinstance(dialog, LeftOnce)
        dialog.dismiss(None)
        enter = {"rename": "_enter", "export": "action_export"}[what]
        getattr(dialog, enter)()
        await settle(pilot)
        assert standing(app) == ["BrowserScreen"]
    assert rows(path, "SELECT title FROM sessions WHERE id = 'a'") == [("alpha",)]
    assert list(Path.cwd().glob("*.md")) == []
