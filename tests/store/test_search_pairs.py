"""The index of pairs of CJK characters is asked where it can be, and nothing depends on it (spec 1.6).

Its tokenizer is a library that is not here. It stands in for it a view of the texts that are cut into pairs already,
under a tokenizer that SQLite has.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SearchResult, SessionDB, parse
from storage.engine.connection import Cancel, Reader
from storage.finding import fold, routes, standing, trigrams
from tests.support.layouts import Row, write

ROWS = [
    Row("start", "会话记录"),
    Row("inside", "这个会话很长"),
    Row("end", "开始会话"),
    Row("glued", "用docker会话ok"),
    Row("apart", "会 话"),
    Row("calls", "", "assistant", None, '{"arguments": "删除会话"}'),
    Row("tool", "工具说会话", "tool"),
    Row("other", "部署失败"),
]
FOUND = {"start", "inside", "end", "glued", "calls", "tool"}
BY_TRIGRAMS = FOUND - {"end"}
"""The trigrams do not know what ends a line, and the result says so."""
LINE_ENDS = "not searched: “会话” in tool output, line ends older than 2 messages"


def with_pairs(path: Path, tokenizer: str = "unicode61") -> Path:
    write(path, "v23", ROWS)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.create_function("pairs", 1, _pairs)
        db.executescript(
            f"""
            CREATE TABLE messages_fts_cjk_src AS SELECT id, pairs(content) AS content, pairs(tool_name) AS tool_name,
                pairs(tool_calls) AS tool_calls FROM messages WHERE role <> 'tool';
            CREATE VIRTUAL TABLE messages_fts_cjk USING fts5(content, tool_name, tool_calls,
                content='messages_fts_cjk_src', content_rowid='id', tokenize='{tokenizer}');
            INSERT INTO messages_fts_cjk(messages_fts_cjk) VALUES ('rebuild');
            CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN SELECT 1; END;
            """
        )
    return path


def _pairs(text: str | None) -> str:
    runs = re.findall("[\u3040-\u9fff]+", text or "")
    return " ".join(run[place : place + 2] for run in runs for place in range(max(1, len(run) - 1)))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the vocabulary of the trigrams was asked for; only the newest two messages are scanned."""
    monkeypatch.setattr(standing, "PAIRS", "unicode61")
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 2)
    texts: list[str] = []
    places = trigrams.places

    def noted(reader: Reader, text: str, cancel: Cancel) -> tuple[int, ...] | None:
        texts.append(text)
        return places(reader, text, cancel)

    monkeypatch.setattr(trigrams, "places", noted)
    return texts


def looked(path: Path, text: str) -> SearchResult:
    with SessionDB(path, read_only=True) as db:
        return db.search(parse(text, typing=False))


def ids(result: SearchResult) -> set[str]:
    return {hit.entry.id for hit in result.hits}


@pytest.mark.parametrize(
    ("text", "expected", "by_pairs"),
    [
        ("会话", FOUND, True),
        ("会话 docker", {"glued"}, True),
        ("会话 部署", set(), True),
        ("会话 OR 部署", {*FOUND, "other"}, True),
        ("会话 会", FOUND, True),
        ("会", {*BY_TRIGRAMS, "apart"}, False),
        ("，会", set(), False),
        ("会话 这个会", {"inside"}, True),
    ],
)
def test_pairs_are_asked_for_two_characters(
    tmp_path: Path, asked: list[str], text: str, expected: set[str], by_pairs: bool
) -> None:
    assert ids(looked(with_pairs(tmp_path / "state.db"), text)) == expected
    assert (asked == []) is by_pairs


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO state_meta VALUES ('fts_cjk_stale', '1')",
        "INSERT INTO state_meta VALUES ('fts_cjk_rebuild_high_water', '8'), ('fts_cjk_rebuild_progress', '0')",
        "DROP TRIGGER messages_fts_cjk_insert",
    ],
)
def test_an_index_that_may_lack_something_is_not_asked(tmp_path: Path, asked: list[str], sql: str) -> None:
    path = with_pairs(tmp_path / "state.db")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql)
        db.execute("DELETE FROM messages_fts_cjk_data WHERE id > 10")
    result = looked(path, "会话")
    assert (ids(result), result.notes) == (BY_TRIGRAMS, (LINE_ENDS,))
    assert asked == ["会话"]


def test_what_pairs_do_not_know_is_said(tmp_path: Path, asked: list[str]) -> None:
    result = looked(with_pairs(tmp_path / "state.db"), "会话")
    assert result.notes == ("not searched: “会话” in tool output older than 2 messages",)


def test_a_damaged_one_is_done_without(tmp_path: Path, asked: list[str]) -> None:
    path = with_pairs(tmp_path / "state.db")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM messages_fts_cjk_data WHERE id > 10")
    result = looked(path, "会话")
    assert ids(result) == FOUND
    assert result.notes == ("search index damaged: scanned",)


def test_without_its_tokenizer_the_trigrams_answer(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_pairs(tmp_path / "state.db")
    monkeypatch.setattr(standing, "PAIRS", "cjk_unicode61")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'unicode61', 'cjk_unicode61') WHERE name = 'messages_fts_cjk'"
        )
    result = looked(path, "会话")
    assert (ids(result), result.notes) == (BY_TRIGRAMS, (LINE_ENDS,))
    assert asked == ["会话"]


@pytest.mark.parametrize(
    ("text", "is_pair"),
    [
        ("会话", True),
        ("デタ", True),
        ("한국", True),
        ("会", False),
        ("会话记", False),
        ("会a", False),
        ("，会", False),
        ("🦀🦀", False),
    ],
)
def test_what_a_pair_is(text: str, is_pair: bool) -> None:
    assert fold.is_pair(text) is is_pair
