"""What can be repaired is, with a copy first and without losing a row; what cannot is said and left as it was."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.repair import repair
from storage.engine.writer import WritePolicy, open_writer
from storage.errors import CannotRepair, NotAStore, StoreBusy, StoreDamaged, StoreMissing
from tests.support.stores import CopyStore
from tests.support.whole import assert_whole, rows_of

INDEX = {
    "rows of the index are gone": (
        "DELETE FROM messages_fts_data WHERE id > 10; DELETE FROM messages_fts_trigram_data WHERE id > 10",
        "rebuild_fts",
    ),
    "its structure is zeroes": (
        "UPDATE messages_fts_data SET block = zeroblob(10) WHERE id = 10",
        "rebuild_fts",
    ),
    "its structure is nonsense": (
        "UPDATE messages_fts_data SET block = x'0001020304' WHERE id = 10",
        "drop_fts_rebuild",
    ),
    "a table behind it is gone": ("DROP TABLE messages_fts_trigram_data", "drop_fts_rebuild"),
    "its settings are gone": ("DELETE FROM messages_fts_config", "drop_fts_rebuild"),
    "it lost its sizes": ("DELETE FROM messages_fts_docsize", "rebuild_fts"),
}
SCHEMA = {
    "a table twice": (
        "INSERT INTO sqlite_master SELECT * FROM sqlite_master WHERE name = 'messages_fts'",
        "dedup_schema",
    ),
    "an index on nothing": (
        "UPDATE sqlite_master SET sql = 'CREATE INDEX idx_sessions_parent ON sessions(nope)'"
        " WHERE name = 'idx_sessions_parent'",
        "drop_unreadable",
    ),
    "a trigger that is no SQL": (
        "UPDATE sqlite_master SET sql = 'CREATE TRIGGER messages_fts_insert AFTR INSERT'"
        " WHERE name = 'messages_fts_insert'",
        "drop_unreadable",
    ),
}
STORES = ["state-v23.db", "state-v22-0.19.0.db", "state-v22-delete-journal.db"]


def damaged(path: Path, sql: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.executescript(sql)
    return path


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT version FROM schema_version").fetchone()[0])


def assert_repaired(path: Path, strategy: str) -> None:
    number = int(path.name.split("-")[1].removeprefix("v").removesuffix(".db"))
    original = path.read_bytes()
    done = repair(path)
    assert done.strategy == strategy
    assert_whole(path, version=number)
    assert done.backup is not None
    assert done.backup.name.startswith(f"{path.name}.malformed-backup-20")
    assert stat.S_IMODE(done.backup.stat().st_mode) == 0o600
    # Two counters in the header change with every copy that SQLite makes, and nothing else does.
    assert done.backup.read_bytes()[100:] == original[100:]
    assert repair(path).strategy == "already_healthy"


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("damage", INDEX)
def test_a_damaged_search_index_is_built_anew(damage: str, name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    rows = rows_of(store)
    sql, strategy = INDEX[damage]
    assert_repaired(damaged(store, sql), strategy)
    assert rows_of(store) == rows


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("damage", SCHEMA)
def test_a_damaged_schema_is_made_readable(damage: str, name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    rows = rows_of(store)
    sql, strategy = SCHEMA[damage]
    damaged(store, sql)
    with pytest.raises(
        StoreDamaged, match=r"is damaged \(malformed database schema .*`storage.repair` makes a backup"
    ):
        open_writer(store)
    assert_repaired(store, strategy)
    assert rows_of(store) == rows


@pytest.mark.parametrize("name", ["state-v9.db", "state-v10.db"])
@pytest.mark.parametrize("damage", [*list(INDEX)[:3], "a trigger that is no SQL"])
def test_an_old_store_is_repaired_and_can_be_migrated(damage: str, name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    rows = rows_of(store)
    sql, _ = (INDEX | SCHEMA)[damage]
    if name == "state-v9.db":
        sql = sql.split(";")[0]
    damaged(store, sql)
    assert repair(store).backup is not None
    assert rows_of(store) == rows
    open_writer(store).close()
    assert_whole(store)


def test_an_ordinary_index_is_made_again(copy_store: CopyStore) -> None:
    store = copy_store("state-v23.db")
    rows = rows_of(store)
    with closing(sqlite3.connect(store)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'idx_sessions_title_unique'"
        ).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(store.read_bytes())
    content[(page - 1) * size + 3 : (page - 1) * size + 5] = (1).to_bytes(2, "big")
    store.write_bytes(content)
    assert_repaired(store, "reindex")
    assert rows_of(store) == rows


def test_titles_that_a_broken_index_let_be_double(copy_store: CopyStore) -> None:
    store = copy_store("state-v23.db")
    damaged(
        store,
        "CREATE TABLE kept AS SELECT sql FROM sqlite_master WHERE name = 'idx_sessions_title_unique';"
        "UPDATE sqlite_master SET sql = 'CREATE INDEX idx_sessions_title_unique ON sessions(title)"
        " WHERE title IS NOT NULL' WHERE name = 'idx_sessions_title_unique'",
    )
    damaged(
        store,
        "INSERT INTO sessions(id, source, started_at, title) VALUES ('a', 'cli', 1, 'two'), ('b', 'cli', 1, 'two');"
        "UPDATE sqlite_master SET sql = (SELECT sql FROM kept) WHERE name = 'idx_sessions_title_unique';"
        "DROP TABLE kept",
    )
    assert repair(store).strategy == "reindex"
    with closing(sqlite3.connect(store)) as connection:
        titles = connection.execute(
            "SELECT title FROM sessions WHERE id IN ('a', 'b') ORDER BY id"
        ).fetchall()
    assert titles == [(None,), ("two",)]
    assert_whole(store)


@pytest.mark.parametrize(
    "name", ["state-v23.db", "state-v23-rebuilding.db", "state-v23-cjk.db", "state-v1.db"]
)
def test_a_healthy_store_is_not_touched(name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    content = store.read_bytes()
    done = repair(store)
    assert (done.strategy, done.backup) == ("already_healthy", None)
    assert store.read_bytes() == content
    assert list(store.parent.glob("*backup*")) == []


def test_what_cannot_be_repaired_is_left_as_it_was(copy_store: CopyStore) -> None:
    store = copy_store("state-v22-delete-journal.db")
    content = store.read_bytes()[: 40 * 4096]
    store.write_bytes(content)
    with pytest.raises(
        CannotRepair, match=r"Cannot repair .*; a copy of it as it was is .*malformed-backup-"
    ) as raised:
        repair(store)
    assert store.read_bytes() == content
    assert raised.value.backup is not None
    assert raised.value.backup.read_bytes() == content


def test_copies_of_one_second_do_not_meet(copy_store: CopyStore) -> None:
    store = copy_store("state-v23.db")
    for _ in range(3):
        damaged(store, "DELETE FROM messages_fts_data WHERE id > 10")
        assert repair(store).strategy == "rebuild_fts"
    assert len(list(store.parent.glob("*malformed-backup*"))) == 3


def test_what_is_no_store_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        repair(tmp_path / "none.db")
    with pytest.raises(NotAStore, match="is not a file"):
        repair(tmp_path)
    text = tmp_path / "text.db"
    text.write_text("hello" * 1000)
    with pytest.raises(NotAStore, match="is not a database"):
        repair(text)
    assert text.read_text() == "hello" * 1000


def test_a_store_that_is_locked_is_waited_for(copy_store: CopyStore) -> None:
    store = damaged(copy_store("state-v23.db"), "DELETE FROM messages_fts_data WHERE id > 10")
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        repair(store, WritePolicy(budget=0.05))
    other.execute("ROLLBACK")
    other.close()
    assert list(store.parent.glob("*backup*")) == []
    assert repair(store).strategy == "rebuild_fts"


def test_the_index_of_a_newer_store_is_not_replaced_by_ours(copy_store: CopyStore) -> None:
    store = damaged(
        copy_store("state-v23.db"), "UPDATE schema_version SET version = 29; DELETE FROM messages_fts_config"
    )
    with pytest.raises(CannotRepair):
        repair(store)


# --- the one repair that a write does by itself (spec 3.4)


@pytest.mark.parametrize("name", [*STORES, "state-v10.db"])
def test_a_message_is_not_lost_for_a_damaged_index(name: str, copy_store: CopyStore) -> None:
    sql, _ = INDEX["its structure is zeroes"]
    store = damaged(copy_store(name), sql)
    writer = open_writer(store, migrate=False)
    inserted = (
        "INSERT INTO messages(session_id, role, content, timestamp)"
        " SELECT min(id), 'user', 'zyzzy', 1 FROM sessions"
    )
    writer.write(lambda c: c.execute(inserted), touches_messages=True)
    found = "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'zyzzy'"
    assert writer.read(lambda c: c.execute(found).fetchone()) == (1,)
    writer.close()
    if name != "state-v10.db":
        assert_whole(store, version=version(store))


def test_an_index_that_a_write_cannot_mend_is_said(copy_store: CopyStore) -> None:
    sql, _ = INDEX["its structure is nonsense"]
    store = damaged(copy_store("state-v23.db"), sql)
    rows = rows_of(store)
    writer = open_writer(store)
    for _ in range(2):
        with pytest.raises(
            StoreDamaged,
            match=r"Nothing was written: .* is damaged \(its search index: .*`storage.repair` makes a backup",
        ):
            writer.write(lambda c: c.execute("DELETE FROM messages WHERE id = 3"), touches_messages=True)
    writer.write(lambda c: c.execute("UPDATE sessions SET title = NULL WHERE id = 'none'"))
    writer.close()
    assert rows_of(store) == rows
