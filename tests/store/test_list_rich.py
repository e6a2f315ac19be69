"""`list_sessions_rich`, `search_sessions` and `session_count`: rows and order as release 0.19.0 gives them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from storage import SessionDB
from tests.support.stores import BuildV11, CopyStore

ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,parent_session_id,model_config,title,archived,cwd,model)
VALUES
('r','cli',100,200,'compression',NULL,NULL,'root t',0,NULL,'rm'),
('m','cli',200,300,'compression','r',NULL,'mid t',0,NULL,NULL),
('t','tui',300,NULL,NULL,'m',NULL,NULL,0,'/x/y','tm'),
('solo','cli',320,NULL,NULL,NULL,NULL,'Solo-One Two',0,'/x',NULL),
('late','cli',340,NULL,NULL,NULL,NULL,NULL,0,'/xyz',NULL),
('boss','cli',10,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL),
('d','cli',11,NULL,NULL,'boss','{"_delegate_from":"boss"}',NULL,0,NULL,NULL),
('odeleg','cli',12,NULL,NULL,NULL,'{"_delegate_from":"gone"}',NULL,0,NULL,NULL),
('br','cli',50,NULL,NULL,'r','{"_branched_from":"r"}','a branch',0,NULL,NULL),
('arch','cli',60,NULL,NULL,NULL,'{bad',NULL,1,NULL,NULL),
('orph','cli',61,NULL,NULL,'nowhere',NULL,NULL,0,NULL,NULL),
('toolc','tool',301,NULL,NULL,'m',NULL,NULL,0,NULL,NULL),
('uncle','cli',302,310,'agent_close','m',NULL,NULL,0,NULL,NULL),
('toolsrc','tool',330,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL),
('empty','cli',331,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL),
('trunk','cli',5,6,'branched',NULL,NULL,NULL,0,NULL,NULL),
('after','cli',6,NULL,NULL,'trunk',NULL,NULL,0,NULL,NULL),
('before','cli',5,NULL,NULL,'trunk',NULL,NULL,0,NULL,NULL);
INSERT INTO messages(session_id,role,content,timestamp) VALUES
('r','user','first ask',101),('m','user','m',201),('t','user','tip'||char(13,10)||'ask '||'zzzzzzzzzz'||
'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',350),('solo','user','m',321),
('d','user','m',999),('toolc','user','m',5000),('uncle','user','m',6000),('toolsrc','user','m',331);
UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = sessions.id);
"""


@pytest.fixture
def db(copy_store: CopyStore) -> Iterator[SessionDB]:
    path = copy_store("empty-v22-0.19.0.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.executescript(ROWS)
    with SessionDB(path, read_only=True) as opened:
        yield opened


def ids(db: SessionDB, **wanted: Any) -> list[str]:
    return [row["id"] for row in db.list_sessions_rich(**wanted)]


STARTED = ["late", "empty", "toolsrc", "solo", "t", "br", "boss", "after", "trunk"]
ACTIVE = ["t", "late", "empty", "toolsrc", "solo", "br", "boss", "after", "trunk"]


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        ({}, STARTED),
        ({"order_by_last_active": True}, ACTIVE),
        ({"project_compression_tips": False}, [*STARTED[:4], "r", *STARTED[5:]]),
        ({"project_compression_tips": False, "order_by_last_active": True}, ["r", *ACTIVE[1:]]),
        (
            {"include_children": True, "limit": 50},
            [
                "late",
                "empty",
                "toolsrc",
                "solo",
                "uncle",
                "toolc",
                "t",
                "m",
                "r",
                "orph",
                "br",
                "odeleg",
                "d",
                "boss",
                "after",
                "trunk",
                "before",
            ],
        ),
        (
            {"include_children": True, "limit": 50, "order_by_last_active": True},
            [
                "uncle",
                "m",
                "r",
                "toolc",
                "d",
                "t",
                "late",
                "empty",
                "toolsrc",
                "solo",
                "orph",
                "br",
                "odeleg",
                "boss",
                "after",
                "trunk",
                "before",
            ],
        ),
        ({"min_message_count": 1}, ["toolsrc", "solo", "t"]),
        (
            {"include_archived": True},
            ["late", "empty", "toolsrc", "solo", "t", "arch", "br", "boss", "after", "trunk"],
        ),
        ({"archived_only": True}, ["arch"]),
        ({"source": "tool"}, ["toolsrc"]),
        ({"source": "tui"}, []),
        ({"source": "tui", "include_children": True}, ["t"]),
        ({"exclude_sources": ["tool"]}, [id_ for id_ in STARTED if id_ != "toolsrc"]),
        ({"exclude_sources": []}, STARTED),
        ({"cwd_prefix": "/x/"}, ["solo"]),
        ({"cwd_prefix": "/x", "include_children": True}, ["solo", "t"]),
        ({"limit": 2, "offset": 1}, ["empty", "toolsrc"]),
        ({"limit": 2, "offset": 1, "order_by_last_active": True}, ["late", "empty"]),
        ({"limit": 0}, []),
        ({"limit": -1}, STARTED),
        ({"limit": -1, "offset": 7, "order_by_last_active": True}, ["after", "trunk"]),
    ],
)
def test_rows_and_order(db: SessionDB, wanted: dict[str, Any], rows: list[str]) -> None:
    assert ids(db, **wanted) == rows


