"""The writer: one transaction at a time, patient with others, and clear about what it refuses."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.writer import WritePolicy, Writer, open_writer
from storage.errors import (
    NotAStore,
    RowRefused,
    StoreBusy,
    StoreClosed,
    StoreFenced,
    StoreMissing,
    StoreReplaced,
)
from tests.support.stores import CopyStore
from tests.support.whole import assert_whole, triggers

QUICK = WritePolicy(budget=0.3, busy_wait=0.01, jitter=(0.001, 0.01))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state.db"


def add_session(connection: sqlite3.Connection, session_id: str = "s") -> None:
    connection.execute("INSERT INTO sessions(id, source, started_at) VALUES (?, 'cli', 1)", (session_id,))


def add_message(connection: sqlite3.Connection, session_id: str = "s", content: str = "hello there") -> None:
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, 'user', ?, 1)",
        (session_id, content),
    )


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_new_store_is_born_whole_and_private(path: Path) -> None:
    writer = open_writer(path)
    assert (writer.layout.version, writer.layout.turn_fences) == (23, ())
    assert writer.read(lambda c: c.execute("PRAGMA journal_mode").fetchone()) == ("wal",)
    assert writer.read(lambda c: c.execute("PRAGMA foreign_keys").fetchone()) == (1,)
    writer.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not path.with_name("state.db-wal").exists()
    assert_whole(path)


def test_a_file_of_no_bytes_becomes_a_store(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    open_writer(path).close()
    assert_whole(path)


def test_any_name_a_file_can_have(tmp_path: Path) -> None:
    odd = tmp_path / "a b?c#d%20é'" / "state.db"
    open_writer(odd).close()
    assert_whole(odd)


def test_without_migrating_nothing_is_created(path: Path) -> None:
    with pytest.raises(StoreMissing, match="No session store at"):
        open_writer(path, migrate=False)
    assert not path.parent.exists()


def test_what_is_no_store_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE accounts (name TEXT)")
    before = other.read_bytes()
    with pytest.raises(NotAStore, match="no table named sessions"):
        open_writer(other)
    assert other.read_bytes() == before
    text = tmp_path / "text"
    text.write_text("hello" * 200)
    with pytest.raises(NotAStore, match="is not a database"):
        open_writer(text)
    with pytest.raises(NotAStore, match="is not a file"):
        open_writer(tmp_path)


def test_an_error_takes_everything_back(path: Path) -> None:
    writer = open_writer(path)

    def fail(connection: sqlite3.Connection) -> None:
        add_session(connection)
        raise LookupError("no")

    with pytest.raises(LookupError):
        writer.write(fail)
    writer.write(add_session)
    with pytest.raises(RowRefused, match=r"Nothing was written: UNIQUE constraint failed: sessions\.id\."):
        writer.write(add_session)
    with pytest.raises(RowRefused, match="FOREIGN KEY"):
        writer.write(lambda c: add_message(c, "nobody"))
    writer.close()
    assert (count(path, "sessions"), count(path, "messages")) == (1, 0)


def test_reading_sees_one_state_and_changes_nothing(path: Path) -> None:
    writer = open_writer(path)
    writer.write(add_session)
    assert writer.read(lambda c: c.execute("SELECT id FROM sessions").fetchall()) == [("s",)]
    writer.read(lambda c: add_session(c, "t"))
    assert writer.read(lambda c: c.execute("SELECT id FROM sessions").fetchall()) == [("s",)]
    writer.close()


def test_a_closed_writer_says_so(path: Path) -> None:
    writer = open_writer(path)
    writer.close()
    writer.close()
    with pytest.raises(StoreClosed, match="has been closed"):
        writer.write(add_session)


def locking(path: Path) -> sqlite3.Connection:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_lock_that_goes_away_is_waited_for(path: Path, journal: str) -> None:
    open_writer(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode={journal}")
    tries = []
    writer = open_writer(path, migrate=False, policy=WritePolicy(busy_wait=0.01, jitter=(0.001, 0.002)))
    other = locking(path)
    release = threading.Timer(0.1, lambda: other.execute("COMMIT"))
    release.start()

    def work(connection: sqlite3.Connection) -> str:
        tries.append(1)
        add_session(connection)
        return "done"

    assert writer.write(work) == "done"
    assert len(tries) == 1, "BEGIN IMMEDIATE waits before any work is done"
    release.join()
    other.close()
    writer.close()
    assert count(path, "sessions") == 1


def test_a_lock_that_stays_is_said_when_the_budget_is_spent(path: Path) -> None:
    writer = open_writer(path, policy=QUICK)
    other = locking(path)
    with pytest.raises(StoreBusy, match="is busy: another process holds it; try again in a moment"):
        writer.write(add_session)
    other.execute("ROLLBACK")
    other.close()
    writer.write(add_session)
    writer.close()
    assert count(path, "sessions") == 1


def test_a_busy_commit_runs_the_work_again(path: Path) -> None:
    """In DELETE mode a reader can stop a commit; then nothing of the transaction stays."""
    open_writer(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    writer = open_writer(
        path, migrate=False, policy=WritePolicy(budget=5, busy_wait=0.01, jitter=(0.001, 0.01))
    )
    reader = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM sessions").fetchall()
    tries = []

    def work(connection: sqlite3.Connection) -> None:
        tries.append(1)
        add_session(connection)
        if len(tries) == 3:
            reader.execute("COMMIT")

    writer.write(work)
    assert len(tries) == 3
    reader.close()
    writer.close()
    assert count(path, "sessions") == 1


def test_the_wal_is_checkpointed_every_so_many_writes_and_at_the_end(path: Path) -> None:
    writer = open_writer(path, policy=WritePolicy(checkpoint_every=3))
    seen: list[str] = []
    writer.outside(lambda c: c.set_trace_callback(seen.append))
    for number in range(7):
        writer.write(lambda c, number=number: add_session(c, f"s{number}"))  # type: ignore[misc]
    assert [sql for sql in seen if "checkpoint" in sql] == ["PRAGMA wal_checkpoint(PASSIVE)"] * 2
    assert [sql for sql in seen if sql.startswith("BEGIN")] == ["BEGIN IMMEDIATE"] * 7
    seen.clear()
    writer.close()
    assert seen == ["PRAGMA wal_checkpoint(TRUNCATE)"]


def test_many_threads_share_one_writer(path: Path) -> None:
    writer = open_writer(path)
    writer.write(add_session)

    def append(number: int) -> None:
        for _ in range(20):
            writer.write(lambda c: add_message(c, content=f"of {number}"), touches_messages=True)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    assert count(path, "messages") == 120
    assert_whole(path)


@pytest.mark.parametrize("replace", [True, False])
def test_a_file_that_is_gone_is_not_written_into(path: Path, tmp_path: Path, replace: bool) -> None:
    writer = open_writer(path)
    writer.write(add_session)
    path.rename(tmp_path / "elsewhere.db")
    if replace:
        open_writer(path).close()
    with pytest.raises(StoreReplaced, match="was deleted or replaced after it was opened; open it again"):
        writer.write(lambda c: add_session(c, "lost"))
    writer.close()
    assert path.exists() == replace
    if replace:
        assert_whole(path)
        assert count(path, "sessions") == 0


def test_a_fenced_store_is_read_and_not_written(path: Path) -> None:
    open_writer(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TRIGGER hermes_turn_fence_sessions_insert BEFORE INSERT ON sessions"
            " BEGIN SELECT hermes_turn_fence_generation(); END; UPDATE schema_version SET version = 27;"
        )
    writer = open_writer(path)
    assert writer.read(lambda c: c.execute("SELECT count(*) FROM sessions").fetchone()) == (0,)
    with pytest.raises(StoreFenced, match="the Hermes that fenced it lets nobody else write to it"):
        writer.write(add_session)
    writer.close()


def test_a_fence_that_comes_later_is_seen(path: Path) -> None:
    writer = open_writer(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER turn_fence_messages BEFORE INSERT ON messages"
            " BEGIN SELECT hermes_turn_fence_generation(); END"
        )
    with pytest.raises(StoreFenced):
        writer.write(add_session)
    writer.close()


# --- a tokenizer that is not here (spec 1.6)


def cjk(writer: Writer) -> tuple[set[str], list[tuple[str, str]]]:
    def look(connection: sqlite3.Connection) -> tuple[set[str], list[tuple[str, str]]]:
        keys = connection.execute("SELECT key, value FROM state_meta WHERE key LIKE 'fts_cjk%'").fetchall()
        return {name for name in triggers(connection) if "cjk" in name}, keys

    return writer.read(look)


def test_a_missing_tokenizer_is_detached_before_the_first_message(copy_store: CopyStore) -> None:
    store = copy_store("state-v23-cjk.db")
    writer = open_writer(store, migrate=False)
    seen: list[str] = []
    writer.outside(lambda c: c.set_trace_callback(seen.append))
    writer.write(lambda c: c.execute("UPDATE sessions SET title = NULL"))
    assert len(cjk(writer)[0]) == 3, "a write that leaves the messages alone leaves the triggers alone"
    (session_id,) = writer.read(lambda c: c.execute("SELECT min(id) FROM sessions").fetchone())
    writer.write(lambda c: add_message(c, session_id), touches_messages=True)
    assert cjk(writer) == (set(), [("fts_cjk_stale", "1")])
    flag = next(number for number, sql in enumerate(seen) if "fts_cjk_stale" in sql)
    drop = next(number for number, sql in enumerate(seen) if "DROP TRIGGER" in sql)
    assert flag < drop
    assert not any("DROP TABLE" in sql for sql in seen)
    writer.close()
    assert_whole(store)


def test_a_failed_write_leaves_the_tokenizer_attached(copy_store: CopyStore) -> None:
    writer = open_writer(copy_store("state-v23-cjk.db"), migrate=False)
    with pytest.raises(RowRefused):
        writer.write(lambda c: add_message(c, "nobody"), touches_messages=True)
    assert (len(cjk(writer)[0]), cjk(writer)[1]) == (3, [])
    writer.close()


def test_triggers_that_another_process_brings_back_are_seen(copy_store: CopyStore) -> None:
    store = copy_store("state-v23-cjk.db")
    with closing(sqlite3.connect(store)) as connection:
        made = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_cjk_insert'"
        ).fetchone()
        session_id = connection.execute("SELECT min(id) FROM sessions").fetchone()[0]
    writer = open_writer(store, migrate=False)
    writer.write(lambda c: add_message(c, session_id), touches_messages=True)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(made[0])
    writer.write(lambda c: add_message(c, session_id), touches_messages=True)
    assert cjk(writer)[0] == set()
    writer.close()
