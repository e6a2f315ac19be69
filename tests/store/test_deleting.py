"""What goes with a session that is deleted, and what becomes of its children."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from storage import SessionDB
from tests.support.session_rows import add, put, row
from tests.support.stores import NOW, BuildV11

DAY = 86400


# --- deleting


def test_what_goes_with_a_session(db: SessionDB) -> None:
    add(db, "s")
    add(db, "other")
    db.update_token_counts("s", 1, model="m")
    assert db.delete_session("s") is True
    assert db.delete_session("s") is False
    assert db.reader.rows("SELECT count(*) FROM session_model_usage") == [(0,)]
    assert (db.session_count(), db.message_count()) == (1, 1)
    assert db.search_messages("words") == []


CHILDREN: list[tuple[str, dict[str, Any]]] = [
    ("marked", {"model_config": '{"_delegate_from": "boss", "x": 1}'}),
    ("unmarked", {}),
    ("agent", {"source": "subagent"}),
    ("branch", {"model_config": '{"_branched_from": "boss"}'}),
    ("fresh", {"model_config": '{"_reset_from": "boss"}'}),
]


def test_children_stay_and_the_hidden_stay_hidden(db: SessionDB) -> None:
    add(db, "boss")
    for name, columns in CHILDREN:
        add(db, name, "boss", **columns)
    assert db.delete_session("boss") is True
    left = {
        one["id"]: (one["parent_session_id"], json.loads(one["model_config"] or "{}"))
        for one in db.search_sessions()
    }
    assert left == {
        "marked": (None, {"_delegate_from": "boss", "x": 1}),
        "unmarked": (None, {"_delegate_from": "boss"}),
        "agent": (None, {"_delegate_from": "boss"}),
        "branch": (None, {"_branched_from": "boss"}),
        "fresh": (None, {"_reset_from": "boss"}),
    }
    assert sorted(entry.id for entry in db.listing().entries) == ["branch", "fresh"]


def test_with_subagents(db: SessionDB) -> None:
    add(db, "boss")
    for name, columns in CHILDREN:
        add(db, name, "boss", **columns)
    add(db, "under", "unmarked")
    add(db, "side", "under", model_config='{"_branched_from": "under"}')
    add(db, "elsewhere", model_config='{"_delegate_from": "boss"}')
    assert db.delete_session("boss", with_subagents=True) is True
    assert sorted(one["id"] for one in db.search_sessions()) == ["branch", "elsewhere", "fresh", "side"]
    assert db.message_count() == 4
    assert db.reader.rows("PRAGMA foreign_key_check") == []


def test_a_continuation_is_no_subagent(db: SessionDB) -> None:
    add(db, "root", ended_at=NOW, end_reason="compression")
    add(db, "tip", "root")
    add(db, "tool", "root", source="tool")
    assert db.delete_session("root", with_subagents=True) is True
    assert [one["id"] for one in db.search_sessions()] == ["tip"]
    assert row(db, "tip")["model_config"] is None


def test_the_continuation_of_a_subagent_stays_hidden(db: SessionDB) -> None:
    add(db, "boss")
    add(db, "worker", "boss", ended_at=NOW, end_reason="compression")
    add(db, "goes on", "worker")
    assert db.delete_session("boss", with_subagents=True) is True
    assert row(db, "goes on")["model_config"] == '{"_delegate_from": "worker"}'
    assert db.listing().entries == ()


def test_a_circle_of_parents_can_be_deleted(build_v11: BuildV11) -> None:
    path = build_v11(
        """INSERT INTO sessions(id,source,started_at,ended_at,end_reason,parent_session_id) VALUES
        ('a','cli',1,2,'x','b'),('b','cli',1,2,'x','a'),('self','cli',1,2,'x','self');"""
    )
    with SessionDB(path) as db:
        assert db.delete_session("self", with_subagents=True) is True
        assert db.delete_session("a", with_subagents=True) is True
        assert db.session_count() == 0


def test_many_at_once(db: SessionDB) -> None:
    for name in "abc":
        add(db, name)
    assert db.delete_sessions([]) == 0
    assert db.delete_sessions(["a", "nobody", "b", "a"]) == 2
    assert [one["id"] for one in db.search_sessions()] == ["c"]


def test_only_if_empty(db: SessionDB) -> None:
    add(db, "full")
    for name in ("titled", "parent", "empty"):
        db.create_session(name, "cli")
    db.set_session_title("titled", "t")
    db.create_session("child", "cli", parent_session_id="parent")
    found = {
        name: db.delete_session_if_empty(name) for name in ("full", "titled", "parent", "empty", "nobody")
    }
    assert found == {"full": False, "titled": False, "parent": False, "empty": True, "nobody": False}


def test_all_that_are_empty(db: SessionDB) -> None:
    add(db, "full", ended_at=NOW)
    for name in ("open", "ended", "archived"):
        db.create_session(name, "cli")
    db.end_session("ended", "x")
    db.end_session("archived", "x")
    db.set_session_archived("archived", True)
    assert db.delete_empty_sessions() == 1
    assert db.get_session("ended") is None
    assert db.session_count(include_archived=True) == 3


def test_what_a_closed_screen_left(db: SessionDB) -> None:
    for name, source, started, title, ended in [
        ("ghost", "tui", NOW - 2 * DAY, None, True),
        ("young", "tui", NOW - 3600, None, True),
        ("titled", "tui", NOW - 2 * DAY, "t", True),
        ("open", "tui", NOW - 2 * DAY, None, False),
        ("cli", "cli", NOW - 2 * DAY, None, True),
    ]:
        db.create_session(name, source)
        put(db, name, "started_at", started)
        db.set_session_title(name, title)
        if ended:
            db.end_session(name, "x")
    add(db, "full", source="tui", started_at=NOW - 2 * DAY, ended_at=NOW)
    assert db.prune_empty_ghost_sessions() == 1
    assert db.get_session("ghost") is None
    assert db.session_count() == 5


def test_files_go_too(db: SessionDB, tmp_path: Path) -> None:
    directory = tmp_path / "sessions"
    directory.mkdir()
    kept = ["other.json", "s2.json", "request_dump_s2_1.json", "s.txt", "request_dump_s_1.txt"]
    gone = ["s.json", "s.jsonl", "request_dump_s_1.json", "request_dump_s_2.json"]
    for name in (*kept, *gone):
        (directory / name).touch()
    outside = tmp_path / "evil.json"
    outside.touch()
    for name in ("s", "../evil"):
        db.create_session(name, "cli")
    assert db.delete_session("s", directory) is True
    assert db.delete_session("../evil", directory) is True
    assert sorted(path.name for path in directory.iterdir()) == sorted(kept)
    assert outside.exists()
    db.create_session("s", "cli")
    assert db.delete_session("s", tmp_path / "nowhere") is True
