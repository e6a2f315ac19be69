"""Typing faster than a store answers: every letter shows at once, and no older answer follows a newer one."""

from __future__ import annotations

from collections.abc import Iterator
from threading import current_thread, main_thread

import pytest

from hermes_tui.screens.finder import Finder
from hermes_tui.services.store_worker import StoreWorker
from tests.support.browsing import browser, settle
from tests.support.on_screen import shown_ids, until
from tests.support.slow_store import Slowed, SlowStore, slow_store
from tests.support.stores import BuildV11

WORD = "kubernetes"
TALK = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000003,'first'),('s2','cli',1780000002,'second');
UPDATE sessions SET estimated_cost_usd = 1;
INSERT INTO messages(session_id,role,content,timestamp) VALUES('s1','user','kubernetes',1780000003),
('s2','user','kubes',1780000002);
"""
EVERY_CALL = {"search", "count_matches", "listing", "details", "excerpts", "transcript"}


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    with slow_store(build_v11(TALK), monkeypatch) as store:
        yield store


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words whose answers were shown, in that order."""
    words: list[str] = []
    found = Finder.found

    def noted(finder: Finder, answer: StoreWorker.Found) -> bool:
        accepted = found(finder, answer)
        if accepted:
            words.append(answer.query.text)
        return accepted

    monkeypatch.setattr(Finder, "found", noted)
    return words


@pytest.mark.parametrize("letters_an_answer", [1, 2, 3, len(WORD)])
async def test_no_answer_is_older_than_the_one_before(
    on_slow: Slowed, shown: list[str], letters_an_answer: int
) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    for number, letter in enumerate(WORD, start=1):
        await pilot.press(letter)
        assert browser(app).box.value == WORD[:number]
        if number % letters_an_answer == 0 and store.calls:
            # It answers what was asked some letters ago, deaf to having been cancelled.
            store.let_go(store.calls[-1])
    store.let_go()
    await settle(pilot)
    assert shown[-1] == WORD
    assert shown == sorted(shown, key=len)
    assert len(set(shown)) == len(shown)
    assert shown_ids(app) == ["s1"]


async def test_no_letter_waits_for_any_call(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = EVERY_CALL
    for number, letter in enumerate(WORD, start=1):
        await pilot.press(letter)
        assert browser(app).box.value == WORD[:number]
    await until(pilot, lambda: store.calls)
    assert all(call.thread is not main_thread() for call in store.calls)
    assert current_thread() is main_thread()


async def test_what_a_filter_needs_is_learnt_while_its_value_is_typed(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"learning"}
    await pilot.press(*"cost:")
    await until(pilot, lambda: store.calls)
    await pilot.press(*"<9 ", *WORD)
    # Nothing of it has come, and nobody waits for it.
    await until(pilot, lambda: shown_ids(app) == ["s1"])
    store.let_go()
    await settle(pilot)
    assert [call.arguments[0] for call in store.calls] == ["cost"]


async def test_a_key_that_asks_nothing_of_all_conversations_is_not_learnt(on_slow: Slowed) -> None:
    store, _, pilot = on_slow
    store.held = {"learning"}
    await pilot.press(*"title:x has:parent http:")
    await settle(pilot)
    assert store.calls == []
