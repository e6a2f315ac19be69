"""Every stored store is recognised for exactly what it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.connection import open_reader
from storage.engine.layout import FtsTable, Layout, look
from storage.engine.notes import notes
from tests.support.stores import STORES, BuildV11, CopyStore

THREE = ("content", "tool_name", "tool_calls")
NO_TRIGRAM = "The substring index is missing: text without blanks is searched for by reading the messages."
CJK = (
    "Its index messages_fts_cjk needs the tokenizer cjk_unicode61, which is not here: searches do without it."
)
REBUILDING = "The search index is being rebuilt (67 of 134): the rest is searched more slowly."

# name: version, layout, journal, columns of sessions and of messages, has a trigram index, sessions, notes
EXPECTED: dict[str, tuple[int, str, str, int, int, bool, int, tuple[str, ...]]] = {
    "empty-v22-0.19.0.db": (22, "inline", "wal", 46, 21, True, 0, ()),
    "state-v1.db": (1, "one column", "wal", 14, 9, False, 41, (NO_TRIGRAM,)),
    "state-v2.db": (2, "one column", "wal", 14, 10, False, 41, (NO_TRIGRAM,)),
    "state-v3.db": (3, "one column", "wal", 15, 10, False, 41, (NO_TRIGRAM,)),
    "state-v4.db": (4, "one column", "wal", 15, 10, False, 41, (NO_TRIGRAM,)),
    "state-v5.db": (5, "one column", "wal", 26, 10, False, 41, (NO_TRIGRAM,)),
    "state-v6.db": (6, "one column", "wal", 26, 13, False, 41, (NO_TRIGRAM,)),
    "state-v7.db": (7, "one column", "wal", 26, 14, False, 41, (NO_TRIGRAM,)),
    "state-v8.db": (8, "one column", "wal", 27, 14, False, 41, (NO_TRIGRAM,)),
    "state-v9.db": (9, "one column", "wal", 27, 15, False, 41, (NO_TRIGRAM,)),
    "state-v10.db": (10, "one column", "wal", 27, 15, True, 41, ()),
    "state-v11-0.13.0.db": (11, "inline", "wal", 30, 15, True, 41, ()),
    "state-v13-0.15.2.db": (13, "inline", "wal", 30, 17, True, 41, ()),
    "state-v14-0.16.0.db": (14, "inline", "wal", 33, 18, True, 41, ()),
    "state-v16-0.17.0.db": (16, "inline", "wal", 33, 18, True, 41, ()),
    "state-v19-0.18.2.db": (19, "inline", "wal", 44, 19, True, 41, ()),
    "state-v22-0.19.0.db": (22, "inline", "wal", 46, 21, True, 41, ()),
    "state-v22-delete-journal.db": (22, "inline", "delete", 46, 21, True, 41, ()),
    "state-v23.db": (23, "external content", "wal", 47, 23, True, 41, ()),
    "state-v23-cjk.db": (23, "external content", "wal", 47, 23, True, 41, (CJK,)),
    "state-v23-extras.db": (23, "external content", "wal", 47, 23, True, 47, ()),
    "state-v23-legacyfts.db": (23, "inline", "wal", 47, 23, True, 41, ()),
    "state-v23-rebuilding.db": (23, "external content", "wal", 47, 23, True, 41, (REBUILDING,)),
}


def counted(layout: Layout) -> tuple[int, int]:
    return len(layout.columns["sessions"]), len(layout.columns["messages"])


def test_every_stored_store_is_in_the_table(stores: Path) -> None:
    assert sorted(path.name for path in stores.glob("*.db")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_version_layout_and_notes(name: str, copy_store: CopyStore) -> None:
    version, layout, journal, session_columns, message_columns, trigram, sessions, said = EXPECTED[name]
    path = copy_store(name)
    with closing(open_reader(path)) as reader:
        info = reader.info()
        assert (info.version, info.layout, info.journal, info.sessions) == (
            version,
            layout,
            journal,
            sessions,
        )
        assert (info.path, info.size, info.immutable) == (path, path.stat().st_size, False)
        assert info.notes == said
        assert counted(reader.layout) == (session_columns, message_columns)
        kind = layout.removesuffix(" content")
        columns = THREE if kind == "external" else ("content",)
        assert reader.layout.fts == FtsTable("messages_fts", kind, columns, "unicode61")
        expected = FtsTable("messages_fts_trigram", kind, columns, "trigram") if trigram else None
        assert reader.layout.trigram == expected


def layout_of(ddl: str) -> Layout:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(ddl)
        return look(lambda sql: connection.execute(sql).fetchall())


def test_an_empty_store_has_an_empty_layout() -> None:
    assert layout_of("") == Layout()
    assert notes(Layout(), lambda _: [], immutable=False, unnamed=0) == (
        "The file is empty: no sessions yet.",
    )


def test_the_later_external_layouts() -> None:
    found = layout_of(
        """
        CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls,
            content='messages_fts_src', content_rowid='id', prefix='2 3');
        CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tool_name,
            content='messages_fts_trigram_src', content_rowid='id', tokenize = 'trigram case_sensitive 0');
        """
    )
    assert found.fts == FtsTable("messages_fts", "external", THREE, "unicode61")
    assert found.trigram == FtsTable(
        "messages_fts_trigram", "external", ("content", "tool_name"), "trigram case_sensitive 0"
    )


def test_a_tokenizer_with_commas_and_quotes_is_one_argument() -> None:
    found = layout_of(
        'CREATE VIRTUAL TABLE messages_fts USING fts5(content UNINDEXED, "tool_name",'
        " tokenize=\"unicode61 tokenchars ',='\")"
    )
    assert found.fts == FtsTable(
        "messages_fts", "inline", ("content", "tool_name"), "unicode61 tokenchars ',='"
    )


def test_a_table_of_another_kind_is_no_index() -> None:
    assert layout_of("CREATE TABLE messages_fts(content, note TEXT DEFAULT 'USING fts5')").fts is None


@pytest.mark.parametrize(
    ("ddl", "version"),
    [
        ("CREATE TABLE schema_version(version INTEGER)", None),
        ("CREATE TABLE schema_version(version INTEGER); INSERT INTO schema_version VALUES(30)", 30),
        ("CREATE TABLE schema_version(version INTEGER); INSERT INTO schema_version VALUES(7),(11)", 11),
        ("CREATE TABLE schema_version(version); INSERT INTO schema_version VALUES('new')", None),
        ("CREATE TABLE schema_version(number INTEGER); INSERT INTO schema_version VALUES(5)", None),
    ],
)
def test_a_version_is_a_number_or_nothing(ddl: str, version: int | None) -> None:
    assert layout_of(ddl).version == version


def test_columns_are_named_only_where_they_are() -> None:
    found = layout_of("CREATE TABLE Sessions(Id TEXT, title TEXT)")
    assert found.columns == {"sessions": {"id", "title"}}
    assert found.has("sessions", "title")
    assert not found.has("sessions", "archived")
    assert not found.has("messages", "id")
    assert found.column("sessions", "title") == "title"
    assert found.column("sessions", "title", "''", alias="s") == "s.title"
    assert found.column("sessions", "archived", "0", alias="s") == "0"
    assert found.column("sessions", "archived") == "NULL"


@pytest.mark.parametrize("name", ["hermes_turn_fence_messages_insert", "turn_fence_sessions_update", "other"])
def test_fences_are_known_by_name_or_by_what_they_call(name: str, build_v11: BuildV11) -> None:
    path = build_v11(
        f"CREATE TRIGGER {name} BEFORE INSERT ON messages BEGIN SELECT hermes_turn_fence_generation(); END;"
    )
    with closing(open_reader(path)) as reader:
        assert reader.layout.turn_fences == (name,)
        assert reader.info().notes == (
            "The store is fenced: only the Hermes that fenced it can write to it.",
        )


def test_a_lost_and_a_broken_index_are_said(build_v11: BuildV11) -> None:
    path = build_v11("DROP TABLE messages_fts; DELETE FROM messages_fts_trigram_config;")
    with closing(open_reader(path)) as reader:
        assert reader.layout.fts is None
        assert reader.info().layout == "none"
        assert reader.info().notes[0] == (
            "The word index is missing: searches read the messages instead, which takes longer."
        )


def test_an_index_whose_tables_are_gone_is_said(build_v11: BuildV11) -> None:
    path = build_v11("PRAGMA writable_schema=ON; DELETE FROM sqlite_master WHERE name='messages_fts_config';")
    with closing(open_reader(path)) as reader:
        assert reader.info().notes == (
            "The word index cannot be used: searches read the messages instead, which takes longer.",
        )


def test_the_columns_of_views_and_indexes_are_not_looked_at() -> None:
    broken = "CREATE TABLE sessions(id); CREATE VIEW v AS SELECT gone FROM missing;"
    assert layout_of(broken).columns == {"sessions": {"id"}}


def test_data_holds_no_store_that_was_opened_in_place() -> None:
    assert not [path.name for path in STORES.iterdir() if path.suffix != ".db"]
