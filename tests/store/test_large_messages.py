"""Transcripts and messages of more than SQLite hands over at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from storage.conversation import messages as transcripts
from storage.conversation.messages import LONGEST
from storage.readings import Message
from tests.support.behind import script
from tests.support.layouts import Row, write
from tests.support.listed import Opened


def numbered(messages: tuple[Message, ...]) -> list[tuple[int, str]]:
    return [(message.id, message.text) for message in messages]


def test_slices_make_the_same_transcript(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Row("ba"[i % 2], f"{i} " + "x" * (i * 37 % 900)) for i in range(200)]
    reader = opened(write(tmp_path / "state.db", "none", rows))
    whole = transcripts.transcript(reader, ["b", "a"])
    assert numbered(whole.messages) == [
        (i + 1, rows[i].content) for start in (0, 1) for i in range(start, 200, 2)
    ]
    for size in (1, 1_000, 50_000):
        monkeypatch.setattr(transcripts, "_SLICE", size)
        assert transcripts.transcript(reader, ["b", "a"]) == whole
        assert transcripts.transcript(reader, ["b", "a"], 150).messages == whole.messages[50:]


@pytest.mark.parametrize("column", ["content", "tool_calls", "reasoning", "reasoning_content"])
def test_no_statement_hands_over_more_than_a_slice(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    path = write(tmp_path / "state.db", "none", [])
    script(
        path, "ALTER TABLE messages ADD COLUMN reasoning", "ALTER TABLE messages ADD COLUMN reasoning_content"
    )
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            f"INSERT INTO messages(session_id, role, {column}, timestamp) VALUES ('a', 'assistant', ?, 1)",
            [('[{"name": "write_file", "arguments": "' + "A" * 90_000 + '"}]',)] * 50,
        )
    reader = opened(path)
    # 4.5 MB against 0.8 MB stand for many GB against SQLite's limit.
    reader._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 800_000)
    monkeypatch.setattr(transcripts, "_SLICE", 400_000)
    assert [message.id for message in transcripts.transcript(reader, ["a"]).messages] == list(range(1, 51))


def test_enormous_columns_are_cut_before_they_cross(tmp_path: Path, opened: Opened) -> None:
    path = write(tmp_path / "state.db", "none", [Row("a", "x"), Row("a", "x")])
    script(
        path,
        "ALTER TABLE messages ADD COLUMN reasoning",
        "ALTER TABLE messages ADD COLUMN reasoning_content",
        "ALTER TABLE messages ADD COLUMN finish_reason",
        *(
            f"UPDATE messages SET {name} = replace(hex(zeroblob(2500000)), '00', 'ä')"
            for name in ("content", "tool_name", "reasoning", "finish_reason", "role")
        ),
        "UPDATE messages SET reasoning = NULL WHERE id = 2",
        "UPDATE messages SET reasoning_content = CAST('ab' || char(0) || hex(zeroblob(999999)) AS BLOB)",
    )
    reader = opened(path)
    reader._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000_000)
    first, second = transcripts.transcript(reader, ["a"]).messages
    assert (first.text, first.cut) == ("ä" * LONGEST, 2_500_000 - LONGEST)
    for text in (first.tool_name, first.reasoning, first.finish_reason, first.role):
        assert text == "ä" * LONGEST
    assert second.reasoning == "ab\0" + "0" * (LONGEST - 3)


CALLS = {
    "a list": '[{"function": {"name": "one", "arguments": "%s"}}, {"name": "two", "input": {"x": "%s"}}, 7]',
    "one call": '{"name": "one", "arguments": "%s%s"}',
    "nameless": '[{"arguments": "%s"}, {"function": {"arguments": "%s"}}]',
}


@pytest.mark.parametrize("raw", CALLS.values(), ids=CALLS)
def test_enormous_tool_calls_keep_their_names_and_the_beginning_of_each(
    tmp_path: Path, opened: Opened, raw: str
) -> None:
    def read(size: int) -> Message:
        path = write(
            tmp_path / f"{size}.db",
            "none",
            [Row("a", None, "assistant", None, raw % ("ä" * size, "b" * size))],
        )
        return transcripts.transcript(opened(path), ["a"]).messages[0]

    small, large = read(30), read(LONGEST)
    assert [call.name for call in large.tool_calls] == [call.name for call in small.tool_calls]
    for cut, whole in zip(large.tool_calls, small.tool_calls, strict=True):
        assert cut.arguments.replace(" ", "")[:20] == whole.arguments.replace(" ", "")[:20]
    assert LONGEST // 2 <= sum(len(call.arguments) for call in large.tool_calls) <= LONGEST
    assert (large.text, large.cut) == ("", 0)
    assert replace(large, tool_calls=()) == replace(small, tool_calls=())


def test_enormous_tool_calls_that_are_no_json_are_cut_text(tmp_path: Path, opened: Opened) -> None:
    path = write(
        tmp_path / "state.db",
        "none",
        [
            Row("a", None, "assistant", None, "[broken" + "x" * LONGEST),
            Row("a", None, "assistant", None, "[" + "{}," * 40_000 + "{}]"),
        ],
    )
    broken, many = transcripts.transcript(opened(path), ["a"]).messages
    assert (broken.tool_calls, broken.text) == ((), "[broken" + "x" * (LONGEST - 7))
    assert [call.name for call in many.tool_calls] == ["unknown"] * 1_000


def test_enormous_encoded_content_is_not_read_whole(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = '[{"type": "image", "data": "' + "A" * 200_000 + '"}]'
    path = write(
        tmp_path / "state.db", "none", [Row("a", f"\0json:{picture}"), Row("a", f"\1json:{picture}")]
    )
    reader = opened(path)
    assert numbered(transcripts.transcript(reader, ["a"]).messages) == [(1, "[image]"), (2, "[image]")]
    monkeypatch.setattr(transcripts, "_WHOLE", 150_000)
    for message in transcripts.transcript(reader, ["a"]).messages:
        assert message.text == picture[: LONGEST - 6]
        assert message.cut == len(picture) + 6 - LONGEST
