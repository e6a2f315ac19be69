"""Every key of the browser does what the help says, wherever the focus is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui import demo
from hermes_tui.app import BrowserApp
from hermes_tui.services.broken_arrows import WITHIN_SECONDS
from hermes_tui.services.resume import Choice
from storage import HiddenClass, Sort
from tests.support.browsing import BrowserPilot, browser, browsing, row_of, screen_text, settle
from tests.support.on_screen import until

Started = tuple[BrowserApp, BrowserPilot]


@pytest.fixture
async def started(demo_store: Path) -> AsyncIterator[Started]:
    """The browser on the demo, 120×40, settled."""
    async with browsing(demo_store, now=demo.NOW, demo=True) as (app, pilot):
        yield app, pilot


def title_at_cursor(app: BrowserApp) -> str:
    row = browser(app).sessions.current_row()
    assert row is not None
    return row.title


async def press(pilot: BrowserPilot, *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


async def test_the_search_box_has_the_focus_at_the_start(started: Started) -> None:
    app, _ = started
    assert browser(app).box.has_focus
    assert title_at_cursor(app) == "weekly report"


async def test_arrows_in_the_box_move_in_the_list(started: Started) -> None:
    app, pilot = started
    await press(pilot, "down", "down")
    assert browser(app).sessions.cursor == 2
    await press(pilot, "up")
    assert browser(app).sessions.cursor == 1
    assert browser(app).box.has_focus
    await press(pilot, "pagedown")
    assert browser(app).sessions.cursor > 5
    await press(pilot, "pageup", "pageup")
    assert browser(app).sessions.cursor == 0


async def test_every_printable_key_in_the_box_is_text(started: Started) -> None:
    app, pilot = started
    await pilot.press("d", "q", "h", "s", "t", "R", "j", "slash", "question_mark", "G")
    assert browser(app).box.value == "dqhstRj/?G"
    assert app.is_running


async def test_enter_in_the_box_leaves_with_the_conversation(started: Started) -> None:
    app, pilot = started
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "enter")
    assert app.return_value == Choice(entry.id)


async def test_enter_in_the_list_leaves_with_the_conversation(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "j", "j")
    entry = browser(app).finder.entries[2]
    await press(pilot, "enter")
    assert app.return_value == Choice(entry.id)


async def test_list_keys_move(started: Started) -> None:
    app, pilot = started
    sessions = browser(app).sessions
    await press(pilot, "tab")
    assert sessions.has_focus
    await press(pilot, "j", "j", "k", "down")
    assert sessions.cursor == 2
    await press(pilot, "G")
    assert sessions.cursor == len(browser(app).finder.entries) - 1
    await press(pilot, "g")
    assert sessions.cursor == 0
    await press(pilot, "end")
    assert sessions.cursor == len(browser(app).finder.entries) - 1
    await press(pilot, "home")
    assert sessions.cursor == 0


async def test_slash_goes_to_the_search_box(started: Started) -> None:
    app, pilot = started
    for pane in (1, 2):
        await press(pilot, *["tab"] * pane)
        assert not browser(app).box.has_focus
        await press(pilot, "slash")
        assert browser(app).box.has_focus
    assert browser(app).box.value == ""


async def test_tab_walks_the_panes_and_back(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, *["down"] * 4)
    assert title_at_cursor(app) == "Fix Docker Build #3"
    seen = []
    for _ in range(4):
        await press(pilot, "tab")
        seen.append(screen.focused.id if screen.focused else None)
    assert seen == ["sessions", "transcript", "lineage", "search"]
    await press(pilot, "shift+tab")
    assert screen.detail.relatives.has_focus


async def test_tab_leaves_out_a_lineage_that_is_not_there(started: Started) -> None:
    app, pilot = started
    assert not browser(app).has_class("-relatives")
    await press(pilot, "tab", "tab", "tab")
    assert browser(app).box.has_focus


async def test_escape_clears_leaves_and_asks_before_it_quits(started: Started) -> None:
    app, pilot = started
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
    await pilot.pause(WITHIN_SECONDS + 0.1)
    assert app.return_value is None
    assert not app.is_running


async def test_half_an_arrow_never_quits(started: Started) -> None:
    app, pilot = started
    await pilot.press("escape", "escape", "left_square_bracket", "B")
    await pilot.pause(WITHIN_SECONDS + 0.1)
    assert app.is_running
    assert browser(app).sessions.cursor == 1


async def test_the_question_to_quit_goes_away(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.screens.way_out.QUIT_AGAIN_SECONDS", 0.05)
    app, pilot = started
    await pilot.press("escape")
    await pilot.pause(0.2)
    assert browser(app).keys.note == ""
    await pilot.press("escape")
    await pilot.pause()
    assert app.is_running


@pytest.mark.parametrize("keys", [("ctrl+q",), ("tab", "q")])
async def test_quitting(started: Started, keys: tuple[str, ...]) -> None:
    app, pilot = started
    await pilot.press(*keys)
    await pilot.pause()
    assert app.return_value is None
    assert not app.is_running


async def test_y_copies_the_command_and_shift_y_the_id(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    copied: list[str] = []
    monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "tab", "y")
    assert [n.message for n in app._notifications] == [f"Copied: hermes -p default --resume {entry.id}"]
    await press(pilot, "Y")
    assert [n.message for n in app._notifications] == [f"Copied: {entry.id}"]
    assert copied == [f"hermes -p default --resume {entry.id}", entry.id]


async def test_s_goes_through_the_orders(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab")
    seen = []
    for _ in Sort:
        await press(pilot, "s")
        seen.append(browser(app).finder.sort)
    assert seen == [Sort.STARTED, Sort.TITLE, Sort.MESSAGES, Sort.TOKENS, Sort.COST, Sort.ACTIVE]


async def test_sorting_by_messages_puts_the_longest_first(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "s", "s", "s", "g")
    rows = [row_of(app, e) for e in browser(app).finder.entries[:12]]
    counts = [row.messages for row in rows if row is not None and not row.pinned]
    assert counts == sorted(counts, reverse=True)
    assert "by messages" in screen_text(app)


async def test_h_shows_a_hidden_class_and_hides_it_again(started: Started) -> None:
    app, pilot = started
    finder = browser(app).finder
    before = len(finder.entries)
    assert finder.listing is not None
    archived = finder.listing.hidden[HiddenClass.ARCHIVED]
    assert archived == 4
    await press(pilot, "tab", "h", "space", "enter")
    assert finder.show == {HiddenClass.ARCHIVED}
    assert len(finder.entries) == before + archived
    await press(pilot, "h", "space", "h")
    assert finder.show == frozenset()
    assert len(finder.entries) == before


async def test_h_can_be_left_without_changing_anything(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "h", "a", "escape")
    assert browser(app).finder.show == frozenset()


async def test_a_in_the_hidden_menu_ticks_all(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "h", "a", "enter")
    assert browser(app).finder.show == frozenset(HiddenClass)


async def test_t_shows_the_lineage_or_says_that_there_is_none(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "t")
    assert [n.message for n in app._notifications] == ["This conversation has no relatives."]
    await press(pilot, *["down"] * 4)
    await press(pilot, "t")
    assert browser(app).detail.relatives.has_focus
    await press(pilot, "t")
    assert browser(app).sessions.has_focus


async def test_lineage_enter_shows_a_part_and_backspace_goes_back(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "t", "up", "up")
    node = screen.detail.relatives.node
    assert node is not None
    assert node.title == "read the logs"
    await press(pilot, "enter")
    assert screen.detail.reading.part == node.id
    assert "read the logs · subagent" in screen_text(app)
    await press(pilot, "backspace")
    assert screen.detail.reading.node is None
    assert screen.detail.relatives.has_focus
    await press(pilot, "backspace")
    assert screen.sessions.has_focus


async def test_lineage_says_that_hermes_goes_on_with_the_tip(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "t")
    assert screen.keys.note == ""
    await press(pilot, "g")
    assert screen.keys.note == "Hermes continues the live tip"
    await press(pilot, "escape")
    assert screen.keys.note == ""


@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_help_lists_the_keys_of_the_pane(started: Started, key: str) -> None:
    app, pilot = started
    await press(pilot, "tab", key)
    text = screen_text(app)
    assert "Resume this conversation" in text
    assert "Show or hide classes of conversations" in text
    await press(pilot, "end")
    assert "Marks" in screen_text(app)
    await press(pilot, "escape")
    assert app.screen is browser(app)


async def test_r_in_the_demo_only_shows_the_command(started: Started) -> None:
    app, pilot = started
    entry = browser(app).sessions.cursor_entry
    assert entry is not None
    await press(pilot, "tab", "R")
    assert [n.message for n in app._notifications] == [
        f"The demo only shows the command: hermes -p default --resume {entry.id}"
    ]
    assert app.is_running


async def test_f5_reads_the_store_again(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, "down", "down")
    before = screen.finder.listing
    here = title_at_cursor(app)
    await press(pilot, "f5")
    assert screen.finder.listing is not before
    assert title_at_cursor(app) == here


async def test_the_palette_has_the_actions_of_the_pane(started: Started) -> None:
    app, pilot = started
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
    assert any(n.message.startswith("Copied: hermes") for n in app._notifications)


async def test_transcript_keys_move(started: Started) -> None:
    app, pilot = started
    view = browser(app).detail.transcript
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab")
    assert view.has_focus
    end = view.scroll_offset.y
    await press(pilot, "up", "k")
    assert view.scroll_offset.y == end - 2
    await press(pilot, "down", "j")
    assert view.scroll_offset.y == end
    await press(pilot, "K")
    above = view.scroll_offset.y
    assert above < end
    await press(pilot, "J")
    assert view.scroll_offset.y > above
    await press(pilot, "pageup")
    assert view.scroll_offset.y < end
    await press(pilot, "g")
    assert view.scroll_offset.y == 0
    await press(pilot, "G")
    assert view.scroll_offset.y > 0


async def test_g_in_the_transcript_loads_the_earlier_messages(started: Started) -> None:
    app, pilot = started
    view = browser(app).detail.transcript
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab")
    assert "earlier messages" not in screen_text(app)
    await press(pilot, "g")
    assert view.scroll_offset.y == 0
    assert "The docker build of the shop image fails on CI" in screen_text(app).split("\n", 12)[-1]


async def test_tools_and_reasoning_are_shown_when_asked_for(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab", "T")
    with_tools = screen_text(app)
    await press(pilot, "T")
    assert with_tools != screen_text(app)
    await press(pilot, "I")
    await press(pilot, "I")


async def test_n_walks_the_matches(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, *"docker")
    position, total = screen.detail.transcript.match_position()
    assert total > 1
    assert f"{position} of {total}" in screen_text(app)
    await press(pilot, "tab", "tab", "N")
    before = screen.detail.transcript.match_position()
    await press(pilot, "n")
    assert screen.detail.transcript.match_position() != before


async def test_the_mouse_clicks_and_double_clicks(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await pilot.click("#sessions", offset=(10, 3))
    await settle(pilot)
    assert screen.sessions.has_focus
    assert screen.sessions.cursor == 2
    await pilot.click("#sessions", offset=(10, 4), times=2)
    await settle(pilot)
    assert app.return_value == Choice(screen.finder.entries[3].id)


async def test_enter_in_the_transcript_shows_long_messages_whole(started: Started) -> None:
    app, pilot = started
    await press(pilot, "tab", "tab")
    assert "and we are try …" in screen_text(app)
    await press(pilot, "enter")
    assert "and we are try …" not in screen_text(app)
    await press(pilot, "enter")
    assert "and we are try …" in screen_text(app)


async def test_clearing_a_search_from_another_pane_keeps_the_conversation(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, *"docker")
    await press(pilot, "tab", "t")
    assert screen.detail.relatives.has_focus
    await press(pilot, "escape")
    assert screen.box.value == ""
    assert title_at_cursor(app) == "Fix Docker Build #3"
    assert screen.detail.relatives.has_focus


async def test_a_pane_that_goes_away_gives_the_focus_to_the_list(started: Started) -> None:
    app, pilot = started
    screen = browser(app)
    await press(pilot, "tab", *["j"] * 4)
    await press(pilot, "t")
    screen.sessions.first()
    await settle(pilot)
    assert not screen.has_class("-relatives")
    await until(pilot, lambda: screen.sessions.has_focus)
