"""The cursor of the session list: what moves it, and on which conversation it stays while the list changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.events import MouseScrollDown

from hermes_tui.text.marks import UNICODE
from hermes_tui.widgets.session_list import SessionList
from tests.screen.bare_app import lines_of
from tests.screen.bare_list import entries, entry, shown


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        ("down", 1), ("j", 1), ("j j j up", 2), ("j j j k", 2), ("up", 0),
        ("pagedown", 9), ("pagedown pagedown pageup", 9), ("G", 99), ("end", 99), ("G g", 0), ("end home", 0),
        ("G down", 99),
    ],
)  # fmt: skip
async def test_keys_move_the_cursor(keys: str, cursor: int) -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        await pilot.press(*keys.split())
        await pilot.pause()
        assert sessions.cursor == cursor
        assert sessions.cursor_entry == entry(cursor)
        moved = app.take(SessionList.Moved)
        assert (moved[-1].entry if moved else None) == (entry(cursor) if keys != "up" else entry(0))
        assert sessions.render_line(1 + cursor - sessions.scroll_offset.y).text[0] == UNICODE.cursor


async def test_enter_chooses() -> None:
    async with shown(entries(3)) as (_, app, pilot):
        await pilot.press("j", "enter")
        assert [message.entry for message in app.take(SessionList.Chosen)] == [entry(1)]


async def test_an_empty_list_has_no_cursor_and_draws_nothing() -> None:
    async with shown([]) as (sessions, app, pilot):
        await pilot.press("down", "enter", "G", "pageup")
        assert sessions.cursor_entry is None
        assert sessions.current_row() is None
        assert app.take(SessionList.Chosen) == []
        assert lines_of(sessions) == [""] * 11


async def test_mouse() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        await pilot.click(SessionList, offset=(10, 0))
        assert sessions.cursor == 0
        await pilot.click(SessionList, offset=(10, 4))
        assert sessions.cursor == 3
        assert app.take(SessionList.Chosen) == []
        await pilot.click(SessionList, offset=(10, 6), times=2)
        assert [message.entry for message in app.take(SessionList.Chosen)] == [entry(5)]
        sessions._on_mouse_scroll_down(wheel())
        assert sessions.scroll_offset.y > 0
        assert sessions.cursor == 5


def wheel() -> Any:
    return MouseScrollDown(None, 5, 5, 0, 0, 0, False, False, False)


# --- where the cursor stays


@pytest.mark.parametrize(
    ("keep", "cursor"),
    [(None, 51), ("", 0), ("s10", 11), ("part of 20", 21), ("gone", 50)],
)
async def test_show_keeps_the_conversation(keep: str | None, cursor: int) -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        for _step in range(50):
            sessions.cursor_down()
        again = [entry(1000), *entries(100)]
        again[21] = entry(20, parts=("part of 20",))
        sessions.show(again, keep=keep)
        await pilot.pause()
        assert sessions.cursor == cursor


async def test_the_cursor_keeps_its_line_on_the_screen() -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        await pilot.press("G", *["k"] * 4)
        line = sessions.cursor - sessions.scroll_offset.y
        assert line == 5
        sessions.show([entry(1000), entry(1001), *entries(100)])
        assert (sessions.cursor, sessions.cursor - sessions.scroll_offset.y) == (97, 5)
        sessions.show(entries(100)[50:])
        assert (sessions.cursor, sessions.cursor - sessions.scroll_offset.y) == (45, 5)


async def test_at_the_top_what_is_new_is_seen() -> None:
    async with shown(entries(100)) as (sessions, _, pilot):
        sessions.show([entry(1000), *entries(100)])
        await pilot.pause()
        assert (sessions.scroll_offset.y, sessions.cursor_entry) == (0, entry(0))


async def test_a_list_that_was_scrolled_away_from_its_cursor_is_not_pulled_back() -> None:
    async with shown(entries(100)) as (sessions, _, _pilot):
        sessions.jump(60)
        sessions.show(entries(100))
        assert (sessions.scroll_offset.y, sessions.cursor) == (60, 0)


async def test_moved_is_told_once_for_another_conversation_and_not_for_the_same() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        app.take(SessionList.Moved)
        sessions.show(entries(50))
        await pilot.pause()
        assert app.take(SessionList.Moved) == []
        sessions.show(entries(50)[7:], keep="")
        await pilot.pause()
        assert [message.entry for message in app.take(SessionList.Moved)] == [entry(7)]
        sessions.show([])
        await pilot.pause()
        assert [message.entry for message in app.take(SessionList.Moved)] == [None]


async def test_the_cursor_stays_on_its_conversation_whatever_comes_and_goes() -> None:
    async with shown(entries(40)) as (sessions, _, _pilot):

        @settings(max_examples=60, deadline=None)
        @given(st.lists(st.integers(0, 60), unique=True, max_size=60), st.integers(-9, 9))
        def check(order: list[int], steps: int) -> None:
            for _step in range(abs(steps)):
                sessions.cursor_down() if steps > 0 else sessions.cursor_up()
            before = sessions.cursor_entry
            sessions.show([entry(number) for number in order])
            after = sessions.cursor_entry
            assert (after is None) == (not order)
            if before is not None and int(before.id[1:]) in order:
                assert after == before
            if after is not None:
                assert 0 <= sessions.cursor - sessions.scroll_offset.y < 10

        check()
