"""Lists and transcripts are fitted to the room they have, also where Textual does not tell them of it.

While a layout coincides with scrolling, or something is shown that is hidden at that moment, no Resize event comes.
"""

from __future__ import annotations

import pytest
from textual.containers import Horizontal
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widgets import Static

from hermes_tui.widgets.line_view import LineView
from hermes_tui.widgets.session_list import SessionList
from hermes_tui.widgets.transcript import TranscriptView
from tests.screen.bare_app import BareApp
from tests.screen.bare_list import ListApp, entries
from tests.screen.bare_transcript import of, talk


class Fitted(LineView):
    """Notes every room it is fitted to."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms: list[Size] = []

    def fit(self) -> None:
        self.rooms.append(self.scrollable_content_region.size)


async def rested(pilot: Pilot[None]) -> None:
    """Wait until what was asked for is laid out, and what that asks for is too."""
    for _ in range(5):
        await pilot.pause()


async def laid_out_as_scrolling_does(pilot: Pilot[None]) -> None:
    """What a scroll does, and then whoever asks for a size before the layout: the map has the new sizes already."""
    screen = pilot.app.screen
    screen._compositor.reflow_visible(screen, screen.size)
    assert screen._compositor.full_map
    await rested(pilot)


@pytest.mark.parametrize("told", [True, False])
async def test_it_is_fitted_once_for_each_room(told: bool) -> None:
    view, beside = Fitted(), Static("beside")
    view.styles.width, beside.styles.width = "1fr", 20
    async with BareApp(Horizontal(view, beside)).run_test(size=(60, 12)) as pilot:
        await rested(pilot)
        assert view.rooms == [Size(39, 12)]
        for shown_beside in (False, True):
            beside.display = shown_beside
            if not told:
                await laid_out_as_scrolling_does(pilot)
            await rested(pilot)
        view.refresh(layout=True)
        await rested(pilot)
        assert [room.width for room in view.rooms] == [39, 59, 39]


@pytest.mark.parametrize("told", [True, False])
async def test_rows_that_came_while_the_list_was_hidden_are_asked_for(told: bool) -> None:
    app = ListApp(view := SessionList(now=lambda: 0.0))
    async with app.run_test(size=(80, 12)) as pilot:
        await rested(pilot)
        view.display = False
        await rested(pilot)
        view.show(entries(3))
        await rested(pilot)
        assert app.take(SessionList.Wanted) == []
        view.display = True
        if not told:
            await laid_out_as_scrolling_does(pilot)
        await rested(pilot)
        (wanted,) = app.take(SessionList.Wanted)
        assert wanted.details == tuple(entries(3))


@pytest.mark.parametrize("again", [False, True])
async def test_rows_that_came_between_hiding_and_the_next_layout(again: bool) -> None:
    app = ListApp(view := SessionList(now=lambda: 0.0))
    async with app.run_test(size=(80, 12)) as pilot:
        await rested(pilot)
        if again:
            view.show(entries(3))
            await rested(pilot)
            app.take(SessionList.Wanted)
        view.display = False
        screen = app.screen
        screen._compositor.reflow_visible(screen, screen.size)
        if again:
            view.outdate()
        else:
            view.show(entries(3))
        view.display = True
        await laid_out_as_scrolling_does(pilot)
        assert [wanted.details for wanted in app.take(SessionList.Wanted)] == [tuple(entries(3))]


async def test_a_transcript_is_wrapped_anew() -> None:
    view, beside = TranscriptView(), Static("beside")
    view.styles.width, beside.styles.width = "1fr", 20
    beside.display = False
    async with BareApp(Horizontal(view, beside)).run_test(size=(60, 12)) as pilot:
        await rested(pilot)
        view.show(of(*talk(1, 3)))
        await rested(pilot)
        beside.display = True
        await laid_out_as_scrolling_does(pilot)
        assert not view.is_to_be_arranged
        assert view.text_width == 36
