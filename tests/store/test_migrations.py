"""Every store comes to version 23 with every row it had, and a second opening finds nothing to do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine import migrations
from storage.engine.migrations import LEDGER
from storage.engine.writer import open_writer
from tests.support.behind import migrated, run, script
from tests.support.stores import STORES, CopyStore, dump
from tests.support.whole import (
    assert_whole,
    contains,
    is_external,
    rows_of,
    without_markers,
)

EVERY_STORE = sorted(path.name for path in STORES.glob("*.db"))
ONE_COLUMN = [f"state-v{number}.db" for number in range(1, 11)]


def columns(path: Path) -> dict[str, set[str]]:
    tables = [name for (name,) in run(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: {row[1] for row in run(path, f'PRAGMA table_info("{table}")')}
        for table in tables
        if not table.startswith(("messages_fts", "sqlite_"))
    }


def indexes(path: Path) -> set[str]:
    return {
        name
        for (name,) in run(path, "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    }


@pytest.mark.parametrize("name", EVERY_STORE)
def test_every_store_arrives_whole(name: str, copy_store: CopyStore, tmp_path: Path) -> None:
    store = copy_store(name)
    rows = rows_of(store)
    external = is_external_now(store)
    one_column = name in ONE_COLUMN
    migrated(store)
    assert_whole(store)
    assert contains(without_markers(rows_of(store)), without_markers(rows))
    fresh = migrated(tmp_path / "fresh.db")
    for table, wanted in columns(fresh).items():
        assert columns(store)[table] >= wanted, table
    assert indexes(store) >= indexes(fresh)
    assert is_external_now(store) == (external or one_column), "inline stays inline"
    keys = dict(run(store, "SELECT key, value FROM state_meta WHERE key LIKE 'fts_%'"))
    expected = {"fts_storage_version": "1"} if external or one_column else {"fts_optimize_available": "1"}
    assert keys == expected


def is_external_now(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return is_external(connection)


@pytest.mark.parametrize("name", ["state-v1.db", "state-v10.db", "state-v22-0.19.0.db", "state-v23.db"])
def test_a_second_opening_changes_nothing(name: str, copy_store: CopyStore) -> None:
    store = migrated(copy_store(name))
    before, content = store.read_bytes(), dump(store)
    seen: list[str] = []
    writer = open_writer(store, migrate=False)
    writer.outside(lambda c: c.set_trace_callback(seen.append))
    assert migrations.migrate(writer) == (23, 23)
    writer.close()
    assert not any(sql.startswith("BEGIN IMMEDIATE") for sql in seen), "it waits for nobody's lock"
    assert store.read_bytes() == before
    assert dump(store) == content


def test_what_came_from_where_is_said(copy_store: CopyStore, tmp_path: Path) -> None:
    for name, version in (("state-v1.db", 1), ("state-v14-0.16.0.db", 14), ("state-v23.db", 23)):
        writer = open_writer(copy_store(name), migrate=False)
        assert migrations.migrate(writer) == (version, 23)
        writer.close()
    empty = tmp_path / "empty.db"
    empty.touch()
    writer = open_writer(empty, migrate=False)
    assert migrations.migrate(writer) == (0, 23)
    writer.close()
    assert_whole(empty)


def test_the_ledger_names_every_version_once() -> None:
    assert [step.version for step in LEDGER] == list(range(1, 24))
    assert [step.version for step in LEDGER if step.run] == [16, 18, 20, 22, 23]


def test_without_migrating_a_store_keeps_its_schema(copy_store: CopyStore) -> None:
    store = copy_store("state-v6.db")
    schema = run(store, "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
    writer = open_writer(store, migrate=False)
    writer.write(
        lambda c: c.execute("UPDATE sessions SET title = 'new' WHERE id = (SELECT min(id) FROM sessions)")
    )
    writer.close()
    assert run(store, "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2") == schema
    assert run(store, "SELECT version FROM schema_version") == [(6,)]


def test_a_newer_store_is_left_as_it_is(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v23.db"),
        "ALTER TABLE messages ADD COLUMN display_order INTEGER; DROP INDEX idx_sessions_handoff_state;"
        "UPDATE schema_version SET version = 30",
    )
    content = dump(store)
    writer = open_writer(store)
    assert migrations.migrate(writer) == (30, 30)
    writer.close()
    assert dump(store) == content


def test_unknown_tables_columns_and_keys_are_kept(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v9.db"),
        "CREATE TABLE telegram_dm_topic_mode (chat TEXT); INSERT INTO telegram_dm_topic_mode VALUES ('c');"
        "ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm';"
        "CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT); INSERT INTO state_meta VALUES ('goal', 'x');",
    )
    migrated(store)
    assert run(store, "SELECT chat FROM telegram_dm_topic_mode") == [("c",)]
    assert run(store, "SELECT DISTINCT mood FROM sessions") == [("calm",)]
    assert run(store, "SELECT value FROM state_meta WHERE key = 'goal'") == [("x",)]


def test_a_column_that_may_not_be_null_is_added_all_the_same(copy_store: CopyStore) -> None:
    store = copy_store("state-v13-0.15.2.db")
    script(store, "DROP INDEX idx_messages_session; ALTER TABLE messages DROP COLUMN timestamp")
    migrated(store)
    assert run(store, "SELECT count(*) FROM messages WHERE timestamp IS NULL") == [(134,)]


def test_a_version_that_lies_about_its_columns(copy_store: CopyStore) -> None:
    store = copy_store("state-v11-0.13.0.db")
    script(store, "DROP INDEX idx_sessions_title_unique; ALTER TABLE sessions DROP COLUMN title")
    migrated(store)
    assert_whole(store)
    assert run(store, "SELECT count(*) FROM sessions WHERE title IS NULL") == [(41,)]


def test_rows_without_a_version_are_as_new_as_the_program(copy_store: CopyStore) -> None:
    store = script(copy_store("state-v14-0.16.0.db"), "DELETE FROM schema_version")
    before = rows_of(store)
    migrated(store)
    assert_whole(store)
    assert contains(rows_of(store), before), "and no data is moved: no marker was added either"


def test_double_titles_are_made_single_and_the_newest_row_keeps_it(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v3.db"),
        "INSERT INTO sessions(id, source, started_at, title)"
        " VALUES ('a', 'cli', 1, 'twice'), ('b', 'cli', 2, 'twice'), ('c', 'cli', 3, 'once')",
    )
    migrated(store)
    assert run(store, "SELECT id, title FROM sessions WHERE id IN ('a', 'b', 'c') ORDER BY id") == [
        ("a", None),
        ("b", "twice"),
        ("c", "once"),
    ]
    assert_whole(store)


def test_active_is_never_null(copy_store: CopyStore) -> None:
    store = copy_store("state-v11-0.13.0.db")
    script(
        store, "ALTER TABLE messages ADD COLUMN active INTEGER; UPDATE messages SET active = 0 WHERE id = 1"
    )
    migrated(store)
    assert run(store, "SELECT active, count(*) FROM messages GROUP BY active") == [(0, 1), (1, 133)]
    script(store, "UPDATE messages SET active = NULL WHERE id = 2")
    migrated(store)
    assert run(store, "SELECT active FROM messages WHERE id = 2") == [(1,)]


def test_subagents_say_whose_they_are(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v13-0.15.2.db"),
        """
        INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id, model_config) VALUES
            ('root', 'cli', 10, 20, 'user_exit', NULL, NULL), ('child', 'cli', 15, NULL, NULL, 'root', '{"a": 1}'),
            ('odd', 'cli', 15, NULL, NULL, 'root', 'not json'),
            ('squeezed', 'cli', 10, 20, 'compression', NULL, NULL), ('next', 'cli', 15, NULL, NULL, 'squeezed', NULL),
            ('trunk', 'cli', 10, 20, 'branched', NULL, NULL), ('limb', 'cli', 20, NULL, NULL, 'trunk', NULL),
            ('early', 'cli', 19, NULL, NULL, 'trunk', NULL),
            ('marked', 'cli', 15, NULL, NULL, 'root', '{"_branched_from": "root"}'),
            ('known', 'cli', 15, NULL, NULL, 'root', '{"_delegate_from": "other"}');
        INSERT INTO sessions(id, source, started_at, title, message_count) VALUES
            ('lone', 'cli', 1, NULL, 25), ('lone long', 'cli', 1, NULL, 26), ('lone titled', 'cli', 1, 'has one', 2),
            ('lone silent', 'cli', 1, NULL, 2);
        INSERT INTO messages(session_id, role, content, timestamp) VALUES ('lone', 'tool', 'x', 1),
            ('lone long', 'tool', 'x', 1), ('lone titled', 'tool', 'x', 1), ('lone silent', 'user', 'x', 1);
        """,
    )
    migrated(store)
    configs = dict(run(store, "SELECT id, model_config FROM sessions"))
    found = {
        name: json.loads(configs[name] or "{}").get("_delegate_from")
        for name in (
            "root",
            "child",
            "odd",
            "squeezed",
            "next",
            "trunk",
            "limb",
            "early",
            "marked",
            "known",
            "lone",
        )
    }
    assert found == {
        "root": None,
        "child": "root",
        "odd": "root",
        "squeezed": None,
        "next": None,
        "trunk": None,
        "limb": None,
        "early": "trunk",
        "marked": None,
        "known": "other",
        "lone": "__orphaned__",
    }
    assert json.loads(configs["child"])["a"] == 1
    assert [configs[name] for name in ("lone long", "lone titled", "lone silent")] == [None] * 3


def test_the_gateways_file_fills_only_what_is_empty(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v16-0.17.0.db"),
        "INSERT INTO sessions(id, source, started_at) VALUES ('a', 'x', 1), ('b', 'x', 1), ('c', 'cli', 1)",
    )
    entries = {
        "_meta": {"session_id": "c", "session_key": "never"},
        "agent:main:telegram:dm:5": {
            "session_id": "a",
            "chat_type": "dm",
            "display_name": "Bo",
            "origin": {"chat_id": 77, "thread_id": "t"},
            "expiry_finalized": True,
        },
        "k2": {"session_id": "b", "session_key": "own", "memory_flushed": True, "origin": None},
        "broken": 5,
        "also broken": {"session_id": ["x"]},
    }
    (store.parent / "sessions").mkdir()
    (store.parent / "sessions" / "sessions.json").write_text(json.dumps(entries))
    migrated(store)
    wanted = "session_key, chat_id, chat_type, thread_id, display_name, origin_json, expiry_finalized"
    assert run(store, f"SELECT {wanted} FROM sessions WHERE id IN ('a', 'b', 'c') ORDER BY id") == [
        ("agent:main:telegram:dm:5", "77", "dm", "t", "Bo", '{"chat_id": 77, "thread_id": "t"}', 1),
        ("own", None, None, None, None, None, 1),
        (None, None, None, None, None, None, 0),
    ]


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", '"x"'])
def test_a_gateways_file_that_cannot_be_read_stops_nothing(text: str, copy_store: CopyStore) -> None:
    store = copy_store("state-v16-0.17.0.db")
    (store.parent / "sessions").mkdir()
    (store.parent / "sessions" / "sessions.json").write_text(text)
    assert_whole(migrated(store))


def test_totals_become_usage_by_model(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v19-0.18.2.db"),
        "DELETE FROM sessions WHERE id NOT IN (SELECT session_id FROM messages);"
        "UPDATE sessions SET input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0,"
        " reasoning_tokens = 0;"
        "INSERT INTO sessions(id, source, started_at, ended_at, model, reasoning_tokens, estimated_cost_usd)"
        " VALUES ('u', 'cli', 5, 9, NULL, 7, 0.25)",
    )
    migrated(store)
    assert run(
        store,
        "SELECT session_id, model, task, reasoning_tokens, estimated_cost_usd, first_seen, last_seen"
        " FROM session_model_usage",
    ) == [("u", "unknown", "", 7, 0.25, 5, 9)]


def test_usage_gets_the_task_into_its_key(copy_store: CopyStore) -> None:
    store = script(
        copy_store("state-v22-0.19.0.db"),
        """
        UPDATE schema_version SET version = 21; DROP TABLE session_model_usage;
        CREATE TABLE session_model_usage (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
            model TEXT NOT NULL, billing_provider TEXT NOT NULL DEFAULT '', billing_base_url TEXT NOT NULL DEFAULT '',
            billing_mode TEXT NOT NULL DEFAULT '', input_tokens INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode));
        INSERT INTO session_model_usage(session_id, model, input_tokens) SELECT id, 'm', 42 FROM sessions LIMIT 3;
        """,
    )
    migrated(store)
    assert run(store, "SELECT model, task, input_tokens FROM session_model_usage") == [("m", "", 42)] * 3
    keys = run(store, "SELECT name FROM pragma_table_info('session_model_usage') WHERE pk > 0 ORDER BY pk")
    assert [name for (name,) in keys] == [
        "session_id",
        "model",
        "billing_provider",
        "billing_base_url",
        "billing_mode",
        "task",
    ]
    assert "idx_session_model_usage_model" in indexes(store)


def test_wal_is_taken_where_it_works_and_only_by_a_migration(copy_store: CopyStore) -> None:
    store = copy_store("state-v22-delete-journal.db")
    open_writer(store, migrate=False).close()
    assert run(store, "PRAGMA journal_mode") == [("delete",)]
    migrated(store)
    assert run(store, "PRAGMA journal_mode") == [("wal",)]


def test_the_journal_stays_while_somebody_reads(copy_store: CopyStore) -> None:
    store = migrated(copy_store("state-v22-delete-journal.db"))
    assert run(store, "PRAGMA journal_mode=DELETE") == [("delete",)]
    with closing(sqlite3.connect(store, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sessions").fetchall()
        migrated(store)
    assert run(store, "PRAGMA journal_mode") == [("delete",)]
