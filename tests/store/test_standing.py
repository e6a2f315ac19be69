"""What was learned of the indexes holds until somebody commits, and not a search longer."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, parse
from storage.engine.connection import open_reader
from storage.finding.standing import standing
from tests.support.layouts import Row, write

PLAIN = [Row("a", "docker"), Row("b", "else")]


def execute(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql, values)


def append(path: Path, content: str) -> None:
    execute(
        path, "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('b', 'user', ?, 1)", content
    )


def test_it_is_learned_once_until_somebody_commits(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "v23", PLAIN)
    with closing(open_reader(path)) as reader:
        asked: list[int] = []

        def learn() -> int:
            asked.append(1)
            return len(asked)

        assert [reader.learned("it", learn), reader.learned("it", learn)] == [1, 1]
        reader.refresh_layout()
        assert reader.learned("it", learn) == 1
        append(path, "else")
        assert reader.learned("it", learn) == 1
        reader.refresh_layout()
        assert reader.learned("it", learn) == 2


def test_how_the_indexes_stand(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "v23", PLAIN)
    with closing(open_reader(path)) as reader:
        before = standing(reader)
        assert standing(reader) is before
        assert (before.has_wide, before.has_encoded, before.escaped, before.gap) == (False, False, (), None)
        append(path, "\0json:" + json.dumps([{"type": "text", "text": "会docker"}]))
        append(path, "会议记录")
        execute(
            path,
            "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '4'), ('fts_rebuild_progress', '2')",
        )
        after = standing(reader)
        assert (after.has_wide, after.has_encoded, after.gap) == (True, True, (3, 5))
        assert after.escaped == ("u4f1adocker",)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("修改docker服务端", {"a", "b"}),
        ("\0json:" + json.dumps([{"type": "text", "text": "🦀docker"}]), {"a", "b"}),
    ],
)
def test_what_others_write_is_found_by_the_next_search(tmp_path: Path, change: str, found: set[str]) -> None:
    path = write(tmp_path / "state.db", "v23", PLAIN)
    with SessionDB(path, read_only=True) as db:
        query = parse("docker ")
        assert {hit.entry.id for hit in db.search(query).hits} == {"a"}
        append(path, change)
        assert {hit.entry.id for hit in db.search(query).hits} == found


def test_an_index_that_others_take_away_is_not_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "v23", PLAIN)
    with SessionDB(path, read_only=True) as db:
        query = parse("docker ")
        assert db.search(query).notes == ()
        execute(path, "DROP TRIGGER messages_fts_insert")
        append(path, "docker")
        result = db.search(query)
        assert {hit.entry.id for hit in result.hits} == {"a", "b"}
        assert result.notes == ("search index out of date: scanned",)