@pytest.mark.parametrize(
    ("text", "by_id", "by_name"),
    [
        ("late", ["late"], ["late"]),
        ("ROOT", [], ["t"]),
        ("mid", [], ["t"]),
        ("ncl", ["t"], ["t"]),
        ("toolc", [], []),
        ("solo one", [], ["solo"]),
        ("solo_onetwo", [], ["solo"]),
        ("%", [], []),
        ("__", [], []),
        ("  ", ACTIVE, ACTIVE),
        ("", ACTIVE, ACTIVE),
    ],
)
def test_looked_for(db: SessionDB, text: str, by_id: list[str], by_name: list[str]) -> None:
    assert ids(db, id_query=text, order_by_last_active=True) == by_id
    assert ids(db, search_query=text, order_by_last_active=True) == by_name
    assert ids(db, id_query=text, search_query=text) == STARTED


def test_a_compressed_conversation_shows_its_tip(db: SessionDB) -> None:
    row = next(row for row in db.list_sessions_rich() if row["id"] == "t")
    shown = ("source", "started_at", "parent_session_id", "ended_at", "end_reason", "title", "model", "cwd")
    assert {name: row[name] for name in shown} == {
        "source": "cli",
        "started_at": 100.0,
        "parent_session_id": None,
        "ended_at": None,
        "end_reason": None,
        "title": None,
        "model": "tm",
        "cwd": "/x/y",
    }
    assert (row["last_active"], row["_lineage_root_id"], row["message_count"]) == (350.0, "r", 1)
    assert row["preview"] == "tip  ask " + "z" * 51 + "..."


def test_columns(db: SessionDB) -> None:
    [row] = db.list_sessions_rich(limit=1)
    session = db.get_session("late")
    assert session is not None
    assert list(row) == [*session, "last_active", "preview"]
    [compact] = db.list_sessions_rich(limit=1, compact_rows=True)
    assert list(compact) == [name for name in row if name != "system_prompt"]


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({}, 17),
        ({"include_archived": True}, 18),
        ({"archived_only": True}, 1),
        ({"exclude_children": True}, 9),
        ({"exclude_sources": ["tool"]}, 15),
        ({"source": "tui"}, 1),
        ({"min_message_count": 1}, 8),
        ({"cwd_prefix": "/x"}, 2),
    ],
)
def test_counts(db: SessionDB, wanted: dict[str, Any], count: int) -> None:
    assert db.session_count(**wanted) == count


def test_all_of_them_by_activity(db: SessionDB) -> None:
    found = [(row["id"], row["last_active"]) for row in db.search_sessions()]
    assert found[:5] == [("uncle", 6000.0), ("toolc", 5000.0), ("d", 999.0), ("t", 350.0), ("late", 340.0)]
    assert len(found) == 18
    assert [row["id"] for row in db.search_sessions(source="tool")] == ["toolc", "toolsrc"]
    assert [row["id"] for row in db.search_sessions(limit=1, offset=2)] == ["d"]


@pytest.mark.parametrize(
    ("content", "preview"),
    [
        ("'x'", "x"),
        ("'  two\n lines '", "two  lines"),
        ("NULL", ""),
        (
            'char(0)||\'json:[{"type":"text","text":"of a picture"},{"type":"image_url"}]\'',
            "of a picture [image]",
        ),
        ("char(0)||'json:{bad'", "{bad"),
        ("CAST('bytes' AS BLOB)", "bytes"),
    ],
)
def test_first_words(build_v11: BuildV11, content: str, preview: str) -> None:
    path = build_v11(
        f"""INSERT INTO sessions(id,source,started_at) VALUES('s','cli',1);
        INSERT INTO messages(session_id,role,content,timestamp) VALUES('s','assistant','no',1),('s','user',{content},2),
        ('s','user',NULL,3);"""
    )
    with SessionDB(path, read_only=True) as db:
        assert [row["preview"] for row in db.list_sessions_rich()] == [preview]


@pytest.mark.parametrize("version", range(1, 11))
def test_old_stores(copy_store: CopyStore, version: int) -> None:
    with SessionDB(copy_store(f"state-v{version}.db"), read_only=True) as db:
        listed = db.list_sessions_rich(limit=-1, include_children=True, order_by_last_active=True)
        assert len(listed) == db.session_count() == len(db.search_sessions(limit=-1)) > 0
        assert sorted(ids(db, limit=-1, include_children=True)) == sorted(row["id"] for row in listed)
