"""Real releases open what we migrated, write and delete in it, and leave it whole; and we what they leave."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine import relayout
from storage.engine.writer import open_writer
from tests.interop.conftest import RELEASES, Drive
from tests.support.stores import STORES, CopyStore
from tests.support.whole import assert_whole, rows_of

OLD = [f"state-v{number}.db" for number in range(1, 11)]
LATER = ["state-v11-0.13.0.db", "state-v14-0.16.0.db", "state-v22-0.19.0.db", "state-v23-rebuilding.db"]


def migrated(copy_store: CopyStore, names: list[str]) -> list[Path]:
    stores = [copy_store(name) for name in names]
    for store in stores:
        open_writer(store).close()
    return stores


def assert_worked_on(store: Path, answer: dict[str, object]) -> None:
    assert_whole(store)
    assert answer["deleted"]
    assert set(answer["found"]) == {"interop"}  # type: ignore[call-overload]
    rows = rows_of(store)
    ids = {row["id"] for row in rows["sessions"]}
    assert "interop" in ids
    assert answer["old"] not in ids
    assert [row["content"] for row in rows["messages"] if row["session_id"] == "interop"] == [
        "the xylophone was here",
        "calling",
        "xylophone result",
    ]


@pytest.mark.parametrize("version", RELEASES)
def test_a_release_works_on_migrated_stores(version: str, drive: Drive, copy_store: CopyStore) -> None:
    names = OLD if version != "0.13.0" else OLD[::4]
    stores = migrated(copy_store, [*names, *LATER])
    for store, answer in zip(stores, drive(version, "work", stores), strict=True):
        assert_worked_on(store, answer)
        open_writer(store).close()
        assert_whole(store)


@pytest.mark.parametrize("version", RELEASES)
def test_a_release_works_on_a_store_born_here_and_on_a_compact_one(
    version: str, drive: Drive, copy_store: CopyStore, tmp_path: Path
) -> None:
    born = tmp_path / "born.db"
    writer = open_writer(born)
    writer.write(
        lambda c: c.execute(
            "INSERT INTO sessions(id, source, started_at, title, message_count) VALUES ('s', 'cli', 1, 'T', 1)"
        )
    )
    writer.write(
        lambda c: c.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', 'hello', 1)"
        )
    )
    writer.close()
    compact = copy_store("state-v22-0.19.0.db")
    writer = open_writer(compact)
    relayout.optimize_storage(writer)
    writer.close()
    for store, answer in zip([born, compact], drive(version, "work", [born, compact]), strict=True):
        assert_worked_on(store, answer)


def test_a_migration_does_what_the_release_of_version_22_does(drive: Drive, copy_store: CopyStore) -> None:
    """The rows are the same, value by value, whoever migrated them."""
    names = ["state-v1.db", "state-v5.db", "state-v10.db", "state-v13-0.15.2.db", "state-v19-0.18.2.db"]
    ours = migrated(copy_store, names)
    theirs = [store.with_name(f"theirs-{store.name}") for store in ours]
    for name, store in zip(names, theirs, strict=True):
        store.write_bytes((STORES / name).read_bytes())
    drive("0.19.0", "open", theirs)
    for our, their in zip(ours, theirs, strict=True):
        for table in ("sessions", "messages", "session_model_usage"):
            assert shared(our, their, table) == shared(their, our, table), (our.name, table)


def shared(store: Path, other: Path, table: str) -> list[tuple[object, ...]]:
    """The rows of a table in the columns that both stores have."""
    columns = [name for name in columns_of(store, table) if name in set(columns_of(other, table))]
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(
            f"SELECT {', '.join(sorted(columns))} FROM {table} ORDER BY 1, 2, 3, 4"
        ).fetchall()


def columns_of(store: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(store)) as connection:
        return [name for (name,) in connection.execute(f"SELECT name FROM pragma_table_info('{table}')")]


@pytest.mark.parametrize("name", ["state-v9.db", "state-v10.db"])
def test_a_release_that_finds_a_move_half_done(name: str, drive: Drive, copy_store: CopyStore) -> None:
    """Killed between two chunks, opened by an older program, then by us again."""
    for version in ("0.13.0", "0.16.0", "0.19.0"):
        store = copy_store(name)
        writer = open_writer(store, migrate=False)
        writer.write(relayout.begin)
        writer.close()
        (answer,) = drive(version, "work", [store])
        assert answer["deleted"]
        open_writer(store).close()
        assert_whole(store)
