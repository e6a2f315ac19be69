"""Delete: what the dialog says, what its keys do, and that exactly what was confirmed goes, with a way back."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from storage import SessionDB
from tests.support.acting import EVERYTHING, FAMILY, ORDER, dialog_text, ids, marked, rows
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import (
    id_at_cursor,
    press,
    put_cursor_on,
    search_for,
    shown_ids,
    toasts,
    tree,
    until,
)
from tests.support.other_process import other_process
from tests.support.stores import NOW, BuildV11, dump


def trash(path: Path) -> int:
    """Steps in the trash."""
    with SessionDB(path, read_only=True) as store:
        return len(store.list_trash())


@pytest.mark.parametrize("keys", [("d", "y"), ("d", "enter"), ("f8", "y")])
async def test_a_conversation_goes_with_all_its_parts_and_its_subagent(
    started: Started, path: Path, keys: tuple[str, ...]
) -> None:
    app, pilot = started
    await press(pilot, "j", keys[0])
    text = screen_text(app)
    assert "beta #2" in text
    assert "2 parts · 6 messages" in text
    assert "with 1 subagent session that worked for it" in text
    assert "1 branch or fresh start stays, without its parent." in text
    assert "sessions delete" in text
    assert "--chain --with-subagents b2" in text
    assert ids(path) == EVERYTHING
    await press(pilot, keys[1])
    assert ids(path) == ["a", "branch", "c", "d"]
    assert rows(path, "SELECT count(*) FROM messages") == [(8,)]
    assert shown_ids(app) == ["a", "branch", "c", "d"]
    assert id_at_cursor(app) == "branch"
    assert toasts(app) == ["Deleted “beta #2”, 6 messages; u brings it back."]
    assert trash(path) == 1


@pytest.mark.parametrize("key", ["escape", "n", "q"])
async def test_cancel_changes_nothing(started: Started, path: Path, key: str) -> None:
    app, pilot = started
    before = dump(path)
    await press(pilot, "d", key)
    assert app.screen is browser(app)
    assert shown_ids(app) == ORDER
    assert dump(path) == before


async def test_enter_on_cancel_changes_nothing(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "d", "down", "enter")
    assert app.screen is browser(app)
    assert ids(path) == EVERYTHING


async def test_nothing_goes_before_the_figures_are_there(
    started: Started, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    monkeypatch.setattr("hermes_tui.services.lookups.Lookups.preview_delete", lambda *_, **__: 0)
    await press(pilot, "d", "y", "enter")
    assert "looking what goes" in screen_text(app)
    assert ids(path) == EVERYTHING


async def test_without_the_subagent(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j", "d", "up", "up", "space")
    text = screen_text(app)
    assert "2 parts · 4 messages" in text
    assert "sessions delete" in text
    assert "--with-subagents" not in text
    assert "Nothing else is touched." not in text
    assert "1 subagent session stays, hidden as before, and stands alone then." in dialog_text(app)
    await press(pilot, "y")
    assert ids(path) == ["a", "branch", "c", "d", "sub"]
    assert shown_ids(app) == ["a", "branch", "c", "d"]


async def test_without_a_copy_enter_asks_for_a_choice_and_nothing_comes_back(
    started: Started, path: Path
) -> None:
    app, pilot = started
    await press(pilot, "d", "up", "space")
    text = screen_text(app)
    assert "cannot be undone" in text
    assert "Delete for good" in text
    assert "--purge" in text
    await press(pilot, "enter", "enter")
    assert ids(path) == EVERYTHING
    await press(pilot, "d", "up", "space", "y")
    assert "a" not in ids(path)
    assert toasts(app) == ["Deleted “alpha”, 2 messages."]
    assert trash(path) == 0
    await press(pilot, "u")
    assert toasts(app) == ["“alpha” left no copy and cannot come back. u again undoes what was before."]
    assert "a" not in ids(path)


async def test_what_runs_is_asked_for_twice(build_v11: BuildV11) -> None:
    path = build_v11(
        FAMILY + f"UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 'a';"
        f"INSERT INTO messages(session_id, role, content, timestamp) VALUES ('a', 'user', 'now', {NOW - 60});"
    )
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "d")
        assert "It is running: a message came within the last ten minutes." in screen_text(app)
        await press(pilot, "y")
        assert "Delete all the same" in screen_text(app)
        assert "a" in ids(path)
        await press(pilot, "enter")
        assert app.screen is browser(app)
        assert "a" in ids(path)
        await press(pilot, "d", "y", "y")
        assert "a" not in ids(path)


async def test_the_marked_ones_go_in_one_step(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "space", "j", "space", "G", "d")
    assert marked(app) == ["a", "branch"]
    text = screen_text(app)
    assert "2 conversations" in text
    assert "4 messages" in text
    assert "last active 2026-05-28" in text
    await press(pilot, "y")
    assert ids(path) == ["b1", "b2", "c", "d", "sub"]
    assert shown_ids(app) == ["b2", "c", "d"]
    assert id_at_cursor(app) == "d"
    assert marked(app) == []
    assert toasts(app) == ["Deleted 2 conversations, 4 messages; u brings them back."]
    assert trash(path) == 1
    await press(pilot, "u")
    assert toasts(app) == ["Undone: 2 conversations are back, 4 messages."]
    assert ids(path) == EVERYTHING
    assert shown_ids(app) == ORDER


async def test_marks_that_a_filter_hides_go_too_and_are_counted(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "space", "G", "space", "slash")
    await search_for(pilot, "delta")
    await press(pilot, "f8")
    assert "2 conversations" in screen_text(app)
    await press(pilot, "y")
    assert ids(path) == ["b1", "b2", "branch", "c", "sub"]
    assert browser(app).box.value == "delta"
    assert shown_ids(app) == []


async def test_from_a_search_exactly_the_row_under_the_cursor(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "slash")
    await search_for(pilot, "answer")
    await press(pilot, "tab", "j", "j", "d", "y")
    assert "branch" not in ids(path)
    assert len(ids(path)) == len(EVERYTHING) - 1
    assert browser(app).box.value == "answer"
    assert shown_ids(app) == ["d", "c", "b2", "a"]
    assert id_at_cursor(app) == "b2"


async def test_from_the_lineage_that_part_alone(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j")
    await press(pilot, "t", "g")
    node = tree(app).node
    assert node is not None
    assert node.id == "b1"
    await press(pilot, "d")
    assert "delete this part" in screen_text(app)
    text = dialog_text(app)
    assert "The other part of the conversation stays; what continued this one stands alone then." in text
    assert "sessions delete" in text
    assert "--chain" not in text
    await press(pilot, "y")
    assert ids(path) == ["a", "b2", "branch", "c", "d", "sub"]
    assert browser(app).panes.focused == "lineage"
    assert rows(path, "SELECT id FROM sessions WHERE parent_session_id = 'b1'") == []
    assert id_at_cursor(app) == "b2"
    await press(pilot, "u")
    assert ids(path) == EVERYTHING
    assert rows(path, "SELECT id FROM sessions WHERE parent_session_id = 'b1' ORDER BY id") == [
        ("b2",),
        ("branch",),
    ]
    assert shown_ids(app) == ORDER


async def test_the_live_tip_alone_leaves_the_cursor_on_its_conversation(started: Started, path: Path) -> None:
    app, pilot = started
    await put_cursor_on(app, pilot, "b2")
    await press(pilot, "t", "d")
    assert "The other part of the conversation stays.\n" in dialog_text(app)
    await press(pilot, "y")
    assert "b2" not in ids(path)
    assert id_at_cursor(app) == "b1"
    assert browser(app).panes.focused == "lineage"
    assert shown_ids(app) == ["a", "branch", "b1", "c", "d"]


async def test_a_part_on_show_goes_and_the_transcript_shows_the_rest(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "j")
    await press(pilot, "t", "g", "enter")
    assert browser(app).detail.reading.part == "b1"
    await press(pilot, "d", "y")
    assert browser(app).detail.reading.part is None
    assert ids(path) == ["a", "b2", "branch", "c", "d", "sub"]
    assert "word b2" in screen_text(app)


async def test_one_that_another_process_deleted_first(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "d")
    with other_process(path) as other:
        other.run("DELETE FROM messages WHERE session_id = 'a'")
        other.run("DELETE FROM sessions WHERE id = 'a'")
        await press(pilot, "y")
    assert toasts(app) == ["“alpha” was gone already; nothing was deleted."]
    assert shown_ids(app) == ["b2", "branch", "c", "d"]
    assert trash(path) == 0


async def test_one_that_is_gone_when_the_dialog_opens(started: Started, path: Path) -> None:
    app, pilot = started
    with other_process(path) as other:
        other.run("DELETE FROM messages WHERE session_id = 'a'")
        other.run("DELETE FROM sessions WHERE id = 'a'")
        await press(pilot, "d")
        assert "It is gone already." in screen_text(app)
        await press(pilot, "y")
    assert app.screen is browser(app)
    assert trash(path) == 0


async def test_a_second_process_renames_and_deletes_among_the_marked(started: Started, path: Path) -> None:
    app, pilot = started
    await press(pilot, "A", "d")
    with other_process(path) as other:
        other.run("UPDATE sessions SET title = 'renamed' WHERE id = 'c'")
        other.run("DELETE FROM messages WHERE session_id = 'd'")
        other.run("DELETE FROM sessions WHERE id = 'd'")
        other.begin("new", "came meanwhile", NOW - 5)
        await press(pilot, "y")
    assert ids(path) == ["new"]
    assert toasts(app)[0].startswith("Deleted 4 conversations, ")
    assert toasts(app)[0].endswith(" 1 session was gone already.")
    await press(pilot, "u")
    assert ids(path) == ["a", "b1", "b2", "branch", "c", "new", "sub"]
    assert rows(path, "SELECT title FROM sessions WHERE id = 'c'") == [("renamed",)]


async def test_what_is_deleted_is_what_the_dialog_named_though_the_list_moved(
    started: Started, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    await press(pilot, "j", "j", "d")
    with other_process(path) as other:
        other.begin("new", "on top", NOW - 5)
        other.say("new", "hello", NOW - 4)
        browser(app).finder.refresh()
        await settle(pilot)
        await press(pilot, "y")
    assert "branch" not in ids(path)
    assert shown_ids(app) == ["new", "a", "b2", "c", "d"]


async def test_a_bar_and_a_stop_for_many(
    started: Started, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    going, go = Event(), Event()
    plain = SessionDB.trash_sessions

    def slow(self: SessionDB, conversations: Any, **options: Any) -> Any:
        report = options["progress"]

        def progress(done: int, total: int) -> None:
            report(done, total)
            going.set()
            go.wait(30)

        return plain(self, conversations, **{**options, "progress": progress})

    monkeypatch.setattr(SessionDB, "trash_sessions", slow)
    await press(pilot, "A", "d")
    await pilot.press("y")
    await until(pilot, lambda: "1 of 5" in screen_text(app))
    assert "Deleting 5 conversations" in screen_text(app)
    await pilot.press("escape")
    await until(pilot, lambda: "stopping" in screen_text(app))
    go.set()
    await settle(pilot)
    assert app.screen is browser(app)
    assert toasts(app) == [
        "Deleted 1 conversation, 2 messages; u brings it back. 4 conversations are as before: stopped."
    ]
    assert ids(path) == EVERYTHING[1:]
    assert marked(app) == ORDER[1:]


async def test_in_the_middle_a_failure_leaves_an_account(
    started: Started, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    with other_process(path) as other:
        other.run(
            "CREATE TRIGGER no_more BEFORE DELETE ON sessions WHEN old.id = 'branch'"
            " BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    await press(pilot, "A", "d", "y")
    assert ids(path) == ["branch", "c", "d"]
    assert toasts(app)[0].startswith(
        "Deleted 2 conversations, 8 messages; u brings them back. 3 conversations are as before: "
    )
    assert shown_ids(app) == ["branch", "c", "d"]
    assert marked(app) == ["branch", "c", "d"]
    await press(pilot, "u")
    assert ids(path) == EVERYTHING
