"""A store of our own: born as Hermes would make it, filled with all rows of a call or none."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB
from storage.engine.connection import open_reader
from storage.engine.creation import script
from storage.errors import CannotCreate, RowRefused, StoreMissing, WritingNotSupported
from storage.keeping.fill import create_store, fill
from tests.support.other_user import as_somebody_else, public_directory

S1 = {"id": "s1", "source": "cli", "started_at": 1780000000.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "state.db"
    create_store(path)
    return path


@pytest.fixture
def store(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def message(text: Any, **columns: Any) -> dict[str, Any]:
    return {"session_id": "s1", "role": "user", "content": text, "timestamp": 1780000001.0, **columns}


def schema(path: Path) -> dict[str, str]:
    """The text of every object, white space aside: the parts of a schema that Hermes compares."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: "".join(sql.split()) for name, sql in rows}


def test_it_is_what_hermes_makes_at_version_23(path: Path, stores: Path, tmp_path: Path) -> None:
    made_by_hermes = tmp_path / "hermes.db"
    made_by_hermes.write_bytes((stores / "state-v23.db").read_bytes())
    ours, theirs = schema(path), schema(made_by_hermes)
    # Columns that came late stand on the last line there, and before the foreign key here: only their order differs.
    for table in ("sessions", "messages"):
        assert sorted(ours.pop(table).split(",")) == sorted(theirs.pop(table).split(","))
    assert ours == theirs


def test_it_is_stamped(store: sqlite3.Connection) -> None:
    assert store.execute("SELECT version FROM schema_version").fetchall() == [(23,)]
    assert store.execute("SELECT key, value FROM state_meta").fetchall() == [("fts_storage_version", "1")]
    assert store.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_it_is_closed_cleanly_and_nobody_elses(path: Path) -> None:
    assert os.listdir(path.parent) == ["state.db"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_scripts_may_be_run_again(store: sqlite3.Connection) -> None:
    before = store.execute("SELECT * FROM sqlite_master").fetchall()
    for name in ("tables", "indexes", "deferred_indexes", "fts_external"):
        store.executescript(script(name))
    assert store.execute("SELECT * FROM sqlite_master").fetchall() == before


@pytest.mark.parametrize("content", [b"", b"something"])
def test_what_is_there_is_never_overwritten(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    with pytest.raises(WritingNotSupported) as error:
        create_store(path)
    assert str(error.value) == f"{path} exists; this version opens existing stores only with read_only=True."
    assert path.read_bytes() == content


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WritingNotSupported):
        create_store(path)
    assert not (tmp_path / "elsewhere").exists()


def test_a_place_where_nothing_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotCreate):
        create_store(tmp_path / "file" / "state.db")
    with public_directory() as directory:
        directory.chmod(0o555)

        def refusal() -> str:
            with pytest.raises(CannotCreate) as error:
                create_store(directory / "state.db")
            return str(error.value)

        sentence = f"Cannot create a store at {directory / 'state.db'}: Permission denied."
        assert as_somebody_else(refusal) == sentence


# --- rows


def test_rows_are_bound_as_they_are(path: Path, store: sqlite3.Connection) -> None:
    quoted = "it's; DROP TABLE sessions --"
    fill(
        path, [{**S1, "title": quoted, "pinned": True, "actual_cost_usd": 0.5}], [message(None, role="tool")]
    )
    assert store.execute("SELECT id, title, pinned, actual_cost_usd FROM sessions").fetchall() == [
        ("s1", quoted, 1, 0.5)
    ]
    assert store.execute("SELECT role, content, active, compacted FROM messages").fetchall() == [
        ("tool", None, 1, 0)
    ]


