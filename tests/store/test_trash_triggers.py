"""A store whose triggers undo in silence what is deleted or restored: nothing is done, and nothing is lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, StoreError
from tests.support.raw import raw_rows


def talk(db: SessionDB, *ids: str) -> None:
    for id_ in ids:
        db.create_session(id_, "cli")
        db.append_message(id_, "user", f"words {id_}")


def run(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


@pytest.mark.parametrize(
    "trigger",
    [
        "BEFORE DELETE ON sessions BEGIN SELECT RAISE(IGNORE); END",
        "BEFORE DELETE ON messages BEGIN SELECT RAISE(IGNORE); END",
        "AFTER DELETE ON sessions BEGIN INSERT INTO sessions(id, source, started_at) VALUES (old.id, 'cli', 1); END",
    ],
)
@pytest.mark.parametrize("keep_copy", [True, False])
def test_what_a_trigger_keeps_is_not_called_deleted(db: SessionDB, trigger: str, keep_copy: bool) -> None:
    talk(db, "a", "b")
    run(db.path, f"CREATE TRIGGER keeping {trigger}")
    before = raw_rows(db.path)
    deletion = db.trash_sessions([["a"], ["b"]], keep_copy=keep_copy)
    assert isinstance(deletion.failed, StoreError)
    assert (deletion.deleted, deletion.left, deletion.step) == ((), 2, "")
    assert raw_rows(db.path) == before
    assert db.list_trash() == ()


@pytest.mark.parametrize(
    "trigger",
    [
        "BEFORE INSERT ON sessions BEGIN SELECT RAISE(IGNORE); END",
        "BEFORE INSERT ON messages BEGIN SELECT RAISE(IGNORE); END",
        "AFTER INSERT ON sessions BEGIN DELETE FROM sessions WHERE id = new.id; END",
    ],
)
def test_a_copy_stays_as_long_as_a_trigger_lets_nothing_back_in(db: SessionDB, trigger: str) -> None:
    talk(db, "a", "b")
    before = raw_rows(db.path)
    step = db.trash_sessions([["a"], ["b"]]).step
    run(db.path, f"CREATE TRIGGER keeping {trigger}")
    with pytest.raises(StoreError, match="a trigger in the store does not let session 'b' back in"):
        db.restore_trash(step)
    assert [one.sessions for one in db.list_trash()] == [("a", "b")]
    run(db.path, "DROP TRIGGER keeping")
    assert db.restore_trash(step).messages == 2
    assert raw_rows(db.path) == before
