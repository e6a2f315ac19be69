"""What other processes write appears by itself, and the person stays where they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.app import BrowserApp
from storage import SessionDB
from tests.support.browsing import BrowserPilot, browser, browsing, row_of, screen_text, settle, titles
from tests.support.on_screen import (
    id_at_cursor,
    pane_text,
    press,
    put_cursor_on,
    said,
    search_for,
    shown_ids,
    toasts,
    transcript,
    tree,
    until,
)
from tests.support.other_process import OtherProcess, other_process
from tests.support.stores import NOW, BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000004,'one'),
('s2','cli',1780000003,'two'),('s3','cli',1780000002,'three'),('s4','cli',1780000001,'four');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<40)
INSERT INTO messages(session_id,role,content,timestamp)
SELECT id, iif(i % 2, 'user', 'assistant'), 'line '||i||' of '||title, started_at FROM sessions, n ORDER BY id DESC, i;
"""

Started = tuple[BrowserApp, BrowserPilot, OtherProcess]
in_both_journals = pytest.mark.parametrize("journal", ["wal", "delete"])


@pytest.fixture
def journal() -> str:
    return "wal"


@pytest.fixture
def path(journal: str, build_v11: BuildV11) -> Path:
    return build_v11(f"{ROWS} PRAGMA journal_mode={journal};")


@pytest.fixture
def other(path: Path) -> Iterator[OtherProcess]:
    with other_process(path) as process:
        yield process


@pytest.fixture
async def started(path: Path, other: OtherProcess, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Started]:
    """A browser that looks all the time, and beside it somebody who writes."""
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.02)
    monkeypatch.setattr("storage.finding.listing.FULL_READING_SECONDS", 0.0)
    async with browsing(path) as (app, pilot):
        assert shown_ids(app) == ["s1", "s2", "s3", "s4"]
        yield app, pilot, other


