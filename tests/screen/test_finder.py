"""What was asked last is what is shown, whenever the answers come; keys act in the order they were typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste

from hermes_tui.app import BrowserApp
from hermes_tui.screens.browser import FOLLOW_SECONDS
from hermes_tui.services.resume import Choice
from storage import Edge, SessionQuery, Transcript
from tests.support.browsing import browser, browsing, options_for, row_of, settle, titles
from tests.support.on_screen import id_at_cursor, pane_lines, said, shown_ids, transcript, until
from tests.support.other_process import other_process
from tests.support.real_terminal import browser_in_terminal
from tests.support.slow_store import Call, Slowed, SlowStore, slow_store
from tests.support.stores import BuildV11

ALPHA = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000003,'dq notes'),
('s2','cli',1780000002,'alpha'),('s3','cli',1780000001,'beta'),('s4','cli',1780000000,'alphabet');
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','talk of '||title,started_at FROM sessions;
"""
MANY = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<400)
INSERT INTO sessions(id,source,started_at,title) SELECT 'id'||i,'cli',1780000000-i,'title of id'||i FROM n;
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','talk of '||id,started_at FROM sessions;
"""


@pytest.fixture
def store(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    with slow_store(build_v11(ALPHA), monkeypatch) as store:
        yield store


@pytest.fixture
def many(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    with slow_store(build_v11(MANY), monkeypatch) as store:
        yield store


def words_of(call: Call) -> str:
    """What a held search is for."""
    query = call.arguments[0]
    assert isinstance(query, SessionQuery)
    return query.text


async def test_an_older_answer_never_follows_a_newer_one(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press("b")
    await until(pilot, lambda: store.calls)
    await pilot.press(*"eta")
    (older,) = store.calls
    assert older.cancel is not None
    assert older.cancel.cancelled
    store.let_go(older)
    await until(pilot, lambda: len(store.calls) == 2)
    # The letters between them were never looked for, and the first answer is of no use any more.
    newer = store.calls[1]
    assert words_of(newer) == "beta"
    assert newer.cancel is not None
    assert not newer.cancel.cancelled
    assert shown_ids(app) == []
    store.let_go(newer)
    await settle(pilot)
    assert shown_ids(app) == ["s3"]
    assert titles(app) == ["beta"]


async def test_clearing_the_box_stops_the_search_and_keeps_its_answer_out(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press("d")
    await until(pilot, lambda: store.calls)
    await pilot.press("escape")
    (call,) = store.calls
    assert call.cancel is not None
    assert call.cancel.cancelled
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == ["s1", "s2", "s3", "s4"]


async def test_the_list_before_stays_until_the_answer_comes(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    before = pane_lines(app, "sessions")
    await pilot.press(*"beta")
    await pilot.pause(0.4)
    assert pane_lines(app, "sessions") == before
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == ["s3"]


async def test_keys_work_while_every_call_hangs(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"listing", "details", "search", "excerpts", "transcript"}
    await pilot.press("f5", "down", "down")
    assert id_at_cursor(app) == "s3"
    await pilot.press(*"xyz")
    assert browser(app).box.value == "xyz"
    await pilot.press("escape")
    assert browser(app).box.value == ""
    await pilot.press("tab", "j", "question_mark")
    assert id_at_cursor(app) == "s4"
    assert app.screen is not browser(app)
    await pilot.press("escape", "g", "h", "escape", "s", "enter")
    assert app.return_value == Choice("s1")


async def test_enter_behind_the_last_letter_resumes_what_this_letter_brings(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press(*"beta", "enter")
    await until(pilot, lambda: store.calls)
    assert app.return_value is None
    store.let_go()
    await until(pilot, lambda: app.return_value)
    assert app.return_value == Choice("s3")


async def test_steps_before_the_answer_are_steps_in_it(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press(*"alpha", "down", "enter")
    await until(pilot, lambda: store.calls)
    store.let_go()
    await until(pilot, lambda: app.return_value)
    assert app.return_value == Choice("s4")


async def test_steps_before_a_filtered_list_are_made_once(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"listing"}
    app.post_message(Paste("source:cli"))
    await until(pilot, lambda: store.calls)
    await pilot.press("down")
    assert id_at_cursor(app) == "s2"
    store.let_go()
    await settle(pilot)
    assert id_at_cursor(app) == "s2"


async def test_typing_on_takes_the_enter_back(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press(*"alph", "enter", "a")
    await until(pilot, lambda: store.calls)
    store.let_go()
    await settle(pilot)
    assert app.return_value is None
    assert shown_ids(app) == ["s2", "s4"]


AT_THE_START = [
    (b"\x1b[B\r", "s2"),
    (b"\x1b[B\x1b[B\x1b[A\r", "s2"),
    (b"alphabet\r", "s4"),
    (b"alpha\x1b[B\r", "s4"),
    (b"xx\x7f\x7fbeta\r", "s3"),
]
LATER = [(b"\tjj\r", "s3"), (b"\tj/alphab\r", "s4"), (b"\tG/\x1b[A\r", "s3")]


@pytest.mark.parametrize(
    ("shown", "written", "chosen"),
    [
        *(("Search every message", *keys) for keys in AT_THE_START),
        *(("▸  dq notes", *keys) for keys in (*AT_THE_START, *LATER)),
    ],
)
def test_keys_of_one_write_act_in_order(
    build_v11: BuildV11, tmp_path: Path, shown: str, written: bytes, chosen: str
) -> None:
    output = tmp_path / "output"
    with (
        output.open("wb") as stdout,
        browser_in_terminal(build_v11(ALPHA), "--print", stdout=stdout.fileno()) as terminal,
    ):
        terminal.wait_for(shown)
        terminal.type(written)
        assert terminal.wait() == 0
    assert output.read_text() == f"{chosen}\n"


async def test_rows_that_come_late_land_in_their_lines(many: SlowStore) -> None:
    async with browsing(many.path) as (app, pilot):
        many.held = {"details"}
        await pilot.press("tab", *["pagedown"] * 6)
        await until(pilot, lambda: many.calls)
        await pilot.press(*["pagedown"] * 6, "G")
        many.let_go(many.calls[0])
        await until(pilot, lambda: len(many.calls) == 2)
        assert many.calls[1].arguments[0][-1].id == "id400"
        many.let_go()
        for key in ("end", "pageup", "pageup", "g", "pagedown"):
            await pilot.press(key)
            await settle(pilot)
            entries = browser(app).sessions.visible_entries()
            lines = pane_lines(app, "sessions")[1 : len(entries) + 1]
            assert [line[3:].split("  ")[0] for line in lines] == [
                f"title of {entry.id}" for entry in entries
            ]


async def test_a_transcript_that_comes_late_is_not_shown(
    on_slow: Slowed, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, app, pilot = on_slow
    store.held = {"transcript"}
    await pilot.press("down")
    await until(pilot, lambda: len(store.calls) == 1)
    await pilot.press("down")
    await pilot.pause(2 * FOLLOW_SECONDS)
    # The words on the screen are still those of the first conversation, and so is the title.
    assert said(app).endswith("talk of dq notes")
    assert str(transcript(app).border_title).startswith("dq notes")
    shown: list[tuple[str, ...]] = []
    show = transcript(app).show

    def noting(read: Transcript, *rest: Any, **more: Any) -> None:
        shown.append(read.parts)
        show(read, *rest, **more)

    monkeypatch.setattr(transcript(app), "show", noting)
    store.let_go()
    await settle(pilot)
    assert shown == [("s3",)]
    assert said(app).endswith("talk of beta")
    assert str(transcript(app).border_title).startswith("beta")


async def test_excerpts_of_an_older_search_are_not_shown_in_a_newer_one(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"excerpts"}
    await pilot.press("t")
    await until(pilot, lambda: store.calls)
    await pilot.press(*"alk beta")
    await until(pilot, lambda: shown_ids(app) == ["s3"])
    store.let_go(store.calls[0])
    await until(pilot, lambda: len(store.calls) == 2)
    assert "s3" not in browser(app).sessions.known._excerpts
    store.let_go()
    await settle(pilot)
    excerpt = browser(app).sessions.known._excerpts["s3"]
    assert excerpt is not None
    assert [excerpt.text[start:end] for start, end in excerpt.spans] == ["talk", "beta"]


async def test_a_search_is_not_begun_anew_by_every_write(on_slow: Slowed) -> None:
    store, app, pilot = on_slow
    store.held = {"search"}
    await pilot.press("a")
    await until(pilot, lambda: store.calls)
    for _ in range(3):
        browser(app).finder.changed(reordered=False)
    await pilot.pause(0.05)
    assert [call.name for call in store.calls] == ["search"]
    store.let_go()
    await settle(pilot)
    assert shown_ids(app) == ["s2", "s4"]


@pytest.mark.parametrize("words", ["alpha", "source:cli alpha", "source:cli "])
async def test_what_is_typed_before_the_store_is_open_is_found_afterwards(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    with slow_store(build_v11(ALPHA), monkeypatch) as store:
        store.held = {"first page"}
        app = BrowserApp(options_for(store.path))
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press(*words)
            await settle(pilot)
            found = ["s2", "s4"] if "alpha" in words else ["s1", "s2", "s3", "s4"]
            assert shown_ids(app) == found


async def test_rows_of_what_a_conversation_was_are_asked_for_again(
    on_slow: Slowed, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, app, pilot = on_slow
    monkeypatch.setattr("storage.finding.listing.FULL_READING_SECONDS", 0.0)
    with other_process(store.path) as other:
        other.run(
            "UPDATE sessions SET parent_session_id = 's1', model_config = '{\"_branched_from\":1}' WHERE id = 's4'"
        )
    store.held = {"listing"}
    browser(app).worker.poll()
    await until(pilot, lambda: store.calls)
    await pilot.pause(0.1)
    store.let_go()
    await settle(pilot)
    row = row_of(app, browser(app).finder.entries[3])
    assert row is not None
    assert row.edge is Edge.BRANCH
    assert "alphabet (branch)" in pane_lines(app, "sessions")[4]
