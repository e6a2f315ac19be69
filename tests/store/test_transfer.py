"""Sessions taken out and put in again: nothing lost, nothing overwritten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import SessionDB
from storage.keeping import transfer
from tests.support.clock import Clock
from tests.support.stores import NOW, BuildV11, CopyStore

NOTHING: dict[str, Any] = {
    "ok": True,
    "imported": 0,
    "skipped": 0,
    "detached": 0,
    "imported_ids": [],
    "skipped_ids": [],
    "detached_ids": [],
    "conflicts": [],
    "left_out": [],
    "errors": [],
}


def family(db: SessionDB) -> None:
    """A chain with a dead end and a subagent, every kind of message, usage, an archived one."""
    db.create_session("root", "cli", model="m", model_config={"t": 1}, system_prompt="You are")
    db.append_message("root", "user", "first needle")
    db.append_message(
        "root", "assistant", None, tool_calls=[{"id": "c"}], reasoning_details=[1], finish_reason="x"
    )
    db.append_message("root", "tool", "output", tool_name="terminal", tool_call_id="c")
    db.archive_and_compact("root", [{"role": "user", "content": [{"type": "text", "text": "summary"}]}])
    db.set_session_title("root", "talk")
    db.update_token_counts("root", 10, 5, model="m", api_call_count=1, estimated_cost_usd=0.5)
    db.end_session("root", "compression")
    db.create_session("tip", "cli", parent_session_id="root")
    last = db.append_message("tip", "user", "second needle")
    db.append_message("tip", "user", "taken back", observed=True)
    db.rewind_to_message("tip", last + 1)
    db.set_session_title("tip", "talk #2")
    db.create_session("dead", "cli", parent_session_id="root")
    db.append_message("dead", "user", b"\xff\x00")
    db.end_session("dead", "agent_close")
    db.create_session("worker", "subagent", parent_session_id="tip", model_config={"_delegate_from": "tip"})
    db.create_session("old", "telegram", chat_id="c")
    db.set_session_archived("old", True)


def everything(db: SessionDB) -> dict[str, list[dict[str, Any]]]:
    """All rows that an export is about."""
    return {
        table: db.reader.dicts(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("sessions", "messages", "session_model_usage")
    }


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.fixture
def target(tmp_path: Path, clock: Clock) -> Any:
    with SessionDB(tmp_path / "target" / "state.db", clock=clock) as opened:
        yield opened


# --- out


def test_a_session(db: SessionDB) -> None:
    family(db)
    session = db.get_session("root")
    assert session is not None
    assert db.export_session("root") == {**session, "messages": db.get_messages("root")}
    exact = db.export_session("root", exact=True)
    assert exact is not None
    assert [message["content"] for message in exact["messages"]] == [
        "first needle",
        None,
        "output",
        '\0json:[{"type": "text", "text": "summary"}]',
    ]
    assert [row["model"] for row in exact["model_usage"]] == ["m"]
    assert (db.export_session("nobody"), db.export_session_lineage("nobody")) == (None, None)


def test_all_of_them(db: SessionDB) -> None:
    family(db)
    exported = db.export_all()
    assert [one["id"] for one in exported] == [row["id"] for row in db.search_sessions()]
    assert {one["id"] for one in exported} == {"root", "tip", "dead", "worker", "old"}
    assert all(one["last_active"] == NOW for one in exported)
    assert [one["id"] for one in db.export_all("telegram")] == ["old"]


@pytest.mark.parametrize("asked", ["root", "tip", "dead"])
def test_a_conversation(db: SessionDB, asked: str) -> None:
    family(db)
    whole = db.export_session_lineage(asked)
    assert whole is not None
    assert whole["lineage_session_ids"] == ["root", "tip", "dead"]
    assert [one["id"] for one in whole["segments"]] == ["root", "tip", "dead"]
    assert (whole["id"], whole["title"], whole["message_count"]) == ("tip", "talk #2", 1 + 2 + 1)
    assert [message["content"] for message in whole["messages"]] == [
        [{"type": "text", "text": "summary"}],
        "second needle",
        b"\xff\x00",
    ]


# --- in


def test_everything_comes_back(db: SessionDB) -> None:
    family(db)
    before = everything(db)
    exported = through_json(db.export_all(exact=True))
    assert db.delete_sessions([one["id"] for one in exported]) == 5
    assert db.search_messages("needle") == []
    assert db.import_sessions(exported) == {
        **NOTHING,
        "imported": 5,
        "imported_ids": [one["id"] for one in _parents_first(exported)],
    }
    assert everything(db) == before
    assert {hit["session_id"] for hit in db.search_messages("needle")} == {"root", "tip"}
    assert db.reader.rows("PRAGMA integrity_check") == [("ok",)]
    assert db.reader.rows("PRAGMA foreign_key_check") == []


def _parents_first(exported: list[dict[str, Any]]) -> list[dict[str, Any]]:
    done: list[dict[str, Any]] = []
    by_id = {one["id"]: one for one in exported}

    def add(one: dict[str, Any]) -> None:
        if one["parent_session_id"]:
            add(by_id[one["parent_session_id"]])
        if one not in done:
            done.append(one)

    for one in exported:
        add(one)
    return done


def test_into_another_store(db: SessionDB, target: SessionDB) -> None:
    family(db)
    target.create_session("own", "cli")
    taken = target.append_message("own", "user", "own words")
    exported = through_json([db.export_session(name) for name in ("tip", "root")])
    assert target.import_sessions(exported)["imported_ids"] == ["root", "tip"]
    assert [message["content"] for message in target.get_messages("own")] == ["own words"]
    messages = target.get_messages("tip")
    assert [message["content"] for message in messages] == ["second needle"]
    assert messages[0]["id"] != taken
    for name in ("root", "tip"):
        assert target.get_session(name) == {**(db.get_session(name) or {})}


def test_a_conversation_is_put_in_as_its_parts(db: SessionDB, target: SessionDB) -> None:
    family(db)
    exported = through_json(db.export_session_lineage("tip", exact=True))
    assert target.import_sessions([exported])["imported_ids"] == ["root", "tip", "dead"]
    entry = target.find("root")
    assert entry is not None
    assert entry.parts == ("root", "tip", "dead")
    assert target.message_count() == db.message_count()


def test_what_is_there_is_not_touched(db: SessionDB) -> None:
    family(db)
    before = everything(db)
    exported = through_json(db.export_all(exact=True))
    for one in exported:
        one["title"] = "overwritten"
    report = db.import_sessions(exported)
    assert (report["imported"], report["skipped"]) == (0, 5)
    assert sorted(report["skipped_ids"]) == ["dead", "old", "root", "tip", "worker"]
    assert everything(db) == before


def test_a_title_that_is_taken_is_left_out(db: SessionDB, target: SessionDB) -> None:
    family(db)
    target.create_session("own", "cli")
    target.set_session_title("own", "talk")
    report = target.import_sessions(through_json([db.export_session("root")]))
    assert report["conflicts"] == [{"session_id": "root", "title": "talk", "held_by": "own"}]
    assert (target.get_session_title("root"), target.get_session_title("own")) == (None, "talk")


def test_a_parent_that_is_nowhere_is_left_out(db: SessionDB, target: SessionDB) -> None:
    family(db)
    report = target.import_sessions(through_json([db.export_session("tip")]))
    assert (report["detached"], report["detached_ids"]) == (1, ["tip"])
    tip = target.get_session("tip")
    assert tip is not None
    assert tip["parent_session_id"] is None
    assert target.import_sessions(through_json([db.export_session("worker")]))["detached"] == 0


def test_what_the_store_cannot_hold_is_said(db: SessionDB, copy_store: CopyStore) -> None:
    family(db)
    exported = through_json(db.export_all(exact=True))
    with SessionDB(copy_store("state-v6.db"), migrate=False) as old:
        report = old.import_sessions(exported)
        assert (report["ok"], report["imported"]) == (True, 5)
        for name in (
            "sessions.archived",
            "sessions.chat_id",
            "messages.compacted",
            "session_model_usage.model",
        ):
            assert name in report["left_out"]
        assert old.message_count("root") == 4


def test_columns_of_a_newer_store_are_kept(db: SessionDB) -> None:
    db.write(
        lambda within: (
            within.change("ALTER TABLE sessions ADD COLUMN last_read_at REAL"),
            within.change("ALTER TABLE messages ADD COLUMN display_identity BLOB"),
        )
    )
    family(db)
    db.write(
        lambda within: (
            within.change("UPDATE sessions SET last_read_at = 5.5 WHERE id = 'tip'"),
            within.change("UPDATE messages SET display_identity = x'00ff' WHERE session_id = 'tip'"),
        )
    )
    before = everything(db)
    exported = through_json(db.export_all(exact=True))
    db.delete_sessions([one["id"] for one in exported])
    assert db.import_sessions(exported)["left_out"] == []
    assert everything(db) == before


@pytest.mark.parametrize(
    ("given_", "errors"),
    [
        ({"foo": 1}, [{"index": 0, "error": "session id is required"}]),
        ({"id": 5}, [{"index": 0, "error": "session id is required", "session_id": 5}]),
        *(
            (
                {"id": id_},
                [{"index": 0, "error": "session id holds a character that no id can", "session_id": id_}],
            )
            for id_ in ("a\0b", "\ud800", "a\udfff", "bad\ufffd")
        ),
        ("text", [{"index": 0, "error": "session must be an object"}]),
        ({"id": "q", "messages": "x"}, [{"index": 0, "error": "messages must be a list", "session_id": "q"}]),
        (
            {"id": "q", "messages": ["x"]},
            [{"index": 0, "error": "each of messages must be an object", "session_id": "q"}],
        ),
        (
            {"id": "q", "cwd": object()},
            [{"index": 0, "error": "object is no value of a column", "session_id": "q"}],
        ),
        (
            {"id": "q", "input_tokens": 2**64},
            [],
        ),
    ],
)
def test_what_is_no_session(db: SessionDB, given_: Any, errors: list[dict[str, Any]]) -> None:
    report = db.import_sessions([given_, {"id": "good", "source": "cli"}])
    assert report["errors"] == errors
    assert report["ok"] is (not errors)
    assert (db.get_session("good") is None) is bool(errors)


def test_the_least_that_makes_a_session(db: SessionDB, clock: Clock) -> None:
    report = db.import_sessions(
        [
            {"id": "a"},
            {
                "id": "b",
                "source": None,
                "messages": [{"content": "x", "timestamp": 5.0, "tool_calls": [1, 2]}, {}],
            },
            {"id": "a", "source": "twice"},
        ]
    )
    assert report["imported_ids"] == ["a", "b"]
    found = [db.get_session(name) or {} for name in "ab"]
    names = ("source", "started_at", "message_count", "tool_call_count")
    assert [[one[name] for name in names] for one in found] == [
        ["unknown", NOW, 0, 0],
        ["unknown", 5.0, 2, 2],
    ]
    assert [(row["role"], row["content"], row["timestamp"]) for row in db.get_messages("b")] == [
        ("unknown", "x", 5.0),
        ("unknown", None, NOW),
    ]


def test_parents_in_a_circle(build_v11: BuildV11) -> None:
    path = build_v11(
        """INSERT INTO sessions(id,source,started_at,parent_session_id) VALUES
        ('a','cli',1,'c'),('b','cli',2,'a'),('c','cli',3,'b'),('self','cli',4,'self');"""
    )
    with SessionDB(path) as db:
        parents = {row["id"]: row["parent_session_id"] for row in db.search_sessions()}
        exported = through_json(db.export_all(exact=True))
        db.delete_sessions(list(parents))
        report = db.import_sessions(exported)
        assert (report["imported"], report["detached"]) == (4, 0)
        assert {row["id"]: row["parent_session_id"] for row in db.search_sessions()} == parents


def test_in_several_steps_that_can_be_broken_off(
    db: SessionDB, target: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    family(db)
    monkeypatch.setattr(transfer, "_BATCH", 1)
    exported = through_json(db.export_all(exact=True))
    write = target.write
    steps = 0

    def killed(*arguments: Any, **named: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise KeyboardInterrupt
        return write(*arguments, **named)

    monkeypatch.setattr(target, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        target.import_sessions(exported)
    assert target.session_count(include_archived=True) == 2
    report = target.import_sessions(exported)
    assert (report["imported"], report["skipped"]) == (3, 2)
    assert everything(target) == everything(db)


# --- any family


@st.composite
def families(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Sessions with any parents, titles, counters and messages."""
    ids = draw(
        st.lists(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1),
            unique=True,
            max_size=6,
        )
    )
    titles = draw(st.lists(st.text("abc", min_size=1), unique=True, min_size=len(ids), max_size=len(ids)))
    text = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    message = st.fixed_dictionaries(
        {
            "role": st.sampled_from(["user", "assistant", "tool"]),
            "content": text | st.lists(text),
            "tool_name": text,
        },
        optional={"timestamp": st.floats(0, 1e10), "tool_calls": st.lists(st.integers()), "reasoning": text},
    )
    return [
        {
            "id": id_,
            "source": draw(st.sampled_from(["cli", "tool", "subagent"])),
            "title": title if draw(st.booleans()) else None,
            "parent_session_id": draw(st.sampled_from([None, *ids])),
            "started_at": draw(st.floats(0, 1e10)),
            "end_reason": draw(st.sampled_from([None, "compression", "branched"])),
            "message_count": draw(st.integers(0, 99)),
            "messages": draw(st.lists(message, max_size=4)),
        }
        for id_, title in zip(ids, titles, strict=True)
    ]


@given(families())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_out_and_in_is_the_same(db: SessionDB, sessions: list[Mapping[str, Any]]) -> None:
    db.delete_sessions([row["id"] for row in db.search_sessions(limit=-1)])
    assert db.import_sessions(sessions)["ok"] is True
    before = everything(db)
    plain, exact = through_json(db.export_all()), through_json(db.export_all(exact=True))
    for exported in (plain, exact):
        db.delete_sessions([one["id"] for one in exported])
        assert (db.message_count(), db.session_count(include_archived=True)) == (0, 0)
        report = db.import_sessions(exported)
        assert (report["imported"], report["detached"], report["conflicts"]) == (len(sessions), 0, [])
        assert everything(db) == before
