"""What a transcript holds: the visible messages, decoded, in order, and only as many as were asked for."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage.conversation.messages import LONGEST, transcript
from storage.engine.connection import Reader, open_reader
from storage.readings import Message, MessageKind, ToolCall, Transcript
from tests.support.stores import BuildV11, CopyStore


def read(path: Path, *parts: str, tail: int | None = None) -> Transcript:
    reader = open_reader(path)
    try:
        return transcript(reader, parts, tail)
    finally:
        reader.close()


def talk(messages: tuple[Message, ...]) -> list[tuple[int, str]]:
    return [(message.id, message.text) for message in messages]


def insert(path: Path, *contents: object, sql: str = "?") -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for stored in contents:
            db.execute(
                f"INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', {sql}, 1)",
                (stored,),
            )


CHAIN = """
INSERT INTO sessions(id, source, started_at) VALUES ('a', 'cli', 1780000000), ('b', 'cli', 1780000100);
INSERT INTO messages
(id, session_id, role, content, tool_calls, tool_name, finish_reason, reasoning, timestamp) VALUES
(10, 'b', 'user', 'four', NULL, NULL, NULL, NULL, 1780000104),
(1, 'a', 'system', 'You are helpful', NULL, NULL, NULL, NULL, 1780000001),
(2, 'a', 'user', 'one', NULL, NULL, NULL, NULL, 1780000002),
(3, 'a', 'assistant', NULL, '[{"function":{"name":"terminal","arguments":"{}"}}]', NULL, 'tool_calls', 'hm',
 1780000003),
