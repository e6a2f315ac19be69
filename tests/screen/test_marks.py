"""Marks: set with Space, Shift and the arrows, A and the mouse; bound to conversations; counted on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from tests.support.acting import FAMILY, ORDER, marked
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import id_at_cursor, press, search_for, shown_ids, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11


def rows_with_marks(app: BrowserApp) -> list[str]:
    """First words of the rows that bear a mark on the screen."""
    lines = screen_text(app).splitlines()[5:]
    return [line[3:].split("  ")[0] for line in lines if line[1:2] == "●" and not line.startswith("│")]


async def test_space_marks_and_moves_on(started: Started) -> None:
    app, pilot = started
    await press(pilot, "space", "space")
    assert marked(app) == ["a", "b2"]
    assert id_at_cursor(app) == "branch"
    assert rows_with_marks(app) == ["alpha", "beta #2"]


async def test_space_takes_a_mark_away_again(started: Started) -> None:
    app, pilot = started
    await press(pilot, "space", "up", "space")
    assert marked(app) == []
    assert id_at_cursor(app) == "b2"


async def test_on_the_last_row_space_marks_and_stays(started: Started) -> None:
    app, pilot = started
    await press(pilot, "G", "space")
    assert marked(app) == ["d"]
    assert id_at_cursor(app) == "d"


async def test_shift_and_arrows_mark_as_they_pass(started: Started) -> None:
    app, pilot = started
    await press(pilot, "shift+down", "shift+down")
    assert marked(app) == ["a", "b2"]
    assert id_at_cursor(app) == "branch"
    await press(pilot, "shift+up")
    assert marked(app) == ["a"]
    assert id_at_cursor(app) == "b2"
    await press(pilot, "shift+up")
    assert marked(app) == []
    assert id_at_cursor(app) == "a"


async def test_shift_and_an_arrow_takes_back_only_what_it_has_just_marked(started: Started) -> None:
    app, pilot = started
    await press(pilot, "j", "space", "k", "k", "shift+down", "shift+down", "shift+up", "shift+up")
    assert marked(app) == ["b2"]
    await press(pilot, "shift+down", "j", "shift+up")
    assert marked(app) == ["b2", "a", "branch"]
    assert id_at_cursor(app) == "b2"


async def test_at_the_last_row_shift_takes_back_step_by_step(started: Started) -> None:
    app, pilot = started
    await press(pilot, "G", "k", "shift+down", "shift+down")
    assert marked(app) == ["c", "d"]
    await press(pilot, "shift+up")
    assert (marked(app), id_at_cursor(app)) == (["c"], "d")
    await press(pilot, "shift+up")
    assert (marked(app), id_at_cursor(app)) == ([], "c")


async def test_a_click_on_the_marks_column_marks_and_one_with_control_anywhere(started: Started) -> None:
    app, pilot = started
    await pilot.click("#sessions", offset=(1, 2))
    await settle(pilot)
    assert marked(app) == ["b2"]
    await pilot.click("#sessions", offset=(20, 4), control=True)
    await settle(pilot)
    assert marked(app) == ["b2", "c"]
    await pilot.click("#sessions", offset=(20, 5))
    await settle(pilot)
    assert marked(app) == ["b2", "c"]
    assert id_at_cursor(app) == "d"


async def test_in_the_search_box_space_and_a_are_text(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "w", "space", "A")
        assert browser(app).box.value == "w A"
        assert marked(app) == []


async def test_all_that_match_then_none(started: Started) -> None:
    app, pilot = started
    await press(pilot, "A")
    assert marked(app) == ORDER
    assert "5 marked · 5 conversations" in screen_text(app)
    await press(pilot, "A")
    assert marked(app) == []
    assert "marked" not in screen_text(app)


async def test_all_again_leaves_the_marks_that_are_elsewhere(started: Started) -> None:
    app, pilot = started
    await press(pilot, "space", "slash")
    await search_for(pilot, "source:telegram")
    await press(pilot, "tab", "A")
    assert marked(app) == ["a", "c"]
    await press(pilot, "A")
    assert marked(app) == ["a"]


async def test_all_adds_what_is_missing_before_it_takes_away(started: Started) -> None:
    app, pilot = started
    await press(pilot, "j", "space", "A")
    assert sorted(marked(app)) == sorted(ORDER)


async def test_all_of_a_filter_alone(started: Started) -> None:
    app, pilot = started
    await press(pilot, "slash")
    await search_for(pilot, "source:telegram")
    await press(pilot, "tab", "A")
    assert marked(app) == ["c"]


async def test_marks_survive_filtering_and_say_how_many_are_elsewhere(started: Started) -> None:
    app, pilot = started
    await press(pilot, "space", "G", "space", "slash")
    assert marked(app) == ["a", "d"]
    await search_for(pilot, "delta")
    assert shown_ids(app) == ["d"]
    assert "2 marked, 1 not in this list · 1 of 5 conversations" in screen_text(app)
    await press(pilot, "escape")
    assert shown_ids(app) == ORDER
    assert marked(app) == ["a", "d"]
    assert rows_with_marks(app) == ["alpha", "delta"]


async def test_esc_leaves_the_marks_alone(started: Started) -> None:
    app, pilot = started
    await press(pilot, "space", "escape", "escape")
    assert marked(app) == ["a"]


async def test_all_of_a_search_that_stopped_early(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.finding.index.SLICE", 100)
    monkeypatch.setattr("storage.finding.routes.NEWEST_FIRST", 0)
    monkeypatch.setattr("storage.finding.routes.NEWEST_WHOLE", 0)
    many = "".join(
        f"INSERT INTO sessions(id, source, started_at) VALUES ('m{n:04}', 'cli', {1780001000 + n});"
        for n in range(300)
    )
    many += """INSERT INTO messages(session_id, role, content, timestamp)
        SELECT id, 'user', 'needle', started_at FROM sessions WHERE id LIKE 'm0%';"""
    path = build_v11(FAMILY + many)
    async with browsing(path, size=(100, 20)) as (app, pilot):
        await search_for(pilot, "needle")
        first = browser(app).finder.result
        assert first is not None
        assert not first.exhausted
        await press(pilot, "tab", "A")
        assert len(marked(app)) == 300
        assert "300 marked · 300 of 305 conversations" in screen_text(app)
        await press(pilot, "A")
        assert marked(app) == []


async def test_all_with_a_limit_are_those_on_show(path: Path) -> None:
    async with browsing(path, limit=2) as (app, pilot):
        await press(pilot, "tab", "A")
        assert marked(app) == ["a", "b2"]


async def test_on_a_low_screen_the_footer_counts(path: Path) -> None:
    async with browsing(path, size=(60, 12)) as (app, pilot):
        await press(pilot, "tab", "space", "space")
        assert screen_text(app).splitlines()[-1].endswith("2 marked")


async def test_a_mark_goes_away_with_its_conversation(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    monkeypatch.setattr("storage.finding.listing.FULL_READING_SECONDS", 0)
    with other_process(path) as other:
        async with browsing(path) as (app, pilot):
            await press(pilot, "tab", "space", "G", "space")
            assert marked(app) == ["a", "d"]
            other.run("DELETE FROM messages WHERE session_id = 'a'")
            other.run("DELETE FROM sessions WHERE id = 'a'")
            await until(pilot, lambda: "a" not in shown_ids(app))
            await until(pilot, lambda: "a" not in marked(app))
            assert marked(app) == ["d"]


async def test_a_mark_follows_its_conversation_to_a_new_live_tip(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    monkeypatch.setattr("storage.finding.listing.FULL_READING_SECONDS", 0)
    with other_process(path) as other:
        async with browsing(path) as (app, pilot):
            await press(pilot, "tab", "space")
            other.run("UPDATE sessions SET end_reason = 'compression' WHERE id = 'a'")
            other.run(
                "INSERT INTO sessions(id, source, started_at, parent_session_id) VALUES ('a2', 'cli', 1780000502, 'a')"
            )
            other.say("a2", "goes on", 1780000503)
            await until(pilot, lambda: marked(app) == ["a2"])
            await settle(pilot)
            assert shown_ids(app)[0] == "a2"
            assert rows_with_marks(app) != []