@pytest.mark.parametrize(
    ("column", "value", "stored"),
    [
        ("content", "plain", "plain"),
        ("content", "", ""),
        ("content", None, None),
        ("content", b"\x00\xff", b"\x00\xff"),
        ("content", [{"type": "text", "text": "ü"}], '\0json:[{"type": "text", "text": "\\u00fc"}]'),
        ("content", {"a": 1}, '\0json:{"a": 1}'),
        ("content", [], "\0json:[]"),
        ("content", "a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("tool_calls", [{"function": {"name": "ls"}}], '[{"function": {"name": "ls"}}]'),
        ("tool_calls", [], None),
        ("tool_calls", "[broken", "[broken"),
        ("reasoning_details", [1], "[1]"),
        ("display_metadata", {"k": "v"}, '{"k": "v"}'),
        ("reasoning", "why\ud800", "why\ufffd"),
    ],
)
def test_values_become_what_hermes_stores(
    column: str, value: Any, stored: Any, path: Path, store: sqlite3.Connection
) -> None:
    fill(path, [S1], [{**message("x"), column: value}])
    assert store.execute(f"SELECT {column} FROM messages").fetchall() == [(stored,)]


def test_a_sessions_settings_are_json(path: Path, store: sqlite3.Connection) -> None:
    fill(path, [{**S1, "model_config": {"_branched_from": "x"}, "origin_json": {}}], [])
    assert store.execute("SELECT model_config, origin_json FROM sessions").fetchall() == [
        ('{"_branched_from": "x"}', None)
    ]


def test_counters_grow_as_appending_would_make_them(path: Path, store: sqlite3.Connection) -> None:
    fill(
        path,
        [S1, {**S1, "id": "s2", "message_count": 7}, {**S1, "id": "s3"}],
        [
            message("a"),
            message("b", tool_calls=[{}, {}]),
            message("c", tool_calls={"one": 1}),
            message("d", tool_calls=[]),
            message("e", role="tool"),
            message("f", session_id="s2"),
        ],
    )
    fill(path, [], [message("g", tool_calls=[{}])])
    assert store.execute(
        "SELECT id, message_count, tool_call_count FROM sessions ORDER BY id"
    ).fetchall() == [
        ("s1", 6, 4),
        ("s2", 8, 0),
        ("s3", 0, 0),
    ]


def test_a_child_may_come_before_its_parent(path: Path, store: sqlite3.Connection) -> None:
    fill(path, [{**S1, "id": "child", "parent_session_id": "s1"}, S1], [])
    assert store.execute("SELECT count(*) FROM sessions").fetchone() == (2,)
    assert store.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(
    ("sessions", "messages", "why"),
    [
        ([{**S1, "hidden": 1, "colour": "red"}], [], "sessions has no column named colour, hidden"),
        ([S1], [message("x", note="y")], "messages has no column named note"),
        ([S1], [message("x", **{'content") --': 1})], 'messages has no column named content") --'),
        ([S1, S1], [], "UNIQUE constraint failed: sessions.id"),
        ([S1], [{"session_id": "s1", "role": "user"}], "NOT NULL constraint failed: messages.timestamp"),
        ([S1], [message("x", session_id="nobody")], "a row names a session that is not there"),
        ([{**S1, "parent_session_id": "nobody"}], [], "a row names a session that is not there"),
        (
            [{**S1, "title": "t"}, {**S1, "id": "s2", "title": "t"}],
            [],
            "UNIQUE constraint failed: sessions.title",
        ),
    ],
)
def test_a_row_that_does_not_fit_takes_all_with_it(
    sessions: list[dict[str, Any]],
    messages: list[dict[str, Any]],
    why: str,
    path: Path,
    store: sqlite3.Connection,
) -> None:
    fill(path, [{**S1, "id": "before"}], [])
    with pytest.raises(RowRefused) as error:
        fill(path, [{**S1, "id": "first"}, *sessions], messages)
    assert str(error.value) == f"Nothing was written: {why}."
    assert store.execute("SELECT id FROM sessions").fetchall() == [("before",)]
    assert store.execute("SELECT count(*) FROM messages").fetchone() == (0,)


def test_an_error_of_the_caller_takes_all_with_it(path: Path, store: sqlite3.Connection) -> None:
    def broken() -> Iterator[dict[str, Any]]:
        yield message("x")
        raise LookupError

    with pytest.raises(LookupError):
        fill(path, [S1], broken())
    assert store.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        fill(tmp_path / "state.db", [S1], [])
    assert list(tmp_path.iterdir()) == []


def test_both_indexes_are_whole_and_answer(path: Path, store: sqlite3.Connection) -> None:
    fill(
        path,
        [S1],
        [
            message("see the docker logs"),
            message("去年广西自驾"),
            message("docker output", role="tool", tool_name="terminal"),
            message("", role="assistant", tool_calls=[{"function": {"name": "search_docker"}}]),
            message([{"type": "text", "text": "a zebra"}]),
        ],
    )
    store.execute("UPDATE messages SET content = 'see the podman logs' WHERE id = 1")
    store.execute("UPDATE messages SET role = 'user' WHERE id = 3")
    store.execute("DELETE FROM messages WHERE id = 5")
    for table in ("messages_fts", "messages_fts_trigram"):
        store.execute(f"INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)")

    def matches(table: str, term: str) -> list[int]:
        rows = store.execute(
            f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY rowid", (f'"{term}"',)
        )
        return [rowid for (rowid,) in rows]

    assert matches("messages_fts", "docker") == [3, 4]
    assert matches("messages_fts", "podman") == [1]
    assert matches("messages_fts", "zebra") == []
    assert matches("messages_fts_trigram", "广西自") == [2]
    assert matches("messages_fts_trigram", "docker") == [3, 4]


def test_the_gates_keep_a_half_built_index_whole(path: Path, store: sqlite3.Connection) -> None:
    fill(path, [S1], [message(f"word{number}") for number in range(1, 7)])
    # As in the middle of a rebuild: rows to 2 and from 5 are in, 3 and 4 are not yet.
    store.execute(
        "INSERT INTO state_meta VALUES('fts_rebuild_high_water', '4'), ('fts_rebuild_progress', '2')"
    )
    for table in ("messages_fts", "messages_fts_trigram"):
        for row in (3, 4):
            store.execute(
                f"INSERT INTO {table}({table}, rowid, content, tool_name, tool_calls)"
                " SELECT 'delete', id, content, tool_name, tool_calls FROM messages WHERE id = ?",
                (row,),
            )
    store.execute("DELETE FROM messages WHERE id IN (2, 3, 6)")
    store.execute("UPDATE messages SET content = 'changed' WHERE id IN (1, 4)")
    store.execute("DELETE FROM state_meta WHERE key LIKE 'fts_rebuild_%'")
    for table in ("messages_fts", "messages_fts_trigram"):
        store.execute(
            f"INSERT INTO {table}(rowid, content, tool_name, tool_calls)"
            " SELECT id, content, tool_name, tool_calls FROM messages WHERE id = 4"
        )
        store.execute(f"INSERT INTO {table}({table}, rank) VALUES('integrity-check', 1)")
        found = store.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH 'changed' ORDER BY rowid")
        assert found.fetchall() == [(1,), (4,)]


def test_readers_see_it_at_once(path: Path) -> None:
    with closing(open_reader(path)) as reader:
        seen = reader.data_version()
        fill(path, [S1], [message("x")])
        assert reader.data_version() != seen
        assert reader.info().sessions == 1
        assert reader.info().notes == ()


def test_only_a_store_of_our_own_is_filled(tmp_path: Path, path: Path) -> None:
    with SessionDB(tmp_path / "new.db") as db:
        db.fill([S1], [message("hello")])
        assert [row.messages for row in db.details(db.listing().entries)] == [1]
    for read_only in (True, False):
        with SessionDB(path, read_only=read_only) as db:
            with pytest.raises(WritingNotSupported):
                db.fill([S1], [])
            assert db.info().sessions == 0
