"""What is at hand in every pane: copying, help, the palette, reading the store again."""

from __future__ import annotations

import pytest

from tests.support.browsing import Started, browser, screen_text
from tests.support.on_screen import press, title_at_cursor, toasts


async def test_y_copies_the_command_and_shift_y_the_id(
    on_demo: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = on_demo
    copied: list[str] = []
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "tab", "y")
    assert toasts(app) == [f"Copied: hermes -p default --resume {entry.id}"]
    await press(pilot, "Y")
    assert toasts(app) == [f"Copied: {entry.id}"]
    assert copied == [f"hermes -p default --resume {entry.id}", entry.id]


async def test_f5_reads_the_store_again(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, "down", "down")
    before = screen.finder.listing
    here = title_at_cursor(app)
    await press(pilot, "f5")
    assert screen.finder.listing is not before
    assert title_at_cursor(app) == here


@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_help_lists_the_keys_of_the_pane(on_demo: Started, key: str) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", key)
    text = screen_text(app)
    assert "Resume this conversation" in text
    assert "Show or hide classes of conversations" in text
    await press(pilot, "end")
    assert "Marks" in screen_text(app)
    await press(pilot, "escape")
    assert app.screen is browser(app)


async def test_the_palette_has_the_actions_of_the_pane(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab")
    commands = {command.title for command in app.get_system_commands(app.screen)}
    assert {
        "Resume this conversation",
        "Copy the resume command",
        "Show what it grew from",
        "Read the store again",
        "Leave",
        "Theme",
    } <= commands
    await press(pilot, "ctrl+p")
    await press(pilot, *"copy the resume")
    await press(pilot, "enter")
    assert any(said.startswith("Copied: hermes") for said in toasts(app))
