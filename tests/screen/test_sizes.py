"""No size of the terminal raises, and at each of them one can choose and resume."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui import demo
from hermes_tui.app import BrowserApp
from hermes_tui.services.resume import Choice
from tests.support.browsing import BrowserPilot, browser, browsing, screen_text
from tests.support.on_screen import id_at_cursor, press, said, transcript, tree

STARTS = [
    (20, (5, 24)),
    (40, (5, 12, 60)),
    (69, (15, 24)),
    (70, (8, 16)),
    (100, (15, 40)),
    (150, (5, 45)),
    (200, (60,)),
]
SIZES = [
    (width, height)
    for width in (20, 27, 40, 59, 69, 70, 99, 100, 149, 150, 200)
    for height in (5, 8, 15, 16, 24, 60)
]


def visible_rows(app: BrowserApp) -> int:
    """Conversations that are really on the screen: the cursor's mark stands before one of them."""
    lines = screen_text(app).splitlines()
    assert sum(line.startswith("▸") for line in lines) == 1, screen_text(app)
    return len(browser(app).sessions.visible_entries())


async def resize(pilot: BrowserPilot, size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    await pilot.pause()


@pytest.mark.parametrize(("width", "heights"), STARTS)
async def test_starting_at_any_size_one_can_choose_and_resume(
    demo_store: Path, width: int, heights: tuple[int, ...]
) -> None:
    for height in heights:
        async with browsing(demo_store, size=(width, height), now=demo.NOW, demo=True) as (app, pilot):
            assert visible_rows(app) >= 1
            await press(pilot, "down", "down", "up")
            assert visible_rows(app) >= 1
            chosen = id_at_cursor(app)
            assert chosen == browser(app).finder.entries[1].id
            assert all(len(line) <= width for line in screen_text(app).splitlines())
            await press(pilot, "enter")
        assert app.return_value == Choice(str(chosen))


async def test_at_every_size_the_cursor_is_on_the_screen(demo_store: Path) -> None:
    async with browsing(demo_store, now=demo.NOW, demo=True) as (app, pilot):
        await press(pilot, *["down"] * 30)
        before = id_at_cursor(app)
        for size in SIZES:
            await resize(pilot, size)
            assert visible_rows(app) >= 1, size
            assert id_at_cursor(app) == before
        await press(pilot, "enter")
    assert app.return_value == Choice(str(before))


@pytest.mark.parametrize(
    ("state", "back"),
    [
        (tuple("docker"), ()),
        (("tab", "tab"), ("escape",)),
        (("tab", "t"), ("escape",)),
        (("tab", "question_mark"), ("escape",)),
        (("tab", "h"), ("escape",)),
    ],
)
async def test_resizing_in_any_state(demo_store: Path, state: tuple[str, ...], back: tuple[str, ...]) -> None:
    async with browsing(demo_store, now=demo.NOW, demo=True) as (app, pilot):
        await press(pilot, *["down"] * 4)
        await press(pilot, *state)
        before = id_at_cursor(app)
        for size in [*SIZES[::5], *reversed(SIZES[3::7]), (20, 5)]:
            await resize(pilot, size)
            assert app.focused is not None, size
        await press(pilot, *back)
        assert visible_rows(app) >= 1
        assert id_at_cursor(app) == before
        await press(pilot, "enter")
    assert app.return_value == Choice(str(before))


async def test_on_a_small_screen_the_panes_take_turns(demo_store: Path) -> None:
    async with browsing(demo_store, size=(40, 12), now=demo.NOW, demo=True) as (app, pilot):
        await press(pilot, *["down"] * 4)
        assert not transcript(app).region
        await press(pilot, "tab", "tab")
        assert transcript(app).has_focus
        assert transcript(app).region.size.width == 40
        assert transcript(app).region.size.height >= 10
        assert not browser(app).sessions.region
        assert said(app)
        await press(pilot, "escape")
        assert browser(app).sessions.has_focus
        assert visible_rows(app) >= 5
        await press(pilot, "t")
        assert tree(app).has_focus
        assert tree(app).region.size.width == 40
        assert "◂" in screen_text(app)
        await press(pilot, "enter")
        assert transcript(app).has_focus
        assert browser(app).detail.reading.part is not None
        await press(pilot, "backspace")
        assert tree(app).has_focus
        await press(pilot, "backspace")
        assert browser(app).detail.reading.part is None
        await press(pilot, "enter", "escape")
        assert browser(app).sessions.has_focus
        await press(pilot, "tab")
        assert transcript(app).has_focus


async def test_a_search_on_the_smallest_screen(demo_store: Path) -> None:
    async with browsing(demo_store, size=(20, 5), now=demo.NOW, demo=True) as (app, pilot):
        await press(pilot, *"docker")
        assert visible_rows(app) >= 1
        assert "docker" in screen_text(app)
        await press(pilot, *"zzz")
        assert "No match" in screen_text(app)
        await press(pilot, "escape", "enter")
    assert app.return_value is not None


async def test_a_focus_that_shrinks_away_is_not_lost(demo_store: Path) -> None:
    """The lineage has the focus where it stands beside the transcript, and then there is no room for it."""
    async with browsing(demo_store, size=(160, 45), now=demo.NOW, demo=True) as (app, pilot):
        await press(pilot, *["down"] * 4, "tab", "t")
        assert tree(app).has_focus
        for size in ((80, 24), (40, 12), (20, 5), (160, 45)):
            await resize(pilot, size)
            focused = browser(app).focused
            assert focused is not None, size
            assert focused.region, size
