"""Case 18 on the screen: a limit comes after the filtering, beside twenty thousand hidden children."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cases.test_case_18_limit_after_filtering import SETUP, THREE
from tests.support.browsing import Started, browser, browsing, screen_text
from tests.support.on_screen import press, search_for, shown_ids
from tests.support.stores import BuildV11


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


@pytest.fixture
async def started(path: Path) -> AsyncIterator[Started]:
    async with browsing(path, limit=20) as (app, pilot):
        yield app, pilot


async def test_three_rows_three_counted_and_the_rest_named(started: Started) -> None:
    app, pilot = started
    assert shown_ids(app) == THREE
    assert str(browser(app).box.border_subtitle) == "3 conversations · last active first"
    assert "hidden 20,000 subagent" in screen_text(app)
    await press(pilot, "tab", "G")
    assert browser(app).sessions.cursor == 2
    assert shown_ids(app) == THREE


async def test_the_filter_finds_the_one_that_is_shown(started: Started) -> None:
    app, pilot = started
    await search_for(pilot, "needle")
    assert shown_ids(app) == ["root3"]
    assert str(browser(app).box.border_subtitle).startswith("1 of 3 conversations · ")


async def test_a_filter_of_titles_leaves_the_same_one(started: Started) -> None:
    app, pilot = started
    await search_for(pilot, "title:needle")
    assert shown_ids(app) == ["root3"]
    assert str(browser(app).box.border_subtitle) == "1 conversation · last active first"


async def test_the_children_are_shown_when_they_are_asked_for(started: Started) -> None:
    app, pilot = started
    await search_for(pilot, "is:subagent")
    assert shown_ids(app) == [f"child{n}" for n in range(20_000, 19_980, -1)]
    assert str(browser(app).box.border_subtitle) == "20 of 20,000 conversations · last active first"


async def test_the_limit_is_kept_with_the_children_shown(path: Path) -> None:
    async with browsing(path, limit=20) as (app, pilot):
        await press(pilot, "tab", "h", "down", "down", "space", "enter")
        assert shown_ids(app) == [f"child{n}" for n in range(20_000, 19_980, -1)]
        assert str(browser(app).box.border_subtitle) == "20 of 20,003 conversations · last active first"
        await press(pilot, "G")
        assert browser(app).sessions.cursor == 19


async def test_without_a_limit_the_last_one_is_reached(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "h", "a", "enter", "G")
        assert browser(app).sessions.cursor == 20_002
        row = browser(app).sessions.current_row()
        assert row is not None
        assert row.title == "one"
