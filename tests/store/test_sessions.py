"""A session's life: made, filled in, ended, opened again, continued, let go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, UnknownSession
from storage.errors import OpenedReadOnly, RowRefused, StoreClosed, StoreMissing, VersionTooOld
from tests.support.clock import Clock
from tests.support.session_rows import add, put, row
from tests.support.stores import NOW, CopyStore

DAY = 86400


# --- making


def test_made_with_everything(db: SessionDB) -> None:
    assert db.create_session("p", "cli") == "p"
    given: dict[str, Any] = {
        "model": "m",
        "system_prompt": "You are\ud800",
        "user_id": "u",
        "parent_session_id": "p",
        "session_key": "k",
        "chat_id": 12345,
        "chat_type": "dm",
        "thread_id": "t",
        "cwd": "/work",
        "profile_name": "office",
    }
    assert db.create_session("s", "telegram", model_config={"a": [1]}, **given) == "s"
    found = row(db, "s")
    assert {name: found[name] for name in given} == {
        **given,
        "chat_id": "12345",
        "system_prompt": "You are\ufffd",
    }
    assert (found["source"], found["started_at"], found["ended_at"]) == ("telegram", NOW, None)
    assert found["model_config"] == '{"a": [1]}'
    assert (found["message_count"], found["tool_call_count"], found["archived"]) == (0, 0, 0)


def test_made_again_fills_only_what_is_missing(db: SessionDB, clock: Clock) -> None:
    db.create_session("s", "cli", model="first")
    clock.sleep(60)
    db.create_session("s", "tui", model="second", user_id="u", model_config={}, cwd="/work")
    db.create_session("s", "tui")
    found = row(db, "s")
    assert (found["source"], found["model"], found["user_id"], found["cwd"]) == (
        "cli",
        "first",
        None,
        "/work",
    )
    assert (found["model_config"], found["started_at"]) == (None, NOW)


def test_ensured(db: SessionDB) -> None:
    assert db.ensure_session("s") == "s"
    assert row(db, "s")["source"] == "unknown"
    assert db.ensure_session("s", source="cli", model="m", cwd="/work") == "s"
    found = row(db, "s")
    assert (found["source"], found["model"], found["cwd"]) == ("unknown", "m", "/work")


@pytest.mark.parametrize(
    ("session", "source", "given", "why"),
    [
        ("", "cli", {}, "a session needs its id"),
        ("a\0b", "cli", {}, "an id holds no NUL"),
        ("s", "", {}, "a session needs its source"),
        ("s", "cli", {"parent_session_id": "nobody"}, "there is no session 'nobody' to be the parent"),
        ("s", "cli", {"cwd": Path("/x")}, "cwd is not text but PosixPath"),
        ("s", "cli", {"model_config": {"x": object()}}, None),
    ],
)
def test_refused(db: SessionDB, session: str, source: str, given: dict[str, Any], why: str | None) -> None:
    with pytest.raises(RowRefused) as error:
        db.create_session(session, source, **given)
    assert why is None or str(error.value) == f"Nothing was written: {why}."
    assert db.session_count() == 0


def test_unserialisable_says_which(db: SessionDB) -> None:
    with pytest.raises(RowRefused) as error:
        db.create_session("s", "cli", model_config={"x": object()})
    assert str(error.value) == (
        "Nothing was written: model_config cannot be put into JSON (Object of type object is not JSON serializable)."
    )


# --- ending


def test_the_first_end_stays(db: SessionDB, clock: Clock) -> None:
    db.create_session("s", "cli")
    clock.sleep(60)
    db.end_session("s", "cli_close")
    clock.sleep(60)
    db.end_session("s", "new_session")
    assert (row(db, "s")["ended_at"], row(db, "s")["end_reason"]) == (NOW + 60, "cli_close")
    db.reopen_session("s")
    assert (row(db, "s")["ended_at"], row(db, "s")["end_reason"]) == (None, None)
    db.end_session("nobody", "x")
    db.reopen_session("nobody")
    assert db.get_session("nobody") is None


def test_abandoned_continuations_are_ended(db: SessionDB, clock: Clock) -> None:
    add(db, "root", ended_at=1.0, end_reason="compression")
    add(db, "old", "root", started_at=NOW - 8 * DAY)
    add(db, "young", "root", started_at=NOW - 6 * DAY)
    add(db, "used", "root", started_at=NOW - 8 * DAY, api_call_count=1)
    add(db, "alone", started_at=NOW - 8 * DAY)
    db.create_session("silent", "cli", parent_session_id="root")
    put(db, "silent", "started_at", NOW - 8 * DAY)
    assert db.finalize_orphaned_compression_sessions() == 1
    assert (row(db, "old")["end_reason"], row(db, "old")["ended_at"]) == ("orphaned_compression", NOW)
    assert db.finalize_orphaned_compression_sessions() == 0


# --- finding by id


def test_an_id_or_the_only_one_that_begins_so(db: SessionDB) -> None:
    for name in ("20260101_a", "20260101_ab", "20260202_c", "100%_x", "100yzx"):
        db.create_session(name, "cli")
    wanted = ("20260101_a", "202602", "20260101", "100%", "100%_", "%", "", "nobody", "20260202_C")
    assert [db.resolve_session_id(one) for one in wanted] == [
        "20260101_a",
        "20260202_c",
        None,
        "100%_x",
        "100%_x",
        None,
        None,
        None,
        "20260202_c",
    ]
    assert db.find_session_ids("2026", 2) == ["20260101_a", "20260101_ab"]
    assert db.find_session_ids("100%", 9) == ["100%_x"]
    assert db.find_session_ids("nobody", 9) == []


# --- one conversation


def chain(db: SessionDB) -> None:
    """root → middle → tip, a dead end beside the tip, and a branch of the root."""
    add(db, "root", ended_at=NOW, end_reason="compression")
    add(db, "middle", "root", ended_at=NOW, end_reason="compression")
    add(db, "tip", "middle")
    add(db, "dead", "middle", ended_at=NOW, end_reason="agent_close")
    add(db, "branch", "root", model_config='{"_branched_from": "root"}')


def test_the_parts_of_a_conversation(db: SessionDB) -> None:
    chain(db)
    for part in ("root", "middle", "tip", "dead"):
        assert db.conversation_parts(part) == ("root", "middle", "tip", "dead")
    assert db.conversation_parts("branch") == ("branch",)
    assert db.conversation_parts("nobody") == ()


def test_where_it_goes_on(db: SessionDB) -> None:
    chain(db)
    asked = ("root", "middle", "tip", "dead", "branch", "nobody")
    assert [db.get_compression_tip(one) for one in asked] == ["tip", "tip", "tip", "dead", "branch", "nobody"]


@pytest.mark.parametrize("write", ["set_session_archived", "set_session_pinned"])
def test_flags_are_the_whole_conversations(db: SessionDB, write: str) -> None:
    chain(db)
    flag = write.rpartition("_")[2]

    def flagged() -> list[str]:
        return sorted(one["id"] for one in db.search_sessions() if one[flag])

    for asked in ("root", "tip", "dead"):
        assert getattr(db, write)(asked, True) is True
        assert flagged() == ["dead", "middle", "root", "tip"]
        assert getattr(db, write)(asked, False) is True
        assert flagged() == []
    assert getattr(db, write)("branch", True) is True
    assert flagged() == ["branch"]
    assert getattr(db, write)("nobody", True) is False


RESUMED: list[tuple[str, list[tuple[str, str | None, dict[str, Any]]], set[str], str]] = [
    ("tip without messages", [("p", None, {"end_reason": "compression"}), ("t", "p", {})], {"p"}, "t"),
    ("child", [("p", None, {}), ("c", "p", {})], {"p", "c"}, "c"),
    ("grandchild", [("p", None, {}), ("c", "p", {}), ("d", "c", {})], {"p", "d"}, "d"),
    ("grandchild without messages", [("p", None, {}), ("c", "p", {}), ("d", "c", {})], {"c"}, "c"),
    ("subagent", [("p", None, {}), ("c", "p", {"model_config": '{"_delegate_from": "p"}'})], {"c"}, "p"),
    ("branch", [("p", None, {}), ("c", "p", {"model_config": '{"_branched_from": "p"}'})], {"c"}, "p"),
    ("tool", [("p", None, {}), ("c", "p", {"source": "tool"})], {"c"}, "p"),
    (
        "the last of two",
        [("p", None, {}), ("c", "p", {"started_at": 2.0}), ("d", "p", {"started_at": 3.0})],
        {"c"},
        "p",
    ),
    ("circle", [("p", None, {}), ("c", "p", {})], set(), "p"),
]


@pytest.mark.parametrize(
    ("rows", "spoken", "resumed"), [case[1:] for case in RESUMED], ids=[case[0] for case in RESUMED]
)
def test_what_is_resumed(
    db: SessionDB, rows: list[tuple[str, str | None, dict[str, Any]]], spoken: set[str], resumed: str
) -> None:
    for session, parent, columns in rows:
        db.create_session(session, str(columns.get("source", "cli")), parent_session_id=parent)
        for name, value in columns.items():
            put(db, session, name, value)
        if session in spoken:
            db.append_message(session, "user", "x")
    if not spoken:
        put(db, "p", "parent_session_id", "c")
    assert db.resolve_resume_session_id("p") == resumed


# --- the door


def test_read_only_means_it(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-0.19.0.db")
    before = path.read_bytes()
    with SessionDB(path, read_only=True) as db:
        with pytest.raises(OpenedReadOnly) as error:
            db.create_session("s", "cli")
        assert str(error.value) == f"Nothing was written: {path} was opened with read_only=True."
    assert path.read_bytes() == before


def test_nothing_is_made_without_migrating(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        SessionDB(tmp_path / "home" / "state.db", migrate=False)
    assert not (tmp_path / "home").exists()


def test_an_old_store_takes_what_it_can_hold(copy_store: CopyStore) -> None:
    path = copy_store("state-v6.db")
    with SessionDB(path, migrate=False) as db:
        db.create_session("s", "cli", model="m")
        assert db.append_message("s", "user", "needle") > 0
        assert [hit["session_id"] for hit in db.search_messages("needle")] == ["s"]
        for refused in (
            lambda: db.create_session("t", "cli", cwd="/work"),
            lambda: db.set_session_archived("s", True),
            lambda: db.append_message("s", "user", "x", platform_message_id="1"),
            lambda: db.archive_and_compact("s", []),
            lambda: db.rewind_to_message("s", 1),
            lambda: db.restore_rewound("s", 1),
            lambda: db.set_meta("key", "value"),
        ):
            with pytest.raises(VersionTooOld):
                refused()
        assert db.get_meta("key") is None
        assert (db.info().version, db.message_count("s")) == (6, 1)


def test_a_store_that_somebody_else_brings_up_to_date(copy_store: CopyStore) -> None:
    path = copy_store("state-v6.db")
    with SessionDB(path, migrate=False) as db:
        db.create_session("s", "cli")
        first = db.append_message("s", "user", "kept")
        second = db.append_message("s", "user", "taken back")
        with SessionDB(path) as another:
            another.rewind_to_message("s", second)
        assert [message["id"] for message in db.get_messages("s")] == [first]
        assert db.search_messages("taken") == []
        assert db.restore_rewound("s", second) == 1
        assert len(db.get_messages("s")) == 2


def test_closed_twice(db: SessionDB) -> None:
    db.close()
    db.close()
    with pytest.raises(StoreClosed):
        db.create_session("s", "cli")


def test_unknown_sessions_are_named(db: SessionDB) -> None:
    with pytest.raises(UnknownSession) as error:
        db.append_message("nobody", "user", "x")
    assert str(error.value) == "Session 'nobody' no longer exists."
