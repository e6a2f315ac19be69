"""Leaving the browser: with a conversation, or with none after a question; half an arrow key is no Escape."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.services.resume import Choice
from tests.support.browsing import Started, browser, browsing
from tests.support.on_screen import press, toasts, until


async def test_enter_in_the_box_leaves_with_the_conversation(on_demo: Started) -> None:
    app, pilot = on_demo
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "enter")
    assert app.return_value == Choice(entry.id)


async def test_enter_in_the_list_leaves_with_the_conversation(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "j", "j")
    entry = browser(app).finder.entries[2]
    await press(pilot, "enter")
    assert app.return_value == Choice(entry.id)


async def test_escape_clears_leaves_and_asks_before_it_quits(
    on_demo: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.way_out.QUIT_AGAIN_SECONDS", 60)
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, *"docker")
    await press(pilot, "tab")
    await press(pilot, "escape")
    assert screen.box.value == ""
    assert screen.sessions.has_focus
    await press(pilot, "escape")
    assert screen.box.has_focus
    await pilot.press("escape")
    await pilot.pause()
    assert screen.keys.note == "Esc again to quit"
    assert app.is_running
    await pilot.press("escape")
    # It may still turn out to be half an arrow key.
    await until(pilot, lambda: not app.is_running)
    assert app.return_value is None


async def test_half_an_arrow_never_quits(on_demo: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    within = 2.0
    for room in ("app", "services.broken_arrows", "screens.way_out"):
        monkeypatch.setattr(f"hermes_tui.{room}.WITHIN_SECONDS", within)
    app, pilot = on_demo
    await pilot.press("escape", "escape", "left_square_bracket", "B")
    await until(pilot, lambda: browser(app).sessions.cursor == 1)
    await pilot.pause(within + 0.1)
    assert app.is_running


async def test_the_question_to_quit_goes_away(on_demo: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.screens.way_out.QUIT_AGAIN_SECONDS", 0.05)
    app, pilot = on_demo
    await pilot.press("escape")
    await until(pilot, lambda: browser(app).keys.note == "")
    await pilot.press("escape")
    await pilot.pause()
    assert app.is_running


@pytest.mark.parametrize("keys", [("ctrl+q",), ("tab", "q")])
async def test_quitting(on_demo: Started, keys: tuple[str, ...]) -> None:
    app, pilot = on_demo
    await pilot.press(*keys)
    await until(pilot, lambda: not app.is_running)
    assert app.return_value is None


async def test_r_in_the_demo_only_shows_the_command(on_demo: Started) -> None:
    app, pilot = on_demo
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "tab", "R")
    assert toasts(app) == [f"The demo only shows the command: hermes -p default --resume {entry.id}"]
    assert app.is_running


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_esc_is_called_by_what_it_does_next(path: Path, size: tuple[int, int]) -> None:
    async with browsing(path, size=size) as (app, pilot):
        assert "esc quit" in footer(app)
        assert "F1 help" in footer(app)
        await press(pilot, "a")
        assert "esc clear" in footer(app)
        await press(pilot, "escape")
        assert "esc quit" in footer(app)
        await press(pilot, "tab")
        assert "esc quit" not in footer(app)


async def test_at_40_columns_help_is_worth_more_than_esc(path: Path) -> None:
    async with browsing(path, size=(40, 12)) as (app, _):
        assert footer(app) == "↑↓ move   ↵ resume   F1 help"


def footer(app: BrowserApp) -> str:
    return str(browser(app).keys.render())
