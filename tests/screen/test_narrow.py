"""No width and no height breaks what opens over the browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui import demo
from tests.support.browsing import browsing, screen_text, settle
from tests.support.on_screen import search_for
from tests.support.stores import CopyStore

OPENING = {
    "hidden": ("tab", "h"),
    "palette": ("ctrl+p",),
    "palette found": ("ctrl+p", "l"),
    "help": ("f1",),
    "toast": ("tab", "Y"),
    "search": ("d", "o"),
}


@pytest.mark.parametrize("opening", OPENING.values(), ids=OPENING)
async def test_any_size(opening: tuple[str, ...], copy_store: CopyStore) -> None:
    async with browsing(copy_store("state-v23.db"), size=(80, 24)) as (_, pilot):
        await pilot.press(*opening)
        await settle(pilot)
        for width in (*range(1, 14), 17, 22, 30, 1, 200, 7):
            await pilot.resize_terminal(width, 10)
            await pilot.pause()
        for height in (*range(1, 8), 11, 1):
            await pilot.resize_terminal(5, height)
            await pilot.pause()


@pytest.mark.parametrize("width", [1, 2, 4, 6, 7, 12])
@pytest.mark.parametrize("opening", OPENING.values(), ids=OPENING)
async def test_opened_where_it_is_narrow(opening: tuple[str, ...], width: int, copy_store: CopyStore) -> None:
    async with browsing(copy_store("state-v23.db"), size=(width, 10)) as (_, pilot):
        await pilot.press(*opening)
        await settle(pilot)


async def test_in_the_help_what_a_key_does_goes_on_below_itself(copy_store: CopyStore) -> None:
    async with browsing(copy_store("state-v23.db"), size=(40, 24)) as (app, pilot):
        await pilot.press("tab", "question_mark")
        await settle(pilot)
        lines = [line.strip(" │╭╮─▁▂▃▄▅▆▇█").rstrip() for line in screen_text(app).splitlines()]
        at = lines.index("↑ k         The conversation")
        assert lines[at + 1] == "above"
        assert screen_text(app).splitlines()[at + 1].index("above") == screen_text(app).splitlines()[
            at
        ].index("The")


async def test_what_was_ignored_is_said_where_the_box_has_no_frame(demo_path: Path) -> None:
    async with browsing(demo_path, now=demo.NOW, size=(40, 12)) as (app, pilot):
        await search_for(pilot, "docker after:gestern")
        assert screen_text(app).rstrip().endswith("without: after:gestern 10/57")
