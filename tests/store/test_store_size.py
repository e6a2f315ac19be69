"""How large a store is, and each of its parts."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import Cancel, Interrupted, SessionDB, StorePart
from storage.finding import store_size as room
from tests.support.stores import STORES, CopyStore

with closing(sqlite3.connect(":memory:")) as _sqlite:
    _LOOKS = bool(_sqlite.execute("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'").fetchall())

by_page = pytest.mark.skipif(not _LOOKS, reason="NOT TESTED: this SQLite was built without dbstat")


@by_page
@pytest.mark.parametrize("name", sorted(path.name for path in STORES.glob("*.db")))
def test_the_parts_and_what_is_free_are_the_whole_file(copy_store: CopyStore, name: str) -> None:
    path = copy_store(name)
    with SessionDB(path, read_only=True) as db:
        size = db.store_size()
        assert size.total == path.stat().st_size
        assert size.free + sum(part.size for part in size.parts) == size.total
        assert [part.size for part in size.parts] == sorted((part.size for part in size.parts), reverse=True)
        by_name = {part.name: part for part in size.parts}
        assert (by_name["messages"].kind, by_name["messages"].table) == ("table", "messages")
        assert (by_name["idx_messages_session"].kind, by_name["idx_messages_session"].table) == (
            "index",
            "messages",
        )
        index = by_name["messages_fts_data"]
        assert (index.kind, index.table) == ("search index", "messages_fts")
        if "messages_fts_trigram_data" in by_name:
            assert by_name["messages_fts_trigram_data"].table == "messages_fts_trigram"


@by_page
def test_a_part_has_as_many_pages_as_its_rows_need(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(
            "PRAGMA page_size = 4096; CREATE TABLE sessions(id TEXT PRIMARY KEY);"
            "CREATE TABLE stuff(bytes BLOB); CREATE TABLE gone(bytes BLOB);"
            "INSERT INTO stuff VALUES (zeroblob(4000 * 10)); INSERT INTO gone VALUES (zeroblob(4000 * 5));"
            "DROP TABLE gone;"
        )
    with SessionDB(path, read_only=True) as db:
        size = db.store_size()
    assert size.measured_by == "dbstat"
    by_name = {part.name: part.size for part in size.parts}
    # The page of the row, and of its overflow 4,092 bytes in each.
    assert by_name["stuff"] == 10 * 4096
    assert size.free > 4 * 4096
    assert StorePart("sqlite_autoindex_sessions_1", "index", "sessions", 4096) in size.parts
    assert StorePart("", "other", "", 4096) in size.parts


def test_without_dbstat_there_are_page_counts(copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_can_look", lambda reader: False)
    path = copy_store("state-v23.db")
    with SessionDB(path, read_only=True) as db:
        size = db.store_size()
    assert size.measured_by == "page counts"
    assert size.parts == (StorePart("", "in use", "", size.total - size.free),)
    assert size.total == path.stat().st_size


def test_a_table_of_that_name_is_not_taken_for_sqlites(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript("CREATE TABLE sessions(id TEXT PRIMARY KEY); CREATE TABLE dbstat(name, pgsize);")
    with SessionDB(path, read_only=True) as db:
        assert db.store_size().measured_by == "page counts"


def test_what_is_not_in_the_store_yet_is_told_apart(db: SessionDB) -> None:
    for number in range(20):
        db.create_session(f"s{number}", "cli")
    wal = Path(f"{db.path}-wal").stat().st_size
    assert wal > 0
    assert db.store_size().wal == wal


@by_page
def test_it_says_how_far_it_is_and_can_be_stopped(copy_store: CopyStore) -> None:
    with SessionDB(copy_store("state-v23.db"), read_only=True) as db:
        steps: list[tuple[int, int]] = []
        size = db.store_size(progress=lambda done, total: steps.append((done, total)))
        pages = size.total // int(db.reader.rows("PRAGMA page_size")[0][0])
        assert steps == sorted(steps)
        assert (steps[0], steps[-1]) == ((0, pages), (pages, pages))
        assert len(steps) > 20
        cancel = Cancel()
        with pytest.raises(Interrupted):
            db.store_size(progress=lambda done, _: cancel.cancel() if done else None, cancel=cancel)


def test_an_empty_store_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with SessionDB(tmp_path / "empty.db", read_only=True) as db:
        size = db.store_size()
        assert (size.total, size.free, size.wal, size.parts) == (0, 0, 0, ())
