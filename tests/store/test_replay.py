"""A session as the conversation that a model gets again."""

from __future__ import annotations

from typing import Any

import pytest

from storage import SessionDB
from tests.support.stores import BuildV11

CALL = {"id": "c1", "function": {"name": "t", "arguments": "{}"}}
REVIEW = "Review the conversation above and update the skill library now"
SAVE = "Review the conversation above and consider saving to memory what matters"


def replayed(db: SessionDB, said: list[tuple[Any, ...]], **wanted: Any) -> list[dict[str, Any]]:
    """These messages written and read again, without their times."""
    db.create_session("s", "cli")
    for role, content, *more in said:
        db.append_message("s", role, content, **(more[0] if more else {}))
    return [
        {name: value for name, value in message.items() if name != "timestamp"}
        for message in db.get_messages_as_conversation("s", **wanted)
    ]


def test_only_what_is_there(db: SessionDB) -> None:
    found = replayed(
        db,
        [
            ("user", "ask", {"platform_message_id": "p1", "observed": True, "reasoning": "not a user's"}),
            (
                "assistant",
                None,
                {"tool_calls": [CALL], "finish_reason": "tool_calls", "reasoning_details": [1]},
            ),
            ("tool", "done", {"tool_call_id": "c1", "tool_name": "t", "effect_disposition": "kept"}),
            ("assistant", " answer ", {"reasoning": "r", "reasoning_content": "", "api_content": "as sent"}),
            ("session_meta", "{}"),
        ],
    )
    assert found == [
        {"role": "user", "content": "ask", "message_id": "p1", "observed": True},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [CALL],
            "finish_reason": "tool_calls",
            "reasoning_details": [1],
        },
        {
            "role": "tool",
            "content": "done",
            "tool_call_id": "c1",
            "tool_name": "t",
            "effect_disposition": "kept",
        },
        {
            "role": "assistant",
            "content": "answer",
            "api_content": "as sent",
            "reasoning": "r",
            "reasoning_content": "",
        },
        {"role": "session_meta", "content": "{}"},
    ]
    assert db.get_messages_as_conversation("s")[0]["timestamp"] == db.get_messages("s")[0]["timestamp"]
    assert db.get_messages_as_conversation("nobody") == []


def test_broken_json(build_v11: BuildV11) -> None:
    path = build_v11(
        """INSERT INTO sessions(id,source,started_at) VALUES('s','cli',1);
        INSERT INTO messages(session_id,role,content,tool_calls,reasoning_details,codex_message_items,timestamp)
        VALUES('s','assistant','x','{bad','{bad','[1]',5);"""
    )
    with SessionDB(path, read_only=True) as db:
        assert db.get_messages_as_conversation("s") == [
            {
                "role": "assistant",
                "content": "x",
                "timestamp": 5.0,
                "tool_calls": [],
                "reasoning_details": None,
                "codex_message_items": [1],
            }
        ]


@pytest.mark.parametrize(
    ("role", "said", "sent"),
    [
        ("user", "<memory-context>\nsecret\n</memory-context>\n\n hi ", "hi"),
        ("user", "a <MEMORY-CONTEXT>x</MEMORY-CONTEXT> b", "a  b"),
        ("user", "<memory-context> open", "open"),
        ("assistant", "x </memory-context> y", "x  y"),
        ("tool", " <memory-context>t</memory-context> ", " <memory-context>t</memory-context> "),
        ("system", " as it is ", " as it is "),
        ("user", ["<memory-context>x</memory-context>"], ["<memory-context>x</memory-context>"]),
    ],
)
def test_what_was_put_in_is_taken_out(db: SessionDB, role: str, said: Any, sent: Any) -> None:
    assert [message["content"] for message in replayed(db, [(role, said)])] == [sent]


def test_talks_with_itself_are_left_out(db: SessionDB) -> None:
    said = [
        ("user", REVIEW),
        ("assistant", "learned"),
        ("user", "real"),
        ("assistant", "ok"),
        ("system", SAVE),
        ("assistant", "saved"),
        ("assistant", "kept"),
        ("tool", REVIEW),
    ]
    assert [message["content"] for message in replayed(db, said)] == ["real", "ok", "kept", REVIEW]


def test_what_was_rewound_only_when_asked(db: SessionDB) -> None:
    assert [message["content"] for message in replayed(db, [("user", "a"), ("user", "b")])] == ["a", "b"]
    db.rewind_to_message("s", db.get_messages("s")[1]["id"])
    assert [message["content"] for message in db.get_messages_as_conversation("s")] == ["a"]
    everything = db.get_messages_as_conversation("s", include_inactive=True)
    assert [message["content"] for message in everything] == ["a", "b"]


def test_with_everything_it_grew_from(db: SessionDB) -> None:
    db.create_session("root", "cli")
    for role, content in (("user", "one"), ("assistant", "answer"), ("user", "two"), ("tool", "x")):
        db.append_message("root", role, content)
    db.create_session("child", "cli", parent_session_id="root")
    for role, content in (("user", "two"), ("assistant", "end"), ("user", "two")):
        db.append_message("child", role, content)
    said = db.get_messages_as_conversation("child", include_ancestors=True)
    assert [message["content"] for message in said] == ["one", "answer", "two", "x", "end", "two"]
    assert len(db.get_messages_as_conversation("child")) == 3


def test_ancestors_in_a_circle(build_v11: BuildV11) -> None:
    path = build_v11(
        """INSERT INTO sessions(id,source,started_at,parent_session_id) VALUES('a','cli',1,'b'),('b','cli',1,'a');
        INSERT INTO messages(session_id,role,content,timestamp) VALUES('a','user','x',1),('b','assistant','y',1);"""
    )
    with SessionDB(path, read_only=True) as db:
        said = db.get_messages_as_conversation("a", include_ancestors=True)
        assert [message["content"] for message in said] == ["x", "y"]


def test_sides_take_turns(db: SessionDB) -> None:
    said: list[tuple[Any, ...]] = [
        ("user", "u1"),
        ("user", "u2"),
        ("assistant", "a1"),
        ("assistant", "a2"),
        ("user", ["parts"]),
        ("user", "u3"),
        ("assistant", None, {"tool_calls": [CALL, "odd"]}),
        ("assistant", "a3"),
        ("tool", "done", {"tool_call_id": "c1"}),
        ("tool", "whose?", {"tool_call_id": "c9"}),
        ("system", "s"),
        ("system", "s"),
    ]
    repaired = [(m["role"], m["content"]) for m in replayed(db, said, repair_alternation=True)]
    assert repaired == [
        ("user", "u1\n\nu2"),
        ("assistant", "a1\na2"),
        ("user", ["parts"]),
        ("user", "u3"),
        ("assistant", None),
        ("assistant", "a3"),
        ("tool", "done"),
        ("system", "s"),
        ("system", "s"),
    ]
