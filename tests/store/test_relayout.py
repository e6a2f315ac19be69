"""Moving an index to layout C: in small steps, killed and gone on with, and right at every moment in between."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine import relayout, upkeep
from storage.engine.creation import statements
from storage.engine.writer import Writer, open_writer
from storage.errors import NotEnoughRoom, StoreTooNew
from tests.support.behind import run
from tests.support.stores import CopyStore
from tests.support.whole import TRIGGERS, assert_whole, is_external, rows_of, triggers


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relayout, "CHUNK", 20)
    monkeypatch.setattr(relayout, "PAUSE", 0)


def matches(path: Path, word: str) -> list[int]:
    sql = "SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid"
    return [row for (row,) in run(path, sql, word)]


def inline(copy_store: CopyStore) -> Path:
    store = copy_store("state-v22-0.19.0.db")
    open_writer(store).close()
    return store


def trash(path: Path) -> list[str]:
    return [name for (name,) in run(path, "SELECT name FROM sqlite_master WHERE name LIKE 'fts_v22_trash%'")]


def test_an_inline_index_is_moved_on_demand(copy_store: CopyStore) -> None:
    store = inline(copy_store)
    rows = rows_of(store)
    writer = open_writer(store)
    told: list[tuple[int, int]] = []
    assert relayout.optimize_storage(writer, lambda done, total: told.append((done, total)))
    assert told == [(number, 134) for number in (20, 40, 60, 80, 100, 120, 134)]
    assert not relayout.optimize_storage(writer), "on the compact layout there is nothing to do"
    writer.close()
    assert_whole(store)
    with closing(sqlite3.connect(store)) as connection:
        assert is_external(connection)
    assert rows_of(store) == rows
    assert trash(store) == []
    assert run(store, "SELECT key, value FROM state_meta WHERE key LIKE 'fts%'") == [
        ("fts_storage_version", "1")
    ]


def test_the_freed_pages_are_given_back(copy_store: CopyStore) -> None:
    kept, given = inline(copy_store), copy_store("state-v23-legacyfts.db")
    for store, vacuum in ((kept, False), (given, True)):
        writer = open_writer(store)
        relayout.optimize_storage(writer, vacuum=vacuum)
        writer.close()
        assert_whole(store)
        assert (run(store, "PRAGMA freelist_count") == [(0,)]) == vacuum


@pytest.mark.parametrize("name", ["state-v22-0.19.0.db", "state-v9.db", "state-v10.db"])
def test_a_move_that_was_broken_off_is_gone_on_with(name: str, copy_store: CopyStore) -> None:
    store = copy_store(name)
    rows = rows_of(store)["messages"]
    before = matches(store, "the")
    writer = open_writer(store, migrate=False)
    writer.write(relayout.begin)
    steps = 0
    while writer.write(relayout._index_a_chunk):
        steps += 1
        if steps == 3:
            break
    writer.close()
    with closing(sqlite3.connect(store)) as connection:
        assert triggers(connection) == TRIGGERS
        marks = dict(connection.execute("SELECT key, value FROM state_meta WHERE key LIKE 'fts_rebuild%'"))
    assert marks == {
        "fts_rebuild_high_water": str(rows[-1]["id"]),
        "fts_rebuild_progress": str(rows[59]["id"]),
    }
    assert matches(store, "the") == [row for row in matches(store, "the") if row <= rows[59]["id"]]
    assert trash(store) != []
    told: list[tuple[int, int]] = []
    writer = open_writer(store, migrate=False)
    relayout.finish(writer, lambda done, total: told.append((done, total)))
    writer.close()
    assert told[0] == (80, len(rows)), "it does not begin anew"
    assert set(before) <= set(matches(store, "the"))
    assert trash(store) == []
    open_writer(store).close()
    assert_whole(store)


def test_a_half_built_index_of_another_program_is_finished(copy_store: CopyStore) -> None:
    store = copy_store("state-v23-rebuilding.db")
    open_writer(store).close()
    assert_whole(store)


def test_messages_may_change_while_the_index_moves(copy_store: CopyStore) -> None:
    store = inline(copy_store)
    writer = open_writer(store, migrate=False)
    writer.write(relayout.begin)
    other = open_writer(store, migrate=False)
    changes = [
        "UPDATE messages SET content = 'quokka early' WHERE id = 3",
        "UPDATE messages SET content = 'quokka late' WHERE id = 130",
        "DELETE FROM messages WHERE id IN (4, 131)",
        "INSERT INTO messages(session_id, role, content, timestamp)"
        " SELECT min(id), 'user', 'quokka new', 1 FROM sessions",
        "UPDATE messages SET content = 'quokka newer' WHERE content = 'quokka new'",
        "INSERT INTO messages(id, session_id, role, content, timestamp)"
        " SELECT 131, min(id), 'user', 'quokka again', 1 FROM sessions",
        "DELETE FROM messages WHERE id = 5",
    ]
    for sql in changes:
        assert writer.write(relayout._index_a_chunk)
        other.write(lambda connection, sql=sql: connection.execute(sql))  # type: ignore[misc]
    other.close()
    relayout.finish(writer)
    writer.close()
    assert_whole(store)
    assert len(matches(store, "quokka")) == 4


def test_an_older_release_that_makes_it_inline_again_meanwhile(copy_store: CopyStore) -> None:
    """What 0.13 to 0.19 do with a store whose version is below 11: they drop the index and make their own."""
    store = copy_store("state-v9.db")
    writer = open_writer(store, migrate=False)
    writer.write(relayout.begin)
    writer.write(relayout._index_a_chunk)
    writer.close()
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        for name in TRIGGERS:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE messages_fts")
        connection.execute("DROP TABLE messages_fts_trigram")
        for statement in statements("fts_inline"):
            connection.execute(statement)
        for table in ("messages_fts", "messages_fts_trigram"):
            connection.execute(
                f"INSERT INTO {table}(rowid, content) SELECT id, coalesce(content, '') || ' ' ||"
                " coalesce(tool_name, '') || ' ' || coalesce(tool_calls, '') FROM messages"
            )
    open_writer(store).close()
    assert_whole(store)
    with closing(sqlite3.connect(store)) as connection:
        assert not is_external(connection)


def test_no_room_is_said_before_anything_is_begun(
    copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = inline(copy_store)
    content = store.read_bytes()
    free = shutil.disk_usage(store)._replace(free=3 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    size = store.stat().st_size
    writer = open_writer(store)
    monkeypatch.setattr(upkeep, "_size", lambda _: 8 << 20)
    with pytest.raises(NotEnoughRoom, match=r"this needs 8.0 MB where .* lies and 3.0 MB are free"):
        relayout.optimize_storage(writer)
    with pytest.raises(NotEnoughRoom):
        upkeep.vacuum(writer)
    writer.close()
    assert (store.stat().st_size, store.read_bytes()) == (size, content)


def test_a_newer_store_is_its_own_hermes_to_move(copy_store: CopyStore) -> None:
    store = inline(copy_store)
    run(store, "UPDATE schema_version SET version = 29")
    writer = open_writer(store)
    with pytest.raises(StoreTooNew, match="schema version 29; its own Hermes must do this"):
        relayout.optimize_storage(writer)
    writer.close()


def test_moving_a_store_that_was_never_migrated(copy_store: CopyStore) -> None:
    store = copy_store("state-v10.db")
    writer = open_writer(store, migrate=False)
    assert relayout.optimize_storage(writer)
    writer.close()
    assert_whole(store, version=10)


def test_a_missing_tokenizer_does_not_stop_a_move(copy_store: CopyStore) -> None:
    store = inline(copy_store)
    with closing(sqlite3.connect(copy_store("state-v23-cjk.db"))) as other:
        sql = other.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'messages_fts_cjk_insert'"
        ).fetchone()[0]
    run(store, sql)
    writer = open_writer(store)
    assert relayout.optimize_storage(writer)
    writer.close()
    with closing(sqlite3.connect(store)) as connection:
        assert triggers(connection) == TRIGGERS | {"messages_fts_cjk_insert"}
        assert is_external(connection)


# --- merging and shrinking


def segments(writer: Writer) -> int:
    return int(
        writer.read(lambda c: c.execute("SELECT count(DISTINCT segid) FROM messages_fts_idx").fetchone()[0])
    )


def test_indexes_are_merged(tmp_path: Path) -> None:
    writer = open_writer(tmp_path / "state.db")
    writer.write(lambda c: c.execute("INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1)"))
    for number in range(6):
        writer.write(
            lambda c, number=number: c.execute(  # type: ignore[misc]
                "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', ?, 1)",
                (f"word{number}",),
            )
        )
    assert segments(writer) > 1
    assert upkeep.optimize(writer) == 2
    assert segments(writer) == 1
    writer.close()
    assert_whole(tmp_path / "state.db")


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_vacuum_gives_pages_back(journal: str, copy_store: CopyStore) -> None:
    store = inline(copy_store)
    run(store, f"PRAGMA journal_mode={journal}")
    writer = open_writer(store, migrate=False)
    writer.write(lambda c: c.execute("DELETE FROM messages WHERE id % 2 = 0"))
    size = store.stat().st_size
    shrunk = upkeep.vacuum(writer)
    assert (shrunk.before, shrunk.after) == (size, store.stat().st_size)
    assert shrunk.after < shrunk.before
    writer.close()
    assert_whole(store)
