"""Ids that no Hermes gives: whatever can be named is listed and read, and what cannot is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB
from storage.records import Changes
from tests.store.odd import odd, said, with_columns
from tests.support.behind import script
from tests.support.layouts import START, Row, write
from tests.support.stores import STORES, CopyStore

# --- of sessions

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


# --- of messages and of their sessions


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
        script(
            path, f"INSERT INTO messages(id, session_id, role, content) VALUES ({id_}, 'a', 'user', 'again')"
        )
        script(path, "INSERT INTO messages(id, session_id, role, content) VALUES (7, 'b', 'user', 'new')")
        assert db.changes() == Changes(("b",))
