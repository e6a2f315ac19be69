"""Case 19 on the screen: order and counts come from the rows. (`-c` waits for its issue.)"""

from __future__ import annotations

from tests.cases.test_case_19_recency_and_counts_from_rows import SETUP
from tests.support.browsing import browser, browsing, row_of
from tests.support.on_screen import pane_lines, press, search_for, shown_ids
from tests.support.stores import BuildV11


async def test_order_and_counts(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        order = shown_ids(app)
        assert order[:2] == ["old", "empty"]
        assert sorted(order[2:4]) == ["new", "tie"]
        assert order[4:] == ["end"]
        for _ in range(3):
            await press(pilot, "f5")
            assert shown_ids(app) == order
        rows = {entry.id: row_of(app, entry) for entry in browser(app).finder.entries}
        counts = {id_: row.messages for id_, row in rows.items() if row is not None}
        assert counts == {"old": 1, "empty": 0, "new": 1, "tie": 1, "end": 2}
        drawn = [line.split()[-2] for line in pane_lines(app, "sessions")[1:6]]
        assert drawn == [str(counts[id_]) for id_ in order]


async def test_empty_ones_go_and_the_old_one_stays(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "-is:empty")
        assert set(shown_ids(app)) == {"old", "new", "tie", "end"}
        assert str(browser(app).box.border_subtitle) == "4 conversations · last active first"
