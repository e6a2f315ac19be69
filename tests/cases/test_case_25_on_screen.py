"""Case 25 on the screen: Z is deleted from the list, not before it is confirmed; a middle part goes alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cases.test_case_25_delete_a_parent import ROWS
from tests.support.acting import dialog_text, ids, rows
from tests.support.browsing import Started, browsing
from tests.support.on_screen import press, put_cursor_on, search_for, shown_ids, toasts, tree
from tests.support.stores import BuildV11, dump


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


@pytest.fixture
async def started(store: Path) -> AsyncIterator[Started]:
    async with browsing(store) as (app, pilot):
        assert shown_ids(app) == ["c", "z"]
        yield app, pilot


async def test_cancel_then_confirm(started: Started, store: Path) -> None:
    app, pilot = started
    before = dump(store)
    await put_cursor_on(app, pilot, "z")
    await press(pilot, "tab", "d")
    name, going, staying = dialog_text(app).splitlines()[:3]
    assert (name, staying) == ("Z", "Nothing else is touched.")
    assert going.startswith("1 message · ")
    await press(pilot, "escape")
    assert dump(store) == before
    await press(pilot, "d", "y")
    assert ids(store) == ["a", "b", "c"]
    assert shown_ids(app) == ["c"]
    assert toasts(app) == ["Deleted “Z”, 1 message; u brings it back."]


async def test_the_middle_of_a_chain(started: Started, store: Path) -> None:
    app, pilot = started
    await press(pilot, "tab", "t", "g", "j")
    node = tree(app).node
    assert node is not None
    assert node.id == "b"
    await press(pilot, "d")
    name, going, staying = dialog_text(app).splitlines()[:3]
    assert name == "B"
    assert going.startswith("1 message · ")
    assert staying == "The 2 other parts of the conversation stay; what continued this one stands alone then."
    await press(pilot, "y")
    assert rows(store, "SELECT id, parent_session_id FROM sessions ORDER BY id") == [
        ("a", None),
        ("c", None),
        ("z", None),
    ]
    assert shown_ids(app) == ["c", "z", "a"]
    await press(pilot, "slash")
    await search_for(pilot, "wordb")
    assert shown_ids(app) == []
    await press(pilot, "escape", "tab", "u")
    assert rows(store, "SELECT id, parent_session_id FROM sessions ORDER BY id") == [
        ("a", None),
        ("b", "a"),
        ("c", "b"),
        ("z", None),
    ]
    assert shown_ids(app) == ["c", "z"]
