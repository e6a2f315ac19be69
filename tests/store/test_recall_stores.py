"""`session_search` on every stored store, beside what `search_messages` finds there; and on stores that lack things."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, session_search
from tests.support import layouts
from tests.support.layouts import Row
from tests.support.stores import STORES, copy_of

NAMES = sorted(path.name for path in STORES.glob("*.db"))
QUERIES = ("docker", "the NOT docker", "deploy*", "docker OR state", "数据库", "库", "zzqq")


@pytest.fixture(params=NAMES, scope="module")
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionDB]:
    path = copy_of(request.param, tmp_path_factory.mktemp("stores"))
    with SessionDB(path, read_only=True) as db:
        yield db


@pytest.mark.parametrize("query", QUERIES)
def test_it_takes_the_first_hit_of_each_lineage(stored: SessionDB, query: str) -> None:
    for sort in (None, "newest", "oldest"):
        for roles in ("user,assistant", "tool"):
            answer = session_search(query, roles, 10, stored, sort=sort)
            found = [
                (result["session_id"], result["match_message_id"], result["snippet"])
                for result in answer["results"]
            ]
            assert found == _by_hand(stored, query, roles, sort), (sort, roles)
            for result in answer["results"]:
                _check_view(stored, result)
            json.dumps(answer, allow_nan=False)


def test_every_message_can_be_scrolled_to_and_every_session_read(stored: SessionDB) -> None:
    for message_id, session_id in stored.reader.rows("SELECT id, session_id FROM messages"):
        answer = session_search(db=stored, session_id=session_id, around_message_id=message_id, window=2)
        assert [message["id"] for message in answer["messages"] if message.get("anchor")] == [message_id]
        assert len(answer["messages"]) == 1 + answer["messages_before"] + answer["messages_after"]
        json.dumps(answer, allow_nan=False)
    for session in stored.search_sessions(limit=-1):
        answer = session_search(db=stored, session_id=session["id"])
        assert answer["message_count"] == len(stored.get_messages(session["id"]))
        json.dumps(answer, allow_nan=False)


def test_browsing_shows_what_the_list_of_the_real_store_has_on_top(stored: SessionDB) -> None:
    answer = session_search(db=stored, limit=10)
    rows = stored.list_sessions_rich(
        limit=15, exclude_sources=["subagent", "tool"], order_by_last_active=True
    )
    tops = [row for row in rows if not row["parent_session_id"]][:10]
    assert [(one["session_id"], one["preview"]) for one in answer["results"]] == [
        (row["id"], row["preview"]) for row in tops
    ]
    json.dumps(answer, allow_nan=False)


HAY = [Row("a", "a needle"), Row("a", "hay"), Row("b", "needle needle", "assistant"), Row("c", "x针y needle")]


@pytest.mark.parametrize("layout", layouts.INDEXES)
def test_every_layout_of_the_index_finds_the_same(tmp_path: Path, layout: str) -> None:
    rows = HAY + [Row("d", f"hay {number}") for number in range(6)]
    with SessionDB(layouts.write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        found = [result["session_id"] for result in session_search("needle", db=db, sort="oldest")["results"]]
        assert found == ["a", "b", "c"]
        assert [result["session_id"] for result in session_search("针", db=db)["results"]] == ["c"]


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, started_at REAL);",
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, started_at REAL);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL);"
        "INSERT INTO sessions VALUES ('a', NULL, 'soon');"
        "INSERT INTO messages VALUES (1, 'a', 'user', 'needle', 1e300);",
    ],
    ids=["no messages", "few columns"],
)
def test_a_store_that_lacks_things_is_searched_as_far_as_it_can_be(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "odd.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(schema)
    with SessionDB(path, read_only=True) as db:
        answer = session_search("needle", db=db)
        assert answer["success"] is True
        if "messages" in db.reader.layout.columns:
            (result,) = answer["results"]
            assert (result["when"], result["source"], result["title"]) == ("soon", "unknown", None)
            assert session_search(db=db, session_id="a")["message_count"] == 1


def _by_hand(db: SessionDB, query: str, roles: str, sort: str | None) -> list[tuple[Any, ...]]:
    hits = db.search_messages(
        query, exclude_sources=["subagent", "tool"], role_filter=roles.split(","), limit=300, sort=sort
    )
    title = db.resolve_session_by_title(query)
    taken: dict[str, tuple[Any, ...]] = {}
    if title is not None:
        pytest.skip("a title matches: the order is another one")
    for hit in sorted(hits, key=lambda hit: hit["source"] == "cron"):
        taken.setdefault(_root(db, hit["session_id"]), (hit["session_id"], hit["id"], hit["snippet"]))
    return list(taken.values())[:10]


def _root(db: SessionDB, session_id: str) -> str:
    seen = [session_id]
    while (session := db.get_session(seen[-1])) and (parent := session["parent_session_id"]):
        if parent in seen or not db.get_session(parent):
            break
        seen.append(parent)
    return seen[-1]


def _check_view(db: SessionDB, result: dict[str, Any]) -> None:
    every = [row["id"] for row in db.get_messages(result["session_id"], include_inactive=True)]
    window = [message["id"] for message in result["messages"]]
    place = every.index(result["match_message_id"])
    assert set(window) <= set(every[max(0, place - 5) : place + 6])
    assert result["messages_before"] == min(5, place)
    assert result["messages_after"] == min(5, len(every) - place - 1)
    assert len(result["bookend_start"]) <= 3
    assert {message["role"] for message in result["bookend_start"] + result["bookend_end"]} <= {
        "user",
        "assistant",
    }