@in_both_journals
async def test_a_message_moves_its_row_up_and_the_cursor_stays_on_its_session(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s2")
    other.say("s3", "somebody says more", 1780001000)
    await until(pilot, lambda: shown_ids(app) == ["s3", "s1", "s2", "s4"])
    assert id_at_cursor(app) == "s2"
    assert "line 40 of two" in said(app)
    await until(pilot, lambda: [row.messages for row in map_rows(app)] == [41, 40, 40, 40])


async def test_the_row_under_the_cursor_moves_with_the_cursor_on_it(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s4")
    other.say("s4", "somebody says more", 1780001000)
    await until(pilot, lambda: shown_ids(app)[:1] == ["s4"])
    assert id_at_cursor(app) == "s4"
    assert browser(app).sessions.cursor == 0


@in_both_journals
async def test_a_transcript_at_its_end_follows(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s2")
    other.say("s2", "the newest words", 1780001000)
    await until(pilot, lambda: said(app).endswith("the newest words"))
    other.say("s2", "and an answer", 1780001001, "assistant")
    await until(pilot, lambda: said(app).endswith("and an answer"))


async def test_a_transcript_that_is_being_read_stays(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s2")
    await press(pilot, "tab", "tab", "g")
    assert "line 1 of two" in said(app)
    before = pane_text(app, "transcript")
    other.say("s2", "the newest words", 1780001000)
    await until(pilot, lambda: shown_ids(app)[:1] == ["s2"])
    await settle(pilot)
    assert pane_text(app, "transcript") == before
    await press(pilot, "G")
    assert said(app).endswith("the newest words")


async def test_a_new_session_appears_above_the_cursor(started: Started) -> None:
    app, pilot, other = started
    other.begin("new", "just begun", 1780002000)
    other.say("new", "hello from somewhere", 1780002001)
    await until(pilot, lambda: titles(app)[:1] == ["just begun"])
    assert id_at_cursor(app) == "s1"
    assert browser(app).sessions.cursor == 1
    assert "5 conversations" in screen_text(app)


@in_both_journals
async def test_a_rename_and_an_end_are_seen(started: Started) -> None:
    app, pilot, other = started
    other.run("UPDATE sessions SET title = 'one by another name' WHERE id = 's1'")
    await until(pilot, lambda: titles(app)[:1] == ["one by another name"])
    await until(pilot, lambda: "╭─ one by another name · cli" in screen_text(app))
    other.run("UPDATE sessions SET ended_at = ?, end_reason = 'agent_close' WHERE id = 's4'", NOW - 10)
    await until(pilot, lambda: [row.ended_at for row in map_rows(app)] == [None, None, None, NOW - 10])
    assert id_at_cursor(app) == "s1"


@in_both_journals
async def test_a_deleted_session_goes_and_the_cursor_keeps_its_place(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s3")
    for id_ in ("s1", "s3"):
        other.run("DELETE FROM messages WHERE session_id = ?", id_)
        other.run("DELETE FROM sessions WHERE id = ?", id_)
        await until(pilot, lambda: id_ not in shown_ids(app))  # noqa: B023
    assert shown_ids(app) == ["s2", "s4"]
    await settle(pilot)
    assert id_at_cursor(app) == "s4"
    assert "line 40 of four" in said(app)
    assert toasts(app) == []


async def test_the_last_sessions_go_and_others_come(started: Started) -> None:
    app, pilot, other = started
    other.run("DELETE FROM messages")
    other.run("DELETE FROM sessions")
    await until(pilot, lambda: "No sessions yet" in screen_text(app))
    other.begin("new", "just begun", 1780002000)
    await until(pilot, lambda: "▸  just begun" in screen_text(app))
    assert browser(app).box.has_focus


async def test_a_compression_goes_on_in_the_same_row(started: Started) -> None:
    app, pilot, other = started
    await put_cursor_on(app, pilot, "s2")
    other.run("UPDATE sessions SET ended_at = 1780000900, end_reason = 'compression' WHERE id = 's2'")
    other.run(
        "INSERT INTO sessions(id, source, started_at, title, parent_session_id)"
        " VALUES ('s2b', 'cli', 1780000901, 'two #2', 's2')"
    )
    other.say("s2b", "words after it", 1780000902)
    await until(pilot, lambda: shown_ids(app) == ["s2b", "s1", "s3", "s4"])
    await until(pilot, lambda: said(app).endswith("words after it"))
    assert id_at_cursor(app) == "s2b"
    assert "context compressed here" in said(app)
    await until(pilot, lambda: tree(app).lineage is not None and len(nodes(app)) == 2)


async def test_new_hits_join_a_search(started: Started) -> None:
    app, pilot, other = started
    await search_for(pilot, "zebra")
    assert shown_ids(app) == []
    other.say("s3", "a zebra", 1780001000)
    await until(pilot, lambda: shown_ids(app) == ["s3"])
    await until(pilot, lambda: said(app).endswith("a zebra"))
    other.say("s1", "another zebra", 1780001001)
    await until(pilot, lambda: shown_ids(app) == ["s1", "s3"])
    await settle(pilot)
    assert id_at_cursor(app) == "s3"
    assert transcript(app).match_position() == (1, 1)
    assert browser(app).finder.hit_labels() == {"s1": "1", "s3": "1"}


async def test_a_part_that_is_being_read_stays(started: Started) -> None:
    app, pilot, other = started
    other.run(
        "UPDATE sessions SET parent_session_id = 's1', model_config = '{\"_branched_from\":\"s1\"}' WHERE id = 's4'"
    )
    await until(pilot, lambda: len(nodes(app)) == 2)
    await press(pilot, "tab", "t", "down", "enter")
    assert "four · branch · cli" in screen_text(app)
    other.say("s1", "more", 1780001000)
    await until(pilot, lambda: next(row.messages for row in map_rows(app)) == 41)
    await settle(pilot)
    assert "four · branch · cli" in screen_text(app)
    assert "line 40 of four" in said(app)


@in_both_journals
async def test_nothing_is_read_while_nothing_changes(
    path: Path, other: OtherProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 0.01)
    async with browsing(path) as (app, pilot):
        other.begin("new", "just begun", 1780002000)
        await until(pilot, lambda: len(shown_ids(app)) == 5)
        await settle(pilot)
        called: list[str] = []
        ran: list[str] = []
        note_calls(monkeypatch, called)
        reader = browser(app).worker._db
        assert reader is not None
        reader.reader._connection.set_trace_callback(ran.append)
        await until(pilot, lambda: called.count("changes") >= 20)
        assert set(called) == {"changes"}
        assert set(ran) == {"PRAGMA data_version"}


def nodes(app: BrowserApp) -> tuple[Any, ...]:
    lineage = tree(app).lineage
    return lineage.nodes if lineage is not None else ()


def map_rows(app: BrowserApp) -> list[Any]:
    return [row_of(app, entry) for entry in browser(app).finder.entries]


def note_calls(monkeypatch: pytest.MonkeyPatch, called: list[str]) -> None:
    """Write down every call of a store."""
    for name in (
        "listing",
        "first_page",
        "details",
        "search",
        "excerpts",
        "transcript",
        "lineage",
        "changes",
        "info",
    ):
        method = getattr(SessionDB, name)

        def noting(self: SessionDB, *rest: Any, _name: str = name, _method: Any = method, **more: Any) -> Any:
            called.append(_name)
            return _method(self, *rest, **more)

        monkeypatch.setattr(SessionDB, name, noting)
