"""No store is left with fewer than its six triggers, and what missing ones missed is indexed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.behind import migrated, run, script
from tests.support.stores import CopyStore
from tests.support.whole import TRIGGERS, assert_whole, is_external, triggers


def is_external_now(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return is_external(connection)


@pytest.mark.parametrize("name", ["state-v23.db", "state-v22-0.19.0.db"])
def test_missing_triggers_come_back_and_what_they_missed_is_found(name: str, copy_store: CopyStore) -> None:
    store = script(
        copy_store(name),
        "DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_trigram_delete;"
        "INSERT INTO messages(session_id, role, content, timestamp)"
        " SELECT min(id), 'user', 'xylophone unseen', 1 FROM sessions;"
        "DELETE FROM messages WHERE id = 5;",
    )
    migrated(store)
    assert_whole(store)
    assert run(store, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'xylophone'") == [(1,)]
    assert is_external_now(store) == (name == "state-v23.db"), (
        "never an inline rebuild of layout C, nor the reverse"
    )


def test_missing_triggers_while_the_index_is_being_built(copy_store: CopyStore) -> None:
    store = script(copy_store("state-v23-rebuilding.db"), "DROP TRIGGER messages_fts_update")
    assert_whole(migrated(store))


@pytest.mark.parametrize("table", ["messages_fts", "messages_fts_trigram"])
def test_a_missing_index_is_built_in_the_layout_of_the_other(table: str, copy_store: CopyStore) -> None:
    drop = "".join(f"DROP TRIGGER {table}_{operation};" for operation in ("insert", "delete", "update"))
    for name, external in (("state-v22-0.19.0.db", False), ("state-v23.db", True)):
        store = script(copy_store(name), f"{drop} DROP TABLE {table};")
        migrated(store)
        assert_whole(store)
        assert is_external_now(store) == external


def test_a_store_without_any_index_gets_layout_c(copy_store: CopyStore) -> None:
    names = ", ".join(sorted(TRIGGERS))
    drop = "".join(f"DROP TRIGGER {name};" for name in names.split(", "))
    store = script(
        copy_store("state-v22-0.19.0.db"), f"{drop} DROP TABLE messages_fts; DROP TABLE messages_fts_trigram;"
    )
    migrated(store)
    assert_whole(store)
    assert is_external_now(store)
    with closing(sqlite3.connect(store)) as connection:
        assert triggers(connection) == TRIGGERS


def test_an_index_that_lost_its_rows_with_its_triggers_in_place(copy_store: CopyStore) -> None:
    """The release 0.19.0 leaves such a store when its table was dropped: made again, and never filled."""
    store = copy_store("state-v23.db")
    script(store, "INSERT INTO messages_fts(messages_fts) VALUES ('delete-all')")
    migrated(store)
    assert_whole(store)
