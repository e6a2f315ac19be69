"""What is at hand in every pane: copying, help, the palette, reading the store again."""

from __future__ import annotations

import pytest
from textual.command import CommandList
from textual.widget import Widget

from hermes_tui.screens.help import HelpScreen
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import press, title_at_cursor, toasts
from tests.support.stores import BuildV11


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


async def test_every_pane_says_in_the_help_what_it_is(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab")
    panes = [widget for widget in app.screen.walk_children(Widget) if widget.can_focus]
    assert {pane.id for pane in panes} == {"search", "sessions", "notice", "transcript", "lineage"}
    for pane in panes:
        app.push_screen(HelpScreen(pane, app.marks))
        await settle(pilot)
        assert pane.HELP is not None, pane
        assert pane.HELP[:30] in screen_text(app), pane
        await press(pilot, "escape")


async def test_help_where_nothing_is_listed(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, *"zzzzzz", "tab", "question_mark")
    text = screen_text(app)
    assert "Why there is nothing to list" in text
    assert "Show or hide classes of conversations" in text


async def test_help_for_what_says_nothing_of_itself(on_demo: Started) -> None:
    app, pilot = on_demo
    pane = app.screen.query_one("#list-pane")
    assert pane.HELP is None
    app.push_screen(HelpScreen(pane, app.marks))
    await settle(pilot)
    assert "│ Here  " in screen_text(app)


async def test_the_palette_has_the_actions_of_the_pane(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab")
    commands = {command.title for command in app.get_system_commands(app.screen)}
    assert {
        "Resume this conversation",
        "Copy the resume command",
        "Lineage: show what it grew from",
        "Refresh: read the store again",
        "Quit: leave",
        "Theme",
    } <= commands
    await press(pilot, "ctrl+p")
    await press(pilot, *"copy the resume")
    await press(pilot, "enter")
    assert any(said.startswith("Copied: hermes") for said in toasts(app))


@pytest.mark.parametrize("keys", [(), ("tab",), ("tab", "tab")])
async def test_the_palette_has_what_the_list_can_do_wherever_the_focus_is(
    on_demo: Started, keys: tuple[str, ...]
) -> None:
    app, pilot = on_demo
    await press(pilot, *keys)
    titles = [command.title for command in app.get_system_commands(app.screen)]
    assert {
        "Rename: give it another title",
        "Delete, with a way back",
        "Archive, or take it back",
        "Export: write it to a file",
        "Pin to the top, or let it go",
        "Mark it for the next action, and move on",
        "Hidden: show or hide classes of conversations",
        "Sort by the next order",
    } <= set(titles)
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize(
    "word", ["export", "pin", "delete", "rename", "archive", "quit", "lineage", "hidden"]
)
async def test_the_palette_finds_an_action_by_the_word_of_the_footer(on_demo: Started, word: str) -> None:
    app, pilot = on_demo
    await press(pilot, "ctrl+p", *word)
    palette = app.screen.query_one(CommandList)
    assert palette.option_count
    assert word in str(palette.get_option_at_index(0).prompt).casefold()


async def test_the_palette_acts_on_the_row_from_the_search_box(on_demo: Started) -> None:
    app, pilot = on_demo
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "ctrl+p", *"mark it for the next", "enter")
    assert browser(app).sessions.marked == {entry.id}
    assert browser(app).focused is browser(app).box


async def test_the_palette_offers_nothing_where_there_is_nothing(build_v11: BuildV11) -> None:
    async with browsing(build_v11()) as (app, _):
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert "Delete, with a way back" not in titles
        assert "Archive, or take it back" not in titles
        assert "Mark it for the next action, and move on" not in titles
        assert "Quit: leave" in titles
