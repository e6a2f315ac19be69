"""Case 34, the reading half: a writer that holds the lock does not disturb reading."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, parse
from tests.support.stores import NOW, BuildV11

SETUP = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one'),('s2','cli',1780000001,'two');
INSERT INTO messages(session_id,role,content,timestamp) VALUES
('s1','user','hello',1780000000),('s2','user','world',1780000001);
"""


@pytest.fixture(params=["wal", "delete"])
def path(request: pytest.FixtureRequest, build_v11: BuildV11) -> Path:
    return build_v11(f"{SETUP} PRAGMA journal_mode={request.param};")


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that has begun to write and does not end it."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE sessions SET title = id || ' not yet'")
        yield connection


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for a lock fails at once: what passes has not waited."""
    monkeypatch.setattr("storage.engine.opening.BUSY_TIMEOUT", 0)


@pytest.mark.usefixtures("writer", "no_patience")
def test_start_list_open_and_search_do_not_wait(path: Path) -> None:
    with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
        entries = db.listing().entries
        assert [row.title for row in db.details(entries)] == ["two", "one"]
        assert [message.text for message in db.transcript(["s1"]).messages] == ["hello"]
        assert [hit.entry.id for hit in db.search(parse("hello")).hits] == ["s1"]
        assert db.changes() is None


@pytest.mark.usefixtures("no_patience")
def test_what_it_wrote_shows_once_it_lets_go(path: Path, writer: sqlite3.Connection) -> None:
    with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
        entries = db.listing().entries
        db.changes()
        writer.execute("UPDATE sessions SET title = id || ' renamed'")
        writer.execute("COMMIT")
        assert db.changes() is not None
        assert [row.title for row in db.details(entries)] == ["s2 renamed", "s1 renamed"]


@pytest.mark.usefixtures("no_patience")
def test_between_the_calls_it_can_commit(path: Path, writer: sqlite3.Connection) -> None:
    """A reader that kept a lock would make this "database is locked" in a store without a WAL."""
    with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
        db.search(parse("hello"))
        db.details(db.listing().entries)
        db.transcript(["s2"])
        writer.execute("COMMIT")
        writer.execute("UPDATE sessions SET title = NULL")
    assert writer.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_opening_sets_no_journal_mode(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    connect = sqlite3.connect

    def tracing(*args: object, **kwargs: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **kwargs)  # type: ignore[call-overload]
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", tracing)
    with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
        db.info()
        db.listing()
    assert said
    assert [statement for statement in said if "journal_mode" in statement.lower()] in (
        ["PRAGMA journal_mode"],
        [],
    )
    assert not [
        s for s in said if s.lower().startswith(("begin", "pragma query", "update", "insert", "delete"))
    ]
