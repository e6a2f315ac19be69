"""Tables that no Hermes made: every reading call answers with what can be read, and `info` says what cannot."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB
from storage.engine.connection import open_reader
from storage.engine.layout import look
from storage.engine.repair import repair
from storage.engine.writer import open_writer
from storage.errors import NotAStore, StoreNotWritable
from storage.records import Changes, Sort
from tests.store.odd import A_VIEW, ALL, ROWLESS, TALK, odd, said, with_columns
from tests.support.behind import script
from tests.support.layouts import START, write


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
        script(path, f"INSERT INTO {table}(id, source, started_at) VALUES ('c', 'cli', {START + 9})")
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
    script(path, f"INSERT INTO state_meta VALUES {marks}")
    with SessionDB(path, read_only=True) as db:
        building = [said for said in db.info().notes if "being rebuilt" in said]
        assert building == (
            [f"The search index is being rebuilt ({note}): the rest is searched more slowly."] if note else []
        )
