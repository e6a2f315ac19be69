"""What is typed brings its answers with the cursor on the first of them, unless it was moved since."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.acting import FAMILY, FLAGS
from tests.support.browsing import browser, browsing, settle
from tests.support.on_screen import id_at_cursor, press, shown_ids, until
from tests.support.slow_store import slow_store
from tests.support.stores import BuildV11

MANY = "".join(
    f"INSERT INTO sessions(id, source, title, started_at) VALUES ('n{n:02}', 'cli', 'note {n:02}', {1779000000 + n});"
    for n in range(60)
)
WORDS = """INSERT INTO messages(session_id, role, content, timestamp)
 SELECT id, 'user', 'has after source is', started_at FROM sessions WHERE id IN ('n05', 'd');
UPDATE sessions SET archived = 1 WHERE id IN ('c', 'n03');"""


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(FAMILY + FLAGS + MANY + WORDS)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("after:2026-05-01", "a"),
        ("has:parent", "branch"),
        ("source:cli", "a"),
        ("is:archived", "c"),
        ("-source:cron", "a"),
    ],
)
async def test_a_filter_alone_begins_at_its_top(path: Path, words: str, first: str) -> None:
    async with browsing(path, size=(100, 20)) as (app, pilot):
        for letter in words:
            # Letter by letter each has its answer: the half-typed word is looked for in the texts.
            await press(pilot, letter)
        assert shown_ids(app)[0] == first
        assert id_at_cursor(app) == first
        assert browser(app).sessions.scroll_offset.y == 0


async def test_a_step_that_was_taken_before_the_answer_counts_from_its_top(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slow_store(path, monkeypatch) as store:
        async with browsing(path) as (app, pilot):
            await press(pilot, *"source:cl")
            store.held.add("listing")
            await pilot.press("i", "down", "down")
            await until(pilot, lambda: store.calls)
            store.let_go()
            await settle(pilot)
            assert id_at_cursor(app) == shown_ids(app)[2]


async def test_who_has_moved_since_stays_when_the_list_is_read_again(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, *"source:cli", "down", "down")
        at = id_at_cursor(app)
        assert at == shown_ids(app)[2]
        await press(pilot, "space", "f5")
        assert id_at_cursor(app) == at


async def test_who_looks_at_a_conversation_goes_on_looking_when_the_words_go(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, *"note 30", "tab")
        assert id_at_cursor(app) == "n30"
        await press(pilot, "escape", "escape")
        assert browser(app).box.value == ""
        assert id_at_cursor(app) == "n30"
