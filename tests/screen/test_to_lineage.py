"""`t` before the family is known: it waits for it, and never speaks of the conversation before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from storage import SessionDB, StoreError
from tests.support.acting import FAMILY
from tests.support.browsing import browser, settle
from tests.support.on_screen import id_at_cursor, toasts, tree, until
from tests.support.slow_store import Slowed, SlowStore, slow_store
from tests.support.stores import BuildV11


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    with slow_store(build_v11(FAMILY), monkeypatch) as store:
        yield store


async def test_it_goes_there_once_the_relatives_have_come(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await pilot.press("tab")
    store.held = {"lineage"}
    await pilot.press("j", "t")
    await until(pilot, lambda: store.calls)
    assert (id_at_cursor(app), toasts(app)) == ("b2", [])
    assert browser(app).sessions.has_focus
    store.let_go()
    await until(pilot, lambda: tree(app).has_focus)
    assert [line.id for line in tree(app).lineage.nodes] == ["b1", "branch", "b2", "sub"]  # type: ignore[union-attr]
    assert toasts(app) == []


async def test_it_does_not_go_to_the_relatives_of_the_conversation_before(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await pilot.press("tab", "j", "j")
    await settle(pilot)
    assert browser(app).has_class("-relatives")
    store.held = {"lineage"}
    await pilot.press("j", "t")
    await until(pilot, lambda: store.calls)
    assert (id_at_cursor(app), browser(app).sessions.has_focus) == ("c", True)
    store.let_go()
    await until(pilot, lambda: toasts(app))
    assert toasts(app) == ["This conversation has no relatives."]
    assert browser(app).sessions.has_focus


async def test_whoever_has_gone_on_meanwhile_is_left_alone(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    await pilot.press("tab")
    store.held = {"lineage"}
    await pilot.press("j", "t")
    await until(pilot, lambda: store.calls)
    await pilot.press("G")
    store.let_go()
    await settle(pilot)
    assert (id_at_cursor(app), browser(app).sessions.has_focus, toasts(app)) == ("d", True, [])


@pytest.mark.parametrize("asked", [True, False], ids=["asked for", "of itself"])
async def test_relatives_that_cannot_be_read_are_news_to_whoever_waits_for_them(
    on_slow: Slowed, monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    store, app, pilot = on_slow
    await pilot.press("tab")
    store.held = {"lineage"}
    await pilot.press("j", *["t"] * asked)
    await until(pilot, lambda: store.calls)

    def unreadable(*_: object, **__: object) -> None:
        raise StoreError("The relatives cannot be read.")

    monkeypatch.setattr(SessionDB, "lineage", unreadable)
    store.let_go()
    await settle(pilot)
    assert toasts(app) == ["The relatives cannot be read."] * asked
    assert browser(app).sessions.has_focus
