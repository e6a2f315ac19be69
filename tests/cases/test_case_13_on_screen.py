"""Case 13 on the screen: older, newer and partial schemas are browsed, and nothing of them is changed."""

from __future__ import annotations

import pytest

from tests.cases.test_case_13_any_schema_opens import TEXTS, TITLES, VARIANTS
from tests.support.browsing import browsing, titles
from tests.support.on_screen import pane_lines, press, search_for, shown_ids, toasts
from tests.support.stores import BuildV11, dump


@pytest.mark.parametrize("variant", sorted(VARIANTS))
async def test_it_is_listed_read_and_searched(variant: str, build_v11: BuildV11) -> None:
    path = build_v11(VARIANTS[variant])
    before, bytes_before = dump(path), path.read_bytes()
    async with browsing(path) as (app, pilot):
        assert titles(app) == [TITLES[variant] or "去年广西自驾"]
        lines = pane_lines(app, "transcript")
        assert [line.strip() for line in lines if line.strip()][1::2] == TEXTS[variant]
        await search_for(pilot, "广西")
        assert shown_ids(app) == ["s1"]
        assert [line.strip() for line in lines if line.strip()][1::2] == TEXTS[variant]
        await press(pilot, "tab", "s", "h", "escape", "f5", "ctrl+q")
    assert path.read_bytes() == bytes_before
    assert dump(path) == before


async def test_what_the_store_lacks_is_said_once(build_v11: BuildV11) -> None:
    async with browsing(build_v11(VARIANTS["C"])) as (app, _):
        (said,) = toasts(app)
        assert "The word index is missing: searches read the messages instead, which takes longer." in said
