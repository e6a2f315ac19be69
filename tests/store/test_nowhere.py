"""A word that no message holds is known by one look at the indexes; whatever may be there is searched for as ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB
from storage.finding import message_search
from tests.support.behind import run
from tests.support.layouts import INDEXES, Row, write

ENCODED = "\0json:" + json.dumps([{"type": "text", "text": "see\nnginx 会议kafka"}])

ROWS = [
    Row("a", "docker build café"),
    Row("a", "修改redis服务端", role="tool"),
    Row("b", "at the end会", tool_name="terminal"),
    Row("b", "全文检索", tool_calls='[{"name": "pgsql"}]'),
    Row("b", "c3 去x"),
    Row("b", "else " * 2_000 + "beyond", role="tool"),
    Row("b", "redis", display_kind="hidden"),
]

QUERIES = [
    *("docker", "docke", "docke*", "cafe", "CAFÉ", "redis", "end", "terminal", "pgsql", "beyond", "x", "c3"),
    *("nginx", "kafka", "会议", "会议kafka", "docker-build", "build-docker", "50%"),
    *(
        "docker nothere",
        "nothere docker",
        "nothere OR redis",
        "nothere OR neither",
        "docker NOT nothere",
        "nothere NOT docker",
    ),
    *("one two three four five", "docker build cafe end terminal", '"docker build"', '"nothere docker"'),
]


def say(path: Path, content: str) -> None:
    run(
        path, "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('b', 'user', ?, 1)", content
    )


@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("layout", INDEXES)
def test_the_answers_are_those_of_a_whole_search(
    tmp_path: Path, layout: str, encoded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [*ROWS, Row("a", ENCODED)] if encoded else ROWS
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        found = {query: db.search_messages(query) for query in QUERIES}
        monkeypatch.setattr(message_search, "is_nowhere", lambda *_: False)
        assert found == {query: db.search_messages(query) for query in QUERIES}
        assert found["docker"]
        assert found["docker NOT nothere"]
        assert not found["nothere docker"]


@pytest.mark.parametrize("query", ["nothere", "nothere OR neither", "docker nothere", "nothere NOT docker"])
@pytest.mark.parametrize("layout", ["external", "v11", "v23", "v30", "trigrams stale"])
def test_two_statements_tell(
    tmp_path: Path, layout: str, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SessionDB(write(tmp_path / "state.db", layout, ROWS), read_only=True) as db:
        db.search_messages("nothere")
        asked: list[str] = []
        really = db.searcher._run

        def noting(sql: str, *rest: Any) -> Any:
            asked.append(sql)
            return really(sql, *rest)

        monkeypatch.setattr(db.searcher, "_run", noting)
        assert db.search_messages(query) == []
        assert [sql.split()[0] for sql in asked] == ["PRAGMA", "SELECT"]


@pytest.mark.parametrize(
    "change", ["nothere", "修改nothere服务端", "the end nothere会", ENCODED.replace("nginx", "nothere")]
)
@pytest.mark.parametrize("layout", ["v11", "v23"])
def test_what_others_write_is_found_by_the_next_search(tmp_path: Path, layout: str, change: str) -> None:
    path = write(tmp_path / "state.db", layout, ROWS)
    with SessionDB(path, read_only=True) as db:
        assert db.search_messages("nothere") == []
        say(path, change)
        assert [hit["session_id"] for hit in db.search_messages("nothere")] == ["b"]


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER messages_fts_insert",
        "INSERT INTO state_meta VALUES ('fts_stale', '1')",
        "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '99'), ('fts_rebuild_progress', '3')",
        "DROP TABLE messages_fts",
    ],
)
def test_an_index_that_no_longer_knows_all_is_not_believed(tmp_path: Path, change: str) -> None:
    path = write(tmp_path / "state.db", "v23", ROWS)
    with SessionDB(path, read_only=True) as db:
        assert db.search_messages("nothere") == []
        run(path, change)
        if "TABLE" in change:
            run(path, "DROP TRIGGER messages_fts_insert")
        say(path, "nothere")
        assert [hit["session_id"] for hit in db.search_messages("nothere")] == ["b"]
