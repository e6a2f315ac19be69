"""The calls of a person: migrate, move the index, repair; and what failures are called."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import Repaired, SessionDB, StoreMissing, migrate, repair
from storage.engine import cjk_tokenizer, relayout
from storage.engine.failures import is_busy, is_damage, refused
from storage.engine.journal import use_wal
from storage.engine.writer import open_writer
from storage.errors import (
    DiskFull,
    IndexStopsWrites,
    NotAStore,
    RowRefused,
    StoreBusy,
    StoreDamaged,
    StoreNotWritable,
    StoreReplaced,
    StoreUnreadable,
)
from tests.support.stores import CopyStore
from tests.support.whole import assert_whole


def test_migrating_says_from_where_to_where(copy_store: CopyStore, tmp_path: Path) -> None:
    store = copy_store("state-v10.db")
    told: list[tuple[int, int]] = []
    assert migrate(store, lambda done, total: told.append((done, total))) == (10, 23)
    assert told == [(132, 132)]
    assert migrate(store) == (23, 23)
    assert_whole(store)
    with pytest.raises(StoreMissing):
        migrate(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_the_index_moves_through_the_door(copy_store: CopyStore) -> None:
    store = copy_store("state-v22-0.19.0.db")
    told: list[tuple[int, int]] = []
    with SessionDB(store) as db:
        assert db.optimize_storage(lambda done, total: told.append((done, total)))
        assert not db.optimize_storage()
        assert told == [(134, 134)]
        assert db.search_messages("the")
    assert_whole(store)
    assert repair(store) == Repaired("already_healthy", None)


def test_without_migrating_the_door_moves_an_index_too(copy_store: CopyStore) -> None:
    store = copy_store("state-v14-0.16.0.db")
    with SessionDB(store, migrate=False) as db:
        assert db.optimize_storage(vacuum=False)
    assert_whole(store, version=14)


def test_where_the_tables_of_an_index_are_protected_it_is_dropped_whole(
    copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def protected(connection: sqlite3.Connection, table: str) -> bool:
        raise sqlite3.OperationalError(f"table {table} may not be modified")

    monkeypatch.setattr(relayout, "_delete_some", protected)
    store = copy_store("state-v22-0.19.0.db")
    with SessionDB(store) as db:
        db.optimize_storage()
    assert_whole(store)


# --- failures by name


def error(code: int, text: str = "text") -> sqlite3.OperationalError:
    made = sqlite3.OperationalError(text)
    made.sqlite_errorcode = code
    return made


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (sqlite3.SQLITE_READONLY_DBMOVED, "", StoreReplaced),
        (sqlite3.SQLITE_READONLY, "", StoreNotWritable),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "", StoreNotWritable),
        (sqlite3.SQLITE_CANTOPEN, "", StoreNotWritable),
        (sqlite3.SQLITE_IOERR_WRITE, "", StoreNotWritable),
        (sqlite3.SQLITE_FULL, "", DiskFull),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: sessions.title", RowRefused),
        (sqlite3.SQLITE_CONSTRAINT, "constraint failed", IndexStopsWrites),
        (sqlite3.SQLITE_CORRUPT_VTAB, "", IndexStopsWrites),
        (sqlite3.SQLITE_ERROR, "vtable constructor failed: messages_fts", IndexStopsWrites),
        (sqlite3.SQLITE_CORRUPT, "", StoreDamaged),
        (sqlite3.SQLITE_NOTADB, "", NotAStore),
        (sqlite3.SQLITE_BUSY, "", StoreBusy),
        (sqlite3.SQLITE_TOOBIG, "string or blob too big", RowRefused),
        (sqlite3.SQLITE_ERROR, "no such column: x", StoreUnreadable),
    ],
)
def test_what_stopped_a_write_has_a_name(code: int, text: str, kind: type[Exception]) -> None:
    assert type(refused(error(code, text), Path("/s.db"))) is kind


def test_a_mistake_in_a_call_stays_one() -> None:
    with pytest.raises(sqlite3.ProgrammingError):
        refused(sqlite3.ProgrammingError("wrong number of bindings"), Path("/s.db"))


def test_busy_and_damage_are_told_apart() -> None:
    assert [is_busy(error(code)) for code in (sqlite3.SQLITE_BUSY_SNAPSHOT, sqlite3.SQLITE_FULL)] == [
        True,
        False,
    ]
    assert [is_damage(error(code)) for code in (sqlite3.SQLITE_CORRUPT_INDEX, sqlite3.SQLITE_BUSY)] == [
        True,
        False,
    ]
    assert not is_busy(sqlite3.ProgrammingError("no code"))


# --- the journal where WAL cannot work


class Refusing(sqlite3.Connection):
    """As on a file system without shared memory."""

    refusal = error(sqlite3.SQLITE_PROTOCOL, "locking protocol")

    def execute(self, sql: str, *params: object) -> sqlite3.Cursor:
        if sql == "PRAGMA journal_mode=WAL":
            raise self.refusal
        return super().execute(sql, *params)  # type: ignore[arg-type]


@pytest.fixture
def refusing(tmp_path: Path) -> Iterator[Refusing]:
    connection = sqlite3.connect(tmp_path / "state.db", factory=Refusing)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (sqlite3.SQLITE_PROTOCOL, "locking protocol"),
        (sqlite3.SQLITE_AUTH, "not authorized"),
        (sqlite3.SQLITE_IOERR_SHMMAP, "disk I/O error"),
        (sqlite3.SQLITE_BUSY, "database is locked"),
    ],
)
def test_wal_that_cannot_work_is_done_without(code: int, text: str, refusing: Refusing) -> None:
    refusing.refusal = error(code, text)
    assert use_wal(refusing) == "delete"


def test_another_error_is_not_taken_for_a_refusal(refusing: Refusing) -> None:
    refusing.refusal = error(sqlite3.SQLITE_CORRUPT, "malformed")
    with pytest.raises(sqlite3.OperationalError, match="malformed"):
        use_wal(refusing)


# --- the library with the tokenizer


@pytest.mark.parametrize(("switch", "tried"), [("", True), ("off", False), ("0", False), ("yes", True)])
def test_a_library_is_tried_unless_it_is_switched_off(
    switch: str, tried: bool, copy_store: CopyStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is none does no harm: the index is detached as without it."""
    store = copy_store("state-v23-cjk.db").rename(tmp_path / "state.db")
    library = store.parent / "lib" / "libfts5_cjk.so"
    library.parent.mkdir()
    library.write_text("no library")
    asked: list[Path] = []
    library_of = cjk_tokenizer._library

    def noted(file: Path) -> str | None:
        found = library_of(file)
        asked.extend([Path(found)] if found else [])
        return found

    monkeypatch.setattr(cjk_tokenizer, "_library", noted)
    monkeypatch.setenv("HERMES_HOME", str(store.parent))
    monkeypatch.setenv("HERMES_CJK_FTS", switch)
    monkeypatch.delenv("HERMES_FTS5_CJK_SO", raising=False)
    writer = open_writer(store, migrate=False)
    writer.write(lambda c: c.execute("DELETE FROM messages WHERE id = 1"), touches_messages=True)
    assert asked == [library] * tried
    assert writer.layout.cjk_triggers == ()
    writer.close()
    assert_whole(store)


def test_where_the_tokenizer_is_the_triggers_stay(
    copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = copy_store("state-v23-cjk.db")
    writer = open_writer(store, migrate=False)
    monkeypatch.setattr(cjk_tokenizer, "_usable", lambda _: True)
    with pytest.raises(IndexStopsWrites, match="no such tokenizer"):
        writer.write(lambda c: c.execute("DELETE FROM messages WHERE id = 1"), touches_messages=True)
    assert len(writer.layout.cjk_triggers) == 3
    writer.close()
