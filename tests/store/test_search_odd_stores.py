"""Searching stores that no Hermes made, and ones that hold more than SQLite hands over at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, parse
from storage.readings import ConversationHit, SearchResult
from tests.store.odd import A_VIEW, NO_KEY, NO_MESSAGE_ID, NO_SESSION_ID, ROWLESS
from tests.support.behind import script
from tests.support.layouts import Row, write

TALK = [Row("a", "one docker"), Row("a", "two", "assistant"), Row("b", "three docker")]
SESSIONS = [{"id": "a", "title": "docker setup"}, {"id": "b"}]


def ids(found: SearchResult) -> list[tuple[str, int, bool]]:
    return sorted((hit.entry.id, hit.hits, hit.by_name) for hit in found.hits)


BOTH = [("a", 1, True), ("b", 1, False)]
BY_NAME = [("a", 0, True)]


# --- marks of a rebuild, read as the triggers of the index read them: what is NULL is none, a text without digits is 0


@pytest.mark.parametrize(
    "marks",
    [
        "('fts_rebuild_high_water', NULL)",
        "('fts_rebuild_high_water', '3'), ('fts_rebuild_progress', NULL)",
        "('fts_rebuild_high_water', NULL), ('fts_rebuild_progress', NULL)",
        "('fts_rebuild_high_water', 'x')",
        "('fts_rebuild_high_water', '3'), ('fts_rebuild_progress', 'x')",
        "('fts_rebuild_high_water', x'33'), ('fts_rebuild_progress', x'31')",
        "('fts_rebuild_high_water', '99999999999999999999'), ('fts_rebuild_progress', '-5')",
        "('fts_rebuild_high_water', 1e300)",
        "('fts_rebuild_progress', NULL)",
        "('fts_stale', NULL)",
        "('fts_trigram_stale', NULL)",
    ],
)
def test_any_marks_of_a_rebuild(tmp_path: Path, marks: str) -> None:
    path = write(tmp_path / "state.db", "external", TALK, SESSIONS)
    script(path, f"INSERT INTO state_meta VALUES {marks}")
    with SessionDB(path, read_only=True) as db:
        found = db.search(parse("docker"))
        assert ids(found) == BOTH
        assert found.exhausted


# --- a scan is bounded by bytes, not only by messages


@pytest.mark.parametrize("layout", ["none", "external"])
@pytest.mark.parametrize("size", [100_000, 400_000])
def test_a_scan_of_more_than_can_cross_at_once(tmp_path: Path, layout: str, size: int) -> None:
    """Pictures of 2 MB against SQLite's limit of 1 GB, smaller."""
    picture = '\0json:[{"type":"text","text":"docker"},{"type":"image","data":"' + "A" * size + '"}]'
    path = write(tmp_path / "state.db", layout, [Row("ab"[i % 2], picture) for i in range(100)])
    with SessionDB(path, read_only=True) as db:
        db.searcher._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
        found = db.search(parse("docker"))
        assert ids(found) == [("a", 50, False), ("b", 50, False)]
        assert found.exhausted


def test_one_message_that_cannot_cross_at_all_does_not_end_the_scan(tmp_path: Path) -> None:
    path = write(
        tmp_path / "state.db", "none", [Row("a", "docker"), Row("a", '\0json:["' + '\\"' * 600_000 + '"]')]
    )
    with SessionDB(path, read_only=True) as db:
        db.searcher._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_500_000)
        found = db.search(parse("docker"))
        assert ids(found) == [("a", 1, False)]


# --- tables that are not there


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (ROWLESS, BOTH),
        (A_VIEW, BOTH),
        (NO_KEY, BOTH),
        (NO_SESSION_ID, BY_NAME),
        (NO_MESSAGE_ID, BY_NAME),
        ("DROP TABLE messages", BY_NAME),
        ("DROP TABLE state_meta", BOTH),
    ],
    ids=["no rowid", "a view", "no key", "no session_id", "no message id", "no messages", "no state_meta"],
)
def test_odd_tables_are_searched_as_far_as_they_go(
    tmp_path: Path, sql: str, expected: list[tuple[str, int, bool]]
) -> None:
    path = write(tmp_path / "state.db", "none", TALK, SESSIONS)
    script(path, sql)
    with SessionDB(path, read_only=True) as db:
        assert ids(db.search(parse("docker"))) == expected
        assert db.search(parse("setup")).hits[0].by_name


@pytest.mark.parametrize("sql", [NO_SESSION_ID, NO_MESSAGE_ID, "DROP TABLE messages"])
def test_a_title_found_where_there_are_no_messages_has_no_excerpt(tmp_path: Path, sql: str) -> None:
    path = write(tmp_path / "state.db", "none", TALK, SESSIONS)
    script(path, sql)
    with SessionDB(path, read_only=True) as db:
        hits = db.search(parse("docker")).hits
        assert db.excerpts(parse("docker"), hits) == (None,)
        remembered = ConversationHit(hits[0].entry, 1, (1,))
        assert db.excerpts(parse("docker"), [remembered]) == (None,)


# --- queries without words


@pytest.mark.parametrize("text", ["", "source:cli", '""', "   "])
@pytest.mark.parametrize("layout", ["none", "external"])
def test_excerpts_of_a_query_without_words(tmp_path: Path, text: str, layout: str) -> None:
    path = write(tmp_path / "state.db", layout, TALK, SESSIONS)
    with SessionDB(path, read_only=True) as db:
        assert db.excerpts(parse(text), ()) == ()
        hit = ConversationHit(db.listing().entries[0], 1, (1,))
        assert db.excerpts(parse(text), [hit]) == (None,)


# --- rows that cannot be named


def test_what_cannot_be_named_is_never_found(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "none", TALK, SESSIONS)
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            "INSERT INTO sessions(id, source, started_at, title) VALUES (CAST(? AS TEXT), 'cli', 1, 'docker')",
            [(b"x\0y",), (b"\xffA",), (b"\xed\xa0\x80",)],
        )
        db.execute("INSERT INTO sessions(id, source, started_at, title) VALUES (x'4142', 'cli', 1, 'docker')")
        db.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES (x'4142', 'user', 'docker', 1)"
        )
    with SessionDB(path, read_only=True) as store:
        assert ids(store.search(parse("docker"))) == BOTH
