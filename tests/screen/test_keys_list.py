"""What keys and mouse do in the list and from the search box: moving, ordering, showing what is hidden."""

from __future__ import annotations

from hermes_tui.services.resume import Choice
from storage import HiddenClass, Sort
from tests.support.browsing import Started, browser, row_of, screen_text, settle
from tests.support.on_screen import press


async def test_arrows_in_the_box_move_in_the_list(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "down", "down")
    assert browser(app).sessions.cursor == 2
    await press(pilot, "up")
    assert browser(app).sessions.cursor == 1
    assert browser(app).box.has_focus
    await press(pilot, "pagedown")
    assert browser(app).sessions.cursor > 5
    await press(pilot, "pageup", "pageup")
    assert browser(app).sessions.cursor == 0


async def test_every_printable_key_in_the_box_is_text(on_demo: Started) -> None:
    app, pilot = on_demo
    await pilot.press("d", "q", "h", "s", "t", "R", "j", "slash", "question_mark", "G")
    assert browser(app).box.value == "dqhstRj/?G"
    assert app.is_running


async def test_list_keys_move(on_demo: Started) -> None:
    app, pilot = on_demo
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


async def test_the_mouse_clicks_and_double_clicks(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await pilot.click("#sessions", offset=(10, 3))
    await settle(pilot)
    assert screen.sessions.has_focus
    assert screen.sessions.cursor == 2
    await pilot.click("#sessions", offset=(10, 4), times=2)
    await settle(pilot)
    assert app.return_value == Choice(screen.finder.entries[3].id)


async def test_s_goes_through_the_orders(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab")
    seen = []
    for _ in Sort:
        await press(pilot, "s")
        seen.append(browser(app).finder.sort)
    assert seen == [Sort.STARTED, Sort.TITLE, Sort.MESSAGES, Sort.TOKENS, Sort.COST, Sort.ACTIVE]


async def test_sorting_by_messages_puts_the_longest_first(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "s", "s", "s", "g")
    rows = [row_of(app, e) for e in browser(app).finder.entries[:12]]
    counts = [row.messages for row in rows if row is not None and not row.pinned]
    assert counts == sorted(counts, reverse=True)
    assert "by messages" in screen_text(app)


async def test_h_shows_a_hidden_class_and_hides_it_again(on_demo: Started) -> None:
    app, pilot = on_demo
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


async def test_h_can_be_left_without_changing_anything(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "h", "a", "escape")
    assert browser(app).finder.show == frozenset()


async def test_a_in_the_hidden_menu_ticks_all(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "h", "a", "enter")
    assert browser(app).finder.show == frozenset(HiddenClass)
