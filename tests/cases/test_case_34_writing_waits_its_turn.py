"""Case 34, the writing half: a write waits for whoever holds the lock, and says so when it waited long enough."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, StoreBusy
from storage.engine.writer import WritePolicy
from tests.cases.test_case_34_somebody_holds_the_lock import SETUP
from tests.support.stores import BuildV11


@pytest.fixture(params=["wal", "delete"])
def path(request: pytest.FixtureRequest, build_v11: BuildV11) -> Path:
    return build_v11(f"{SETUP} PRAGMA journal_mode={request.param};")


@pytest.fixture
def holder(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that holds the write lock."""
    with closing(
        sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    ) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


def titles(db: SessionDB) -> dict[str, str]:
    return {row["id"]: row["title"] for row in db.search_sessions()}


def test_a_rename_waits_and_reading_goes_on(path: Path, holder: sqlite3.Connection) -> None:
    with SessionDB(path, migrate=False, policy=WritePolicy(busy_wait=0.01)) as db:
        renamed: list[bool] = []
        waiting = threading.Thread(target=lambda: renamed.append(db.set_session_title("s1", "uno")))
        waiting.start()
        assert titles(db) == {"s1": "one", "s2": "two"}
        assert [hit["session_id"] for hit in db.search_messages("hello")] == ["s1"]
        assert waiting.is_alive()
        holder.execute("ROLLBACK")
        waiting.join()
        assert renamed == [True]
        assert titles(db) == {"s1": "uno", "s2": "two"}


def test_a_wait_ends_and_nothing_was_written(path: Path, holder: sqlite3.Connection) -> None:
    policy = WritePolicy(budget=0.1, busy_wait=0.01, jitter=(0.01, 0.02))
    with SessionDB(path, migrate=False, policy=policy) as db:
        with pytest.raises(StoreBusy) as error:
            db.set_session_title("s1", "uno")
        assert (
            str(error.value)
            == f"The database {path} is busy: another process holds it; try again in a moment."
        )
        with pytest.raises(StoreBusy):
            db.delete_session("s2")
        assert titles(db) == {"s1": "one", "s2": "two"}
        holder.execute("ROLLBACK")
        assert db.set_session_title("s1", "uno") is True
        assert db.delete_session("s2") is True
        assert titles(db) == {"s1": "uno"}
