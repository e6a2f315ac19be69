"""A full disk, in every work that writes: it is said, nothing committed is lost, and with room it goes on."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine import relayout, upkeep
from storage.engine.repair import repair
from storage.engine.writer import Writer, open_writer
from storage.errors import CannotRepair, DiskFull, NotEnoughRoom, StoreError, StoreNotWritable
from tests.support.small_disk import fill_up, grow, small_disk
from tests.support.stores import STORES, CopyStore
from tests.support.whole import assert_whole, contains, rows_of, without_markers

LONG = "words that take some room " * 40


def append(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) SELECT min(id), 'user', ?, 1 FROM sessions",
        (LONG,),
    )


def append_until_refused(writer: Writer) -> tuple[int, StoreError]:
    for written in range(5000):
        try:
            writer.write(append, touches_messages=True)
        except StoreError as error:
            return written, error
    raise AssertionError("the disk never filled up")


@pytest.mark.parametrize("name", ["state-v23.db", "state-v22-delete-journal.db"])
def test_while_writing(name: str, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        store = Path(shutil.copy(STORES / name, disk / "state.db"))
        (before,) = counted(store)
        writer = open_writer(store, migrate=False)
        written, error = append_until_refused(writer)
        assert written > 10
        assert isinstance(error, DiskFull)
        assert (
            str(error)
            == f"Nothing was written: no space is left where {store} lies; free some and try again."
        )
        assert writer.read(lambda c: c.execute("SELECT count(*) FROM messages").fetchone()) == (
            before + written,
        )
        grow(disk, 8 << 20)
        writer.write(append, touches_messages=True)
        writer.close()
        assert counted(store) == (before + written + 1,)
        assert_whole(store, version=None)


def counted(store: Path) -> tuple[int]:
    with closing(sqlite3.connect(store)) as connection:
        found: tuple[int] = connection.execute("SELECT count(*) FROM messages").fetchone()
        return found


@pytest.mark.parametrize("leave", [0, 64 << 10, 200 << 10])
@pytest.mark.parametrize("name", ["state-v9.db", "state-v14-0.16.0.db", "state-v22-delete-journal.db"])
def test_while_migrating(name: str, leave: int, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 3 << 20) as disk:
        store = Path(shutil.copy(STORES / name, disk / "state.db"))
        rows = without_markers(rows_of(store))
        filler = fill_up(disk, leave)
        refused = attempt(lambda: open_writer(store).close())
        assert leave > 0 or refused is not None
        assert refused is None or isinstance(refused, DiskFull | StoreNotWritable), refused
        filler.unlink()
        assert contains(without_markers(rows_of(store)), rows)
        open_writer(store).close()
        assert_whole(store)
        assert contains(without_markers(rows_of(store)), rows)


def attempt(step: Callable[[], object]) -> StoreError | None:
    try:
        step()
    except StoreError as error:
        return error
    return None


def test_while_a_store_is_born(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        filler = fill_up(disk, 40 << 10)
        store = disk / "state.db"
        with pytest.raises((DiskFull, StoreNotWritable)):
            open_writer(store)
        filler.unlink()
        open_writer(store).close()
        assert_whole(store)


def test_while_vacuuming_and_moving_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        store = Path(shutil.copy(STORES / "state-v22-0.19.0.db", disk / "state.db"))
        rows = rows_of(store)
        filler = fill_up(disk, 300 << 10)
        writer = open_writer(store, migrate=False)
        with pytest.raises(NotEnoughRoom, match=r"this needs 0\.4 MB where .* and 0\.3 MB are free"):
            upkeep.vacuum(writer)
        with pytest.raises(NotEnoughRoom):
            relayout.optimize_storage(writer)
        monkeypatch.setattr(upkeep, "require_room", lambda *_: None)
        for work in (upkeep.vacuum, relayout.optimize_storage):
            refused = attempt(lambda work=work: work(writer))  # type: ignore[misc]
            assert isinstance(refused, DiskFull | StoreNotWritable), refused
        writer.close()
        filler.unlink()
        writer = open_writer(store, migrate=False)
        relayout.optimize_storage(writer)
        writer.close()
        assert_whole(store, version=22)
        assert rows_of(store) == rows


def test_without_room_for_a_copy_nothing_is_repaired(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        store = Path(shutil.copy(STORES / "state-v22-delete-journal.db", disk / "state.db"))
        with closing(sqlite3.connect(store)) as connection:
            connection.execute("DELETE FROM messages_fts_data WHERE id > 10")
            connection.commit()
        filler = fill_up(disk, 100 << 10)
        content = store.read_bytes()
        with pytest.raises(CannotRepair, match="no copy of it could be made"):
            repair(store)
        assert store.read_bytes() == content
        assert list(disk.glob("*backup*")) == []
        filler.unlink()
        assert repair(store).strategy == "rebuild_fts"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="NOT TESTED: no limit can be set on a process of its own")
@pytest.mark.parametrize("name", ["state-v23.db", "state-v22-delete-journal.db"])
def test_a_file_that_may_not_grow(name: str, copy_store: CopyStore) -> None:
    """A limit on the size of files: needs no rights, and fails in another place than a full disk."""
    store = copy_store(name)
    (before,) = counted(store)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit = store.stat().st_size + (200 << 10)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        written, error = append_until_refused(open_writer(store, migrate=False))
        os.write(writing, f"{written}|{error}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told, sentence = pipe.read().split("|", 1)
    os.waitpid(child, 0)
    written = int(told)
    assert written > 5
    assert sentence.startswith("Nothing was written: ")
    assert "the disk reports an error" in sentence or "no space is left" in sentence
    assert counted(store) == (before + written,)
    writer = open_writer(store, migrate=False)
    writer.write(append, touches_messages=True)
    writer.close()
    assert_whole(store, version=None)
