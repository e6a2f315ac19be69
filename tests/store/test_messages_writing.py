"""Messages written and read again: any content, counters, compaction, rewinding."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import SessionDB, UnknownSession
from storage.errors import NotTheUsersMessage, RowRefused, UnknownMessage
from tests.support.clock import Clock
from tests.support.stores import NOW, BuildV11

CALL = {"id": "call_1", "function": {"name": "terminal", "arguments": "{}"}}
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters())
shapes = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner)
)


@pytest.fixture
def db(db: SessionDB) -> SessionDB:
    db.create_session("s", "cli")
    return db


def counters(db: SessionDB) -> tuple[int, int]:
    row = db.get_session("s")
    assert row is not None
    return row["message_count"], row["tool_call_count"]


def talk(db: SessionDB, **wanted: Any) -> list[Any]:
    return [message["content"] for message in db.get_messages("s", **wanted)]


# --- appending


def test_everything_of_a_message(db: SessionDB) -> None:
    given_: dict[str, Any] = {
        "content": "Here's the answer…",
        "tool_name": "terminal",
        "tool_calls": [CALL],
        "tool_call_id": "call_0",
        "token_count": 150,
        "finish_reason": "stop",
        "reasoning": "Let me think\ud800",
        "reasoning_content": "deep",
        "platform_message_id": "p1",
        "effect_disposition": "kept",
        "timestamp": 1780000000.5,
        "api_content": "as sent",
        "display_kind": "steer",
    }
    written: dict[str, Any] = {
        "reasoning_details": [{"a": 1}],
        "codex_reasoning_items": [1],
        "codex_message_items": {"b": 2},
        "display_metadata": {"c": 3},
    }
    message_id = db.append_message("s", "assistant", observed=True, **given_, **written)
    assert db.get_messages("s") == [
        {
            "id": message_id,
            "session_id": "s",
            "role": "assistant",
            **given_,
            "reasoning": "Let me think\ufffd",
            **{name: json.dumps(value) for name, value in written.items()},
            "observed": 1,
            "active": 1,
            "compacted": 0,
        }
    ]
    assert counters(db) == (1, 1)


@pytest.mark.parametrize(
    ("time", "stored"),
    [
        (None, NOW),
        ("yesterday", NOW),
        (float("nan"), NOW),
        (float("inf"), NOW),
        (True, NOW),
        (12, 12.0),
        (datetime(2026, 1, 2, tzinfo=UTC), 1767312000.0),
    ],
)
def test_times(db: SessionDB, time: object, stored: float) -> None:
    db.append_message("s", "user", "x", timestamp=time)
    assert db.get_messages("s")[0]["timestamp"] == stored


@pytest.mark.parametrize(
    ("calls", "count", "read"),
    [
        (None, 0, None),
        ([], 0, None),
        ([CALL, CALL], 2, [CALL, CALL]),
        (CALL, 1, CALL),
        ("text", 1, "text"),
        (0, 1, None),
    ],
)
def test_how_calls_count(db: SessionDB, calls: object, count: int, read: object) -> None:
    db.append_message("s", "assistant", tool_calls=calls)
    assert counters(db) == (1, count)
    assert db.get_messages("s")[0]["tool_calls"] == read


def test_a_tools_answer_is_no_call(db: SessionDB) -> None:
    db.append_message("s", "tool", "done", tool_name="terminal", tool_call_id="call_1")
    assert counters(db) == (1, 0)


@pytest.mark.parametrize(
    ("content", "stored", "read"),
    [
        ("text", "text", "text"),
        ("", "", ""),
        ("a\ud83dz", "a\ufffdz", "a\ufffdz"),
        ("a\0b", "a\0b", "a\0b"),
        (None, None, None),
        (5, "5", "5"),
        (1.5, "1.5", "1.5"),
        (True, "1", "1"),
        (2**70, str(2**70), str(2**70)),
        (b"\xff\x00", b"\xff\x00", b"\xff\x00"),
        ([], "\0json:[]", []),
        ({"é": 1}, '\0json:{"\\u00e9": 1}', {"é": 1}),
        (("t", 1), '\0json:["t", 1]', ["t", 1]),
        (object, "<class 'object'>", "<class 'object'>"),
        ([object], "[<class 'object'>]", "[<class 'object'>]"),
    ],
)
def test_how_content_is_stored(db: SessionDB, content: Any, stored: Any, read: Any) -> None:
    db.append_message("s", "user", content)
    assert db.reader.rows("SELECT content FROM messages") == [(stored,)]
    assert talk(db) == [read]


@given(st.lists(shapes, max_size=3) | st.dictionaries(st.text(st.characters()), shapes, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_content_of_any_shape_survives(db: SessionDB, content: Any) -> None:
    db.clear_messages("s")
    db.append_message("s", "user", content)
    assert talk(db) == [content]
    exported = json.loads(json.dumps(db.export_session("s", exact=True)))
    db.delete_session("s")
    assert db.import_sessions([exported])["ok"] is True
    assert talk(db) == [content]


@given(st.text(st.characters(), max_size=50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_text_survives_but_for_surrogates(db: SessionDB, text: str) -> None:
    db.clear_messages("s")
    db.append_message("s", "user", text)
    assert talk(db) == [sound(text)]


def sound(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ({"role": ""}, "a message needs a role"),
        ({"role": None}, "a message needs a role"),
        ({"role": "user", "token_count": "many"}, "token_count is not a number"),
        ({"role": "user", "tool_name": ["x"]}, "tool_name is not text but list"),
        (
            {"role": "user", "tool_calls": [object()]},
            "tool_calls cannot be put into JSON (Object of type object is not JSON serializable)",
        ),
    ],
)
def test_what_cannot_be_stored_is_refused(db: SessionDB, given_: dict[str, Any], why: str) -> None:
    with pytest.raises(RowRefused) as error:
        db.append_message("s", **given_)
    assert str(error.value) == f"Nothing was written: {why}."
    assert counters(db) == (0, 0)


# --- reading


def test_pages(db: SessionDB) -> None:
    for place in range(5):
        db.append_message("s", "user", str(place), timestamp=100 - place)
    assert talk(db) == ["0", "1", "2", "3", "4"]
    assert talk(db, limit=2) == ["0", "1"]
    assert talk(db, limit=2, offset=3) == ["3", "4"]
    assert talk(db, offset=4) == ["4"]
    assert talk(db, limit=0) == []
    assert db.get_messages("nobody") == []
    assert (db.message_count(), db.message_count("s"), db.message_count("nobody")) == (5, 5, 0)


# --- replacing, compacting, clearing


def test_replaced(db: SessionDB, clock: Clock) -> None:
    db.append_message("s", "user", "old", tool_calls=[CALL])
    db.replace_messages(
        "s",
        [
            {"role": "user", "content": ["a"], "message_id": "p1", "observed": True, "timestamp": 5},
            {"content": "who?"},
            {"role": "assistant", "content": "b", "tool_calls": [CALL, CALL], "reasoning": "r"},
        ],
    )
    rows = db.get_messages("s")
    assert [(row["role"], row["content"]) for row in rows] == [
        ("user", ["a"]),
        ("unknown", "who?"),
        ("assistant", "b"),
    ]
    assert (rows[0]["platform_message_id"], rows[0]["observed"], rows[0]["timestamp"]) == ("p1", 1, 5.0)
    assert NOW < rows[1]["timestamp"] < rows[2]["timestamp"] < NOW + 1
    assert counters(db) == (3, 2)
    assert db.search_messages("old") == []
    db.replace_messages("s", [])
    assert counters(db) == (0, 0)


def test_replacing_the_live_ones_keeps_the_others(db: SessionDB) -> None:
    first = db.append_message("s", "user", "kept")
    db.append_message("s", "user", "taken back")
    db.rewind_to_message("s", first + 1)
    db.replace_messages("s", [{"role": "user", "content": "new"}], active_only=True)
    assert talk(db) == ["new"]
    assert talk(db, include_inactive=True) == ["taken back", "new"]
    assert counters(db) == (1, 0)


def test_a_bad_message_leaves_the_old_ones(db: SessionDB) -> None:
    db.append_message("s", "user", "old")
    for change in (db.replace_messages, db.archive_and_compact):
        with pytest.raises(RowRefused):
            change("s", [{"role": "user"}, {"role": "user", "tool_calls": [object()]}])
    assert talk(db) == ["old"]


def test_compacted_inside_the_session(db: SessionDB) -> None:
    db.append_message("s", "user", "first ask", tool_calls=[CALL])
    db.append_message("s", "assistant", "first answer")
    assert db.archive_and_compact("s", [{"role": "user", "content": "a summary"}]) == 1
    assert talk(db) == ["a summary"]
    assert talk(db, include_inactive=True) == ["first ask", "first answer", "a summary"]
    assert counters(db) == (1, 0)
    assert [hit["snippet"].strip() for hit in db.search_messages("ask")] == ["first >>>ask<<<"]
    assert [message.text for message in db.transcript(["s"]).messages] == [
        "first ask",
        "first answer",
        "a summary",
    ]


def test_cleared(db: SessionDB) -> None:
    db.append_message("s", "user", "gone", tool_calls=[CALL])
    db.clear_messages("s")
    db.clear_messages("nobody")
    assert (talk(db), counters(db), db.search_messages("gone")) == ([], (0, 0), [])


@pytest.mark.parametrize("change", ["replace_messages", "archive_and_compact"])
def test_nobodys_messages(db: SessionDB, change: str) -> None:
    with pytest.raises(UnknownSession):
        getattr(db, change)("nobody", [{"role": "user", "content": "x"}])


# --- rewinding


def test_taken_back_and_brought_again(db: SessionDB) -> None:
    ids = [
        db.append_message("s", role, word)
        for role, word in (("user", "one"), ("assistant", "two"), ("user", "three"))
    ]
    before = db.get_messages("s")[2]
    assert db.rewind_to_message("s", ids[2]) == {
        "rewound_count": 1,
        "target_message": before,
        "new_head_id": ids[1],
    }
    assert talk(db) == ["one", "two"]
    assert db.search_messages("three") == []
    assert [hit["id"] for hit in db.search_messages("three", include_inactive=True)] == [ids[2]]
    assert counters(db) == (3, 0)
    assert db.rewind_to_message("s", ids[0])["new_head_id"] is None
    assert (db.get_session("s") or {})["rewind_count"] == 2
    assert db.restore_rewound("s", ids[1]) == 2
    assert talk(db) == ["two", "three"]
    assert db.rewind_to_message("s", ids[0])["rewound_count"] == 2


def test_a_rewind_leaves_what_was_compacted(db: SessionDB) -> None:
    first = db.append_message("s", "user", "first")
    db.archive_and_compact("s", [{"role": "user", "content": "summary"}])
    assert db.rewind_to_message("s", first)["rewound_count"] == 1
    assert db.restore_rewound("s", first) == 1
    assert talk(db) == ["summary"]


def test_what_cannot_be_gone_back_to(db: SessionDB) -> None:
    said = db.append_message("s", "assistant", "x")
    with pytest.raises(NotTheUsersMessage) as wrong:
        db.rewind_to_message("s", said)
    assert (
        str(wrong.value)
        == f"Message {said} is not the user's (its role is 'assistant'): nothing to go back to."
    )
    with pytest.raises(UnknownMessage) as gone:
        db.rewind_to_message("s", 999)
    assert str(gone.value) == "Message 999 not found in session s."
    assert isinstance(wrong.value, ValueError)
    assert isinstance(gone.value, ValueError)
    assert talk(db) == ["x"]
    assert (db.get_session("s") or {})["rewind_count"] == 0


def test_a_row_from_before_the_column_is_live(build_v11: BuildV11) -> None:
    path: Path = build_v11(
        """INSERT INTO sessions(id,source,started_at) VALUES('s','cli',1);
        INSERT INTO messages(id,session_id,role,content,timestamp) VALUES(1,'s','user','x',1);
        ALTER TABLE messages ADD COLUMN active INTEGER;"""
    )
    with SessionDB(path, migrate=False) as db:
        assert talk(db) == ["x"]
        assert db.rewind_to_message("s", 1)["rewound_count"] == 1
        assert talk(db) == []
