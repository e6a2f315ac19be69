"""Which lines of the session list are drawn again, and when."""

from __future__ import annotations

from typing import Any

import pytest
from textual.geometry import Region

from hermes_tui.widgets.session_list import SessionList
from tests.screen.bare_app import lines_of
from tests.screen.bare_list import NOW, ListApp, details, entries, shown


async def test_one_step_draws_two_lines_and_details_draw_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(entries(100)) as (sessions, _, _pilot):
        sessions.put(details(f"s{n}") for n in range(20))
        lines_of(sessions)
        drawn: list[tuple[int, int]] = []

        def refresh(*regions: Region, **_more: Any) -> None:
            drawn.extend((region.y, region.height) for region in regions or (Region(0, 0, 80, 11),))

        monkeypatch.setattr(sessions, "refresh", refresh)
        sessions.cursor_down()
        assert drawn == [(1, 1), (2, 1)]
        drawn.clear()
        sessions.put([details("s4", "Short"), details("s90")])
        assert drawn == [(5, 1)]


async def test_times_grow_old() -> None:
    moment = [NOW]
    sessions = SessionList(lambda: moment[0])
    async with ListApp(sessions).run_test(size=(80, 4)) as pilot:
        await pilot.pause()
        sessions.show(entries(1))
        sessions.put([details("s0")])
        assert "2h ago" in lines_of(sessions)[1]
        moment[0] += 3600
        sessions._repaint()
        assert "3h ago" in lines_of(sessions)[1]