(4, 'a', 'tool', 'output', NULL, 'terminal', NULL, NULL, 1780000003),
(5, 'a', 'assistant', 'three', NULL, NULL, 'stop', NULL, 'yesterday'),
(11, 'b', 'assistant', 'five', NULL, NULL, 'stop', NULL, 9e999);
"""


def test_part_after_part_in_the_order_of_writing(build_v11: BuildV11) -> None:
    found = read(build_v11(CHAIN), "a", "b")
    assert found.parts == ("a", "b")
    assert found.earlier == 0
    assert [message.id for message in found.messages] == [1, 2, 3, 4, 5, 10, 11]
    assert found.messages[2] == Message(
        id=3,
        session_id="a",
        role="assistant",
        text="",
        timestamp=1780000003.0,
        tool_calls=(ToolCall("terminal", "{}"),),
        finish_reason="tool_calls",
        reasoning="hm",
    )
    assert found.messages[3].tool_name == "terminal"
    assert [message.timestamp for message in found.messages[4:]] == [None, 1780000104.0, None]


def test_parts_stand_in_the_order_asked_for(build_v11: BuildV11) -> None:
    found = read(build_v11(CHAIN), "b", "gone", "a", "b")
    assert found.parts == ("b", "gone", "a")
    assert [message.id for message in found.messages] == [10, 11, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("tail", "ids", "earlier"),
    [
        (1, [11], 4),
        (2, [10, 11], 3),
        (3, [5, 10, 11], 2),
        (4, [3, 4, 5, 10, 11], 1),
        (5, [1, 2, 3, 4, 5, 10, 11], 0),
        (50, [1, 2, 3, 4, 5, 10, 11], 0),
        (0, [11], 4),
    ],
)
def test_tail(build_v11: BuildV11, tail: int, ids: list[int], earlier: int) -> None:
    found = read(build_v11(CHAIN), "a", "b", tail=tail)
    assert [message.id for message in found.messages] == ids
    assert found.earlier == earlier


def test_tail_counts_what_is_read_as_talk(build_v11: BuildV11) -> None:
    path = build_v11(
        """
        ALTER TABLE messages ADD COLUMN display_kind TEXT;
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1);
        INSERT INTO messages(id, session_id, role, content, display_kind, timestamp) VALUES
        (1, 's', 'user', 'first', NULL, 1), (2, 's', 'user', '[CONTEXT SUMMARY] of it', NULL, 2),
        (3, 's', 'user', 'skill text', 'hidden', 3), (4, 's', 'session_meta', 'meta', NULL, 4),
        (5, 's', 'assistant', '', NULL, 5), (6, 's', 'user', char(0) || 'json:["two"]', NULL, 6),
        (7, 's', 'user', 'steered', 'steer', 7);
        """
    )
    found = read(path, "s", tail=2)
    assert talk(found.messages) == [(6, "two"), (7, "steered")]
    assert found.earlier == 1
    assert [message.kind for message in read(path, "s").messages] == [
        MessageKind.MESSAGE,
        MessageKind.SUMMARY,
        MessageKind.SCAFFOLDING,
        MessageKind.BOOKKEEPING,
        MessageKind.MESSAGE,
        MessageKind.MESSAGE,
        MessageKind.MESSAGE,
    ]


def test_what_was_taken_back_is_not_shown_and_what_was_compacted_is(build_v11: BuildV11) -> None:
    path = build_v11(
        """
        ALTER TABLE messages ADD COLUMN active INTEGER;
        ALTER TABLE messages ADD COLUMN compacted INTEGER DEFAULT 0;
        ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER DEFAULT 0;
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1);
        INSERT INTO messages(id, session_id, role, content, timestamp, active, compacted, _compressed_summary)
        VALUES
        (1, 's', 'user', 'archived', 1, 0, 1, 0), (2, 's', 'user', 'rewound', 2, 0, 0, 0),
        (3, 's', 'assistant', 'summary', 3, 1, 0, 1), (4, 's', 'user', 'live', 4, 1, 0, 0),
        (5, 's', 'user', 'never healed', 5, NULL, 0, 0);
        """
    )
    messages = read(path, "s").messages
    assert talk(messages) == [(1, "archived"), (3, "summary"), (4, "live"), (5, "never healed")]
    assert [message.compacted for message in messages] == [True, False, False, False]
    assert messages[1].kind is MessageKind.SUMMARY


def test_any_content_comes_through(build_v11: BuildV11) -> None:
    path = build_v11("INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1)")
    stored: list[object] = [
        '\x00json:[{"type":"text","text":"a zebra"},{"type":"image_url"}]',
        "\x01json:not json",
        "nul\x00 end",
        b"blob \xff\x00 end",
        17,
        1.5,
        float("inf"),
        "sur\ufffdrogate 🦀 会话",
        None,
    ]
    insert(path, *stored)
    insert(path, b"b\xffd", sql="CAST(? AS TEXT)")
    assert [message.text for message in read(path, "s").messages] == [
        "a zebra [image]",
        "not json",
        "nul\x00 end",
        "blob �\x00 end",
        "17",
        "1.5",
        "Inf",
        "sur\ufffdrogate 🦀 会话",
        "",
        "b�d",
    ]


def test_raw_tool_calls_that_nobody_can_read_are_shown_as_text(build_v11: BuildV11) -> None:
    path = build_v11(
        """
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1);
        INSERT INTO messages(id, session_id, role, content, tool_calls, timestamp) VALUES
        (1, 's', 'assistant', NULL, '[Calling tool: terminal', 1),
        (2, 's', 'assistant', 'said', '[Calling tool: terminal', 2);
        """
    )
    messages = read(path, "s").messages
    assert talk(messages) == [(1, "[Calling tool: terminal"), (2, "said")]
    assert [message.tool_calls for message in messages] == [(), ()]


def test_enormous_messages_are_cut_and_say_so(build_v11: BuildV11) -> None:
    path = build_v11("INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1)")
    encoded = "\x00json:" + json.dumps([{"type": "text", "text": "é" * (LONGEST + 7)}])
    insert(path, "x" * LONGEST, "é" * (LONGEST + 5), encoded, "a\x00" + "b" * LONGEST)
    messages = read(path, "s").messages
    assert [message.cut for message in messages] == [0, 5, 7, 2]
    assert [len(message.text) for message in messages] == [LONGEST] * 4


def test_reasoning_of_either_column(build_v11: BuildV11) -> None:
    path = build_v11(
        """
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1);
        INSERT INTO messages(session_id, role, content, reasoning, reasoning_content, timestamp) VALUES
        ('s', 'assistant', 'x', 'short', 'long', 1), ('s', 'assistant', 'x', NULL, 'long', 1);
        """
    )
    assert [message.reasoning for message in read(path, "s").messages] == ["short", "long"]


@pytest.mark.parametrize("name", ["state-v1.db", "state-v6.db", "state-v23.db", "empty-v22-0.19.0.db"])
def test_every_layout_has_transcripts(copy_store: CopyStore, name: str) -> None:
    path = copy_store(name)
    with closing(sqlite3.connect(path)) as db:
        sessions = [row[0] for row in db.execute("SELECT id FROM sessions")]
        rows = db.execute("SELECT count(*) FROM messages").fetchone()[0]
    found = read(path, *sessions)
    assert 0 <= rows - len(found.messages) <= rows // 2
    assert found.earlier == 0


def test_a_store_without_messages(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE sessions(id TEXT PRIMARY KEY)")
    assert read(path, "s") == Transcript(("s",), (), notes=("This store has no table of messages.",))


def test_a_long_transcript_crosses_in_few_statements(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row by row, a worker thread waits for the interpreter at every row."""
    path = build_v11(
        """
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1);
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO messages(session_id, role, content, timestamp) SELECT 's', 'user', 'm' || i, i FROM n;
        """
    )
    reader = open_reader(path)
    statements: list[str] = []
    one = Reader.one

    def watched(self: Reader, sql: str, *args: Any) -> tuple[Any, ...] | None:
        statements.append(sql)
        return one(self, sql, *args)

    monkeypatch.setattr(Reader, "one", watched)
    monkeypatch.delattr(Reader, "rows")
    assert len(transcript(reader, ["s"]).messages) == 3000
    assert len(statements) == 2
    assert len(transcript(reader, ["s"], tail=20).messages) == 20
    assert len(statements) == 5
    reader.close()
