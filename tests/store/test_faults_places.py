"""Files that cannot be written where they lie, and files that are not what they were."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.repair import repair
from storage.engine.writer import open_writer
from storage.errors import CannotCreate, CannotRepair, NotAStore, StoreDamaged, StoreError
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.stores import STORES, CopyStore
from tests.support.whole import assert_whole, rows_of

JOURNALS = ["state-v22-0.19.0.db", "state-v22-delete-journal.db"]


def retitle(store: Path) -> None:
    writer = open_writer(store, migrate=False)
    writer.write(lambda c: c.execute("UPDATE sessions SET title = NULL"))
    writer.close()


def append(store: Path) -> None:
    writer = open_writer(store, migrate=False)
    writer.write(
        lambda c: c.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) SELECT min(id), 'user', 'more', 1 FROM sessions"
        ),
        touches_messages=True,
    )
    writer.close()


def told(step: Callable[[], object]) -> tuple[str, str]:
    """The error that `step` ends with, by name and sentence."""
    try:
        step()
    except StoreError as error:
        return type(error).__name__, str(error)
    return "", ""


@pytest.mark.parametrize("name", JOURNALS)
def test_a_directory_that_cannot_be_written(name: str) -> None:
    with public_directory() as directory:
        store = Path(shutil.copy(STORES / name, directory / name))
        store.chmod(0o666)
        directory.chmod(0o555)
        content = store.read_bytes()
        for step in (retitle, append, lambda store: open_writer(store), repair):
            error, sentence = as_somebody_else(lambda step=step: told(lambda: step(store)))  # type: ignore[misc]
            assert error == "StoreNotWritable", sentence
            assert sentence.startswith(f"Nothing was written: {store} cannot be written here (")
        assert store.read_bytes() == content
        assert [path.name for path in directory.iterdir()] == [name]


@pytest.mark.parametrize("name", JOURNALS)
def test_a_file_that_cannot_be_written(name: str) -> None:
    with public_directory() as directory:
        store = Path(shutil.copy(STORES / name, directory / name))
        store.chmod(0o444)
        directory.chmod(0o777)
        for step in (retitle, lambda store: open_writer(store)):
            error, sentence = as_somebody_else(lambda step=step: told(lambda: step(store)))  # type: ignore[misc]
            assert error == "StoreNotWritable", sentence
            assert "cannot be written here" in sentence


def test_a_place_where_no_store_can_be_made() -> None:
    with public_directory() as directory:
        directory.chmod(0o555)
        store = directory / "home" / "state.db"
        error, sentence = as_somebody_else(lambda: told(lambda: open_writer(store)))
        assert error == CannotCreate.__name__
        assert sentence == f"Cannot create a store at {store}: Permission denied."


@pytest.mark.parametrize("name", JOURNALS)
@pytest.mark.parametrize("pages", [1, 3, 40, 90])
def test_a_file_that_was_cut_off(pages: int, name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    content = store.read_bytes()[: pages * 4096]
    store.write_bytes(content)
    for step in (lambda store: open_writer(store), append, retitle):
        with pytest.raises(
            StoreDamaged, match=r"is damaged \(.*\); the Python function `storage.repair` makes a backup"
        ):
            step(store)
    with pytest.raises(CannotRepair, match="a copy of it as it was is") as raised:
        repair(store)
    assert raised.value.backup is not None
    assert raised.value.backup.read_bytes()[100:] == content[100:]
    assert store.read_bytes()[100:] == content[100:]


@pytest.mark.parametrize("size", [17, 99])
def test_a_file_of_which_nothing_is_left(size: int, copy_store: CopyStore) -> None:
    store = copy_store("state-v23.db")
    store.write_bytes(store.read_bytes()[:size])
    with pytest.raises((NotAStore, StoreDamaged)):
        open_writer(store)
    assert store.stat().st_size == size


@pytest.mark.parametrize("name", JOURNALS)
def test_a_damaged_page_of_the_messages(name: str, copy_store: CopyStore) -> None:
    """It stops the write that touches it, is said, and costs no other row."""
    store = copy_store(name)
    sessions = rows_of(store)["sessions"]
    with closing(sqlite3.connect(store)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
    content = bytearray(store.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    store.write_bytes(content)
    with pytest.raises(StoreDamaged, match="database disk image is malformed"):
        append(store)
    retitle(store)
    assert [row["id"] for row in rows_of_sessions(store)] == [row["id"] for row in sessions]
    with pytest.raises(CannotRepair):
        repair(store)


def rows_of_sessions(store: Path) -> list[dict[str, str]]:
    with closing(sqlite3.connect(store)) as connection:
        return [{"id": row[0]} for row in connection.execute("SELECT id FROM sessions ORDER BY id")]


def test_a_write_that_was_cut_off_is_taken_back_by_the_next(copy_store: CopyStore, tmp_path: Path) -> None:
    """A journal that a killed process left, in DELETE mode: the next opener that may write rolls it back."""
    store = copy_store("state-v22-delete-journal.db")
    rows = rows_of(store)
    half = tmp_path / "half"
    half.mkdir()
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE messages SET content = hex(randomblob(2000))")
        for path in store.parent.iterdir():
            shutil.copy(path, half / path.name)
        connection.execute("ROLLBACK")
    assert (half / f"{store.name}-journal").stat().st_size > 0
    torn = half / store.name
    retitle(torn)
    assert_whole(torn, version=22)
    assert rows_of(torn)["messages"] == rows["messages"]


def test_a_wal_that_somebody_removed(copy_store: CopyStore) -> None:
    """What was not checkpointed is gone with it; what was is not, and the store goes on."""
    store = copy_store("state-v23.db")
    rows = rows_of(store)["messages"]
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("UPDATE sessions SET title = NULL")
        kept = store.parent / "kept"
        kept.mkdir()
        moved = Path(shutil.copy(store, kept / store.name))
    append(moved)
    open_writer(moved).close()
    assert_whole(moved)
    assert rows_of(moved)["messages"][: len(rows)] == rows
