"""Stores that no Hermes made: every reading call answers with what can be read, and `info` says what cannot."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from storage import SessionDB
from storage.conversation import messages as transcripts
from storage.conversation.messages import LONGEST
from storage.engine.connection import Reader, open_reader
from storage.engine.layout import look
from storage.engine.repair import repair
from storage.engine.writer import open_writer
from storage.errors import NotAStore, StoreNotWritable
from storage.readings import Message, Transcript
from storage.records import Changes, Sort
from tests.support.layouts import START, Row, write
from tests.support.stores import STORES, CopyStore

TALK = [Row("a", "one"), Row("a", "two", "assistant"), Row("b", "three")]

ROWLESS = """
CREATE TABLE s2(id TEXT PRIMARY KEY, source TEXT, title TEXT, started_at REAL) WITHOUT ROWID;
INSERT INTO s2 SELECT id, source, title, started_at FROM sessions;
DROP TABLE sessions; ALTER TABLE s2 RENAME TO sessions;
"""
A_VIEW = "ALTER TABLE sessions RENAME TO s0; CREATE VIEW sessions AS SELECT * FROM s0;"
MESSAGES_A_VIEW = "ALTER TABLE messages RENAME TO m0; CREATE VIEW messages AS SELECT * FROM m0;"


def with_columns(table: str, *columns: str) -> str:
    """SQL that leaves a table only these of its columns, and none of its constraints."""
    return (
        f"CREATE TABLE made AS SELECT {', '.join(columns)} FROM {table};"
        f"DROP TABLE {table}; ALTER TABLE made RENAME TO {table};"
    )


NO_SESSION_ID = with_columns("messages", "id", "role", "content")
NO_MESSAGE_ID = with_columns("messages", "session_id", "role", "content", "timestamp")
NO_KEY = with_columns("state_meta", "value")

ALL = {
    "sessions WITHOUT ROWID": (ROWLESS, "sessions is a table WITHOUT ROWID", True),
    "sessions a view": (A_VIEW, "sessions is a view", True),
    "messages a view": (MESSAGES_A_VIEW, "messages is a view", True),
    "messages without session_id": (NO_SESSION_ID, "messages is without a column session_id", False),
    "messages without id": (NO_MESSAGE_ID, "messages is without a column id", False),
    "state_meta without key": (NO_KEY, "state_meta is without a column key", False),
}


def odd(path: Path, *sql: str) -> Path:
    write(path, "none", TALK)
    run(path, *sql)
    return path


def run(path: Path, *sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(";".join(sql))


def said(found: Transcript) -> list[tuple[int, str, str]]:
    return [(message.id, message.session_id, message.text) for message in found.messages]


# --- tables


@pytest.mark.parametrize("name", ALL)
def test_an_odd_table_is_said_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    sql, what, is_read = ALL[name]
    with SessionDB(odd(tmp_path / "state.db", sql), read_only=True) as db:
        lost = "" if is_read else "what it holds is not shown, and "
        assert f"The table {what}, as no Hermes makes it: {lost}nothing can be written." in db.info().notes
        assert db.info().sessions == 2
        entries = db.listing().entries
        assert sorted(entry.id for entry in entries) == ["a", "b"]
        assert [entry.id for entry in db.first_page().entries] == [entry.id for entry in entries]
        counts = {row.id: row.messages for row in db.details(entries)}
        no_messages = name in ("messages without session_id", "messages without id")
        assert counts == ({"a": 0, "b": 0} if no_messages else {"a": 2, "b": 1})
        read = [] if no_messages else [(1, "a", "one"), (2, "a", "two")]
        assert said(db.transcript(["a"])) == said(db.transcript(["a"], 9)) == read
        assert db.lineage("a").tip == "a"
        assert db.get_meta("last_auto_prune") is None


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("migrate", [True, False])
def test_nothing_is_written_into_an_odd_table(tmp_path: Path, name: str, migrate: bool) -> None:
    sql, what, _ = ALL[name]
    path = odd(tmp_path / "state.db", sql)
    before = path.read_bytes()
    refused = pytest.raises(StoreNotWritable, match=rf"its table {what}, as no Hermes makes it")
    with refused, SessionDB(path, migrate=migrate) as db:
        db.create_session("c", "cli")
    assert path.read_bytes() == before
    assert repair(path).strategy == "already_healthy"


@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize(
    "sql", [*(sql for sql, _, _ in ALL.values()), "DROP TABLE messages", with_columns("sessions", "id")]
)
def test_an_odd_table_is_listed_in_any_order(tmp_path: Path, sql: str, sort: Sort) -> None:
    with SessionDB(odd(tmp_path / "state.db", sql), read_only=True) as db:
        assert {entry.id for entry in db.listing(sort=sort).entries} == {"a", "b"}
        assert db.changes() is None


@pytest.mark.parametrize("sql", [ROWLESS, A_VIEW])
def test_a_new_session_is_seen_without_rowids(tmp_path: Path, sql: str) -> None:
    path = odd(tmp_path / "state.db", sql)
    with SessionDB(path, read_only=True) as db:
        table = "s0" if sql == A_VIEW else "sessions"
        run(path, f"INSERT INTO {table}(id, source, started_at) VALUES ('c', 'cli', {START + 9})")
        assert db.changes() == Changes((), reordered=True)
        assert {entry.id for entry in db.listing().entries} == {"a", "b", "c"}


def test_sessions_without_ids_are_no_store(tmp_path: Path) -> None:
    path = odd(tmp_path / "state.db", with_columns("sessions", "source", "started_at"))
    sentence = "is a database, but not a session store: its table sessions is without a column id"
    with pytest.raises(NotAStore, match=sentence):
        open_reader(path)
    with pytest.raises(NotAStore, match=sentence):
        open_writer(path)


def test_a_view_of_what_is_gone_is_no_store(tmp_path: Path) -> None:
    path = odd(tmp_path / "state.db", A_VIEW, "DROP TABLE s0")
    with pytest.raises(NotAStore, match="its table sessions is a view"):
        open_reader(path)


@pytest.mark.parametrize(
    ("sql", "rowless"),
    [
        ("CREATE TABLE messages(id, session_id)", False),
        ("CREATE TABLE messages(id PRIMARY KEY, session_id) without\n rowid", True),
        ("CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT) STRICT, WITHOUT ROWID", True),
        ("CREATE TABLE messages(id, session_id, x DEFAULT ') WITHOUT ROWID (')", False),
    ],
)
def test_which_tables_have_rowids(sql: str, rowless: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(sql)
        layout = look(lambda statement: db.execute(statement).fetchall())
        assert layout.key("messages") == ("id" if rowless else "rowid")
        db.execute(f"SELECT {layout.key('messages')} FROM messages")


@pytest.mark.parametrize(
    ("marks", "note"),
    [
        ("('fts_rebuild_high_water', NULL)", None),
        ("('fts_rebuild_progress', 'x')", None),
        ("('fts_rebuild_high_water', 'x')", "0 of 0"),
        ("('fts_rebuild_high_water', '9'), ('fts_rebuild_progress', NULL)", "0 of 9"),
        ("('fts_rebuild_high_water', '9'), ('fts_rebuild_progress', x'33')", "3 of 9"),
    ],
)
def test_marks_that_are_nonsense(tmp_path: Path, marks: str, note: str | None) -> None:
    path = write(tmp_path / "state.db", "external", TALK)
    run(path, f"INSERT INTO state_meta VALUES {marks}")
    with SessionDB(path, read_only=True) as db:
        building = [said for said in db.info().notes if "being rebuilt" in said]
        assert building == (
            [f"The search index is being rebuilt ({note}): the rest is searched more slowly."] if note else []
        )


# --- ids of sessions

NAMELESS = {
    "NUL": "CAST('x' || char(0) || 'y' AS TEXT)",
    "NUL first": "CAST(char(0) AS TEXT)",
    "bad bytes": "CAST(x'ff41' AS TEXT)",
    "half a character": "CAST(x'41c3' AS TEXT)",
    "surrogate": "CAST(x'eda080' AS TEXT)",
    "BLOB": "x'4142'",
    "BLOB of an id": "CAST('a' AS BLOB)",
    "NULL": "NULL",
}


def nameless(count: int) -> str:
    return f"Sessions whose id is missing or no text: {count}. They cannot be named, so they are not shown."


@pytest.mark.parametrize("id_", NAMELESS.values(), ids=NAMELESS)
@pytest.mark.parametrize("walked", [False, True])
def test_a_session_that_cannot_be_named_is_not_listed(
    tmp_path: Path, id_: str, walked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if walked:
        monkeypatch.setattr("storage.finding.listing.SMALL", 0)
    path = odd(
        tmp_path / "state.db",
        f"INSERT INTO sessions(id, source, started_at) VALUES ({id_}, 'cli', {START + 50})",
        "CREATE INDEX idx_sessions_started ON sessions(started_at)",
        f"INSERT INTO sessions(id, source, started_at, parent_session_id) VALUES ('c', 'cli', {START}, {id_})",
    )
    with SessionDB(path, read_only=True) as db:
        assert nameless(1) in db.info().notes
        entries = db.listing().entries
        assert sorted(entry.id for entry in entries) == ["a", "b", "c"]
        assert sorted(entry.id for entry in db.first_page(limit=3).entries) == ["a", "b", "c"]
        assert [row.id for row in db.details(entries)] == [entry.id for entry in entries]


@pytest.mark.parametrize("id_", ["ä", "x y", "'", "日本", "\U0001f600", "%", "\x1b[31m", ""])
def test_an_id_that_is_any_other_text_is_listed_and_read(tmp_path: Path, id_: str) -> None:
    path = write(tmp_path / "state.db", "none", [Row(id_, "hello")])
    with SessionDB(path, read_only=True) as db:
        assert db.info().notes[0].startswith("The word index is missing")
        assert [row.messages for row in db.details(db.listing().entries)] == [1]
        assert said(db.transcript([id_])) == [(1, id_, "hello")]


# --- ids of messages and of their sessions


def test_an_index_that_names_another_session_than_the_row(tmp_path: Path, copy_store: CopyStore) -> None:
    data = bytearray((STORES / "state-v3.db").read_bytes())
    at = data.index(b"20261128_120000_8cd283", 116_000)
    data[at + 10] ^= 0x16
    path = tmp_path / "state.db"
    path.write_bytes(data)
    whole = copy_store("state-v3.db")
    with SessionDB(path, read_only=True) as db, SessionDB(whole, read_only=True) as sound:
        for entry in sound.listing().entries:
            expected = sound.transcript(entry.parts)
            for found in (db.transcript(entry.parts), db.transcript(entry.parts, 10_000)):
                assert set(found.messages) <= set(expected.messages)
                assert len(found.messages) >= len(expected.messages) - 1


def test_session_ids_that_are_compared_without_case(tmp_path: Path) -> None:
    path = odd(
        tmp_path / "state.db",
        "CREATE TABLE m2(id INTEGER PRIMARY KEY, session_id TEXT COLLATE NOCASE, role TEXT, content TEXT)",
        "INSERT INTO m2 SELECT id, upper(session_id), role, content FROM messages",
        "DROP TABLE messages; ALTER TABLE m2 RENAME TO messages",
    )
    with SessionDB(path, read_only=True) as db:
        assert said(db.transcript(["b", "a"])) == [(3, "b", "three"), (1, "a", "one"), (2, "a", "two")]
        assert said(db.transcript(["b", "a"], 1)) == [(2, "a", "two")]
        assert {row.id: row.messages for row in db.details(db.listing().entries)} == {"a": 2, "b": 1}


@pytest.mark.parametrize("id_", ["NULL", "'x'", "x'01'", "1.5"])
@pytest.mark.parametrize("tail", [None, 1, 9])
def test_a_message_without_a_number_is_left_out_and_said(tmp_path: Path, id_: str, tail: int | None) -> None:
    columns = ("id", "session_id", "role", "content", "timestamp")
    path = odd(
        tmp_path / "state.db",
        with_columns("messages", *(f"+{name} AS {name}" for name in columns)),
        f"INSERT INTO messages(id, session_id, role, content) VALUES ({id_}, 'a', 'user', 'lost')",
    )
    with SessionDB(path, read_only=True) as db:
        found = db.transcript(["a"], tail)
        kept = [(1, "a", "one"), (2, "a", "two")]
        assert said(found) == (kept[1:] if tail == 1 else kept)
        seen = not (tail == 1 and id_ == "1.5")  # it stands before what was asked for
        assert found.notes == (("Left out, because their ids are no numbers: 1 messages.",) if seen else ())
        run(path, f"INSERT INTO messages(id, session_id, role, content) VALUES ({id_}, 'a', 'user', 'again')")
        run(path, "INSERT INTO messages(id, session_id, role, content) VALUES (7, 'b', 'user', 'new')")
        assert db.changes() == Changes(("b",))


# --- more than can cross at once


def numbered(messages: tuple[Message, ...]) -> list[tuple[int, str]]:
    return [(message.id, message.text) for message in messages]


def test_slices_make_the_same_transcript(
    tmp_path: Path, opened: Callable[[Path], Reader], monkeypatch: pytest.MonkeyPatch
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
    tmp_path: Path, opened: Callable[[Path], Reader], monkeypatch: pytest.MonkeyPatch, column: str
) -> None:
    path = write(tmp_path / "state.db", "none", [])
    run(
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


def test_enormous_columns_are_cut_before_they_cross(tmp_path: Path, opened: Callable[[Path], Reader]) -> None:
    path = write(tmp_path / "state.db", "none", [Row("a", "x"), Row("a", "x")])
    run(
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
    tmp_path: Path, opened: Callable[[Path], Reader], raw: str
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


def test_enormous_tool_calls_that_are_no_json_are_cut_text(
    tmp_path: Path, opened: Callable[[Path], Reader]
) -> None:
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
    tmp_path: Path, opened: Callable[[Path], Reader], monkeypatch: pytest.MonkeyPatch
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
