"""A process that is killed anywhere loses nothing that was committed, and the next one goes on.

CI tries every twentieth statement, others for every store, and a run at home fewer; KILL_EVERY=1 in the
environment tries all 12,000 and more, which takes some twenty minutes.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine import relayout, upkeep
from storage.engine.repair import repair
from storage.engine.writer import open_writer
from tests.support.crash import Step, count_statements, killed_at
from tests.support.stores import STORES, CopyStore
from tests.support.whole import TRIGGERS, Rows, assert_whole, contains, rows_of, triggers, without_markers

EVERY = int(os.environ.get("KILL_EVERY", "20" if "CI" in os.environ else "50"))
EVERY_STORE = sorted(path.name for path in STORES.glob("*.db"))


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relayout, "CHUNK", 40)
    monkeypatch.setattr(relayout, "PAUSE", 0)


def statements(step: Step, offset: int) -> Iterator[int]:
    """The numbers of the statements to be killed at."""
    total = count_statements(step)
    assert total > 5
    yield from range(1 + offset % EVERY, total + 1, EVERY)


def kill_everywhere(
    original: Path, work: Callable[[Path], object], check: Callable[[Path], None], offset: int, tmp_path: Path
) -> None:
    """Kill `work` on a fresh copy at each chosen statement, and check what is left each time."""
    counted = Path(shutil.copy(original, tmp_path / "counted.db"))
    for statement in statements(lambda: work(counted), offset):
        place = tmp_path / f"at-{statement}"
        place.mkdir()
        store = place / original.name
        shutil.copy(original, store)
        assert killed_at(statement, lambda store=store: work(store)), statement  # type: ignore[misc]
        check(store)
        shutil.rmtree(place)


def migrate(store: Path) -> None:
    open_writer(store).close()


def has_its_triggers(store: Path, before: set[str]) -> bool:
    """All that it had, or the six: never something in between, for older releases would write into it."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        return triggers(connection) >= (TRIGGERS if len(before & TRIGGERS) == 6 else before)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY_STORE)
def test_killed_while_migrating(name: str, tmp_path: Path) -> None:
    rows = without_markers(rows_of(copy(STORES / name, tmp_path)))
    with closing(sqlite3.connect(tmp_path / "looked-at.db")) as connection:
        before = triggers(connection)

    def check(store: Path) -> None:
        assert has_its_triggers(store, before)
        assert contains(without_markers(rows_of(store)), rows)
        migrate(store)
        assert_whole(store)
        assert contains(without_markers(rows_of(store)), rows)

    kill_everywhere(STORES / name, migrate, check, EVERY_STORE.index(name), tmp_path)


def copy(store: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(store, tmp_path / "looked-at.db"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["state-v22-0.19.0.db", "state-v22-delete-journal.db"])
def test_killed_while_the_index_moves_and_the_file_shrinks(name: str, tmp_path: Path) -> None:
    original = copy(STORES / name, tmp_path)
    journal = "wal"
    if "delete" in name:
        journal = "delete"
    rows = rows_of(original)

    def move(store: Path) -> None:
        writer = open_writer(store, migrate=False)
        relayout.optimize_storage(writer)
        writer.close()

    def check(store: Path) -> None:
        assert has_its_triggers(store, set(TRIGGERS))
        move(store)
        assert_whole(store, version=22)
        assert rows_of(store) == rows
        with closing(sqlite3.connect(store)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == (journal,)
            assert (
                connection.execute("SELECT name FROM sqlite_master WHERE name LIKE '%trash%'").fetchall()
                == []
            )

    kill_everywhere(original, move, check, 3, tmp_path)


def vacuum(store: Path) -> None:
    writer = open_writer(store, migrate=False)
    upkeep.optimize(writer)
    upkeep.vacuum(writer)
    writer.close()


REPAIRS = {
    "rebuild": "DELETE FROM messages_fts_data WHERE id > 10",
    "drop": "DELETE FROM messages_fts_config",
    "twice": "PRAGMA writable_schema=ON;"
    " INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'messages_fts'",
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", REPAIRS)
def test_killed_while_repairing(damage: str, tmp_path: Path) -> None:
    original = copy(STORES / "state-v23.db", tmp_path)
    rows = rows_of(original)
    with closing(sqlite3.connect(original, isolation_level=None)) as connection:
        connection.executescript(REPAIRS[damage])

    def check(store: Path) -> None:
        repair(store)
        assert_whole(store)
        assert rows_of(store) == rows

    kill_everywhere(original, lambda store: repair(store), check, len(damage), tmp_path)


def test_killed_while_vacuuming(tmp_path: Path) -> None:
    original = copy(STORES / "state-v23.db", tmp_path)
    rows = rows_of(original)

    def check(store: Path) -> None:
        assert_whole(store)
        assert rows_of(store) == rows

    kill_everywhere(original, vacuum, check, 0, tmp_path)


def test_killed_while_a_store_is_born(tmp_path: Path) -> None:
    def check(store: Path) -> None:
        migrate(store)
        assert_whole(store)

    empty = tmp_path / "empty.db"
    empty.touch(0o600)
    kill_everywhere(empty, migrate, check, 4, tmp_path)


@pytest.mark.parametrize("name", ["state-v23.db", "state-v22-delete-journal.db", "state-v23-cjk.db"])
def test_killed_while_writing(name: str, copy_store: CopyStore) -> None:
    """What the process was told is written is there, and the counters fit."""
    store = copy_store(name)
    writer = open_writer(store)
    writer.write(
        lambda c: c.execute(
            "INSERT INTO sessions(id, source, started_at, message_count) VALUES ('w', 'cli', 1, 0)"
        )
    )
    writer.close()
    rows = rows_of(store)
    acknowledged = 0
    for patience in (3, 40, 97):
        acknowledged += append_until_killed(store, patience)
        assert_appended(store, acknowledged, rows)
    open_writer(store).close()
    assert_whole(store)


def append_until_killed(store: Path, patience: int) -> int:
    """A child process appends until it is killed some time after its `patience`th message; how many it told of."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        writer = open_writer(store, migrate=False)
        while True:
            writer.write(append, touches_messages=True)
            os.write(writing, b".")
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        told = 0
        while told < patience:
            told += len(pipe.read(1))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return told + len(pipe.read())


def append(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('w', 'user', 'written words', 1)"
    )
    connection.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = 'w'")


def assert_appended(store: Path, acknowledged: int, rows: Rows) -> None:
    with closing(sqlite3.connect(store)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM messages WHERE session_id = 'w'").fetchone()
        (counter,) = connection.execute("SELECT message_count FROM sessions WHERE id = 'w'").fetchone()
        # One more than was told may have been committed, by each of the processes killed so far.
        assert acknowledged <= count <= acknowledged + 3
        assert counter == count
    assert contains({"messages": rows_of(store)["messages"]}, {"messages": rows["messages"]})
