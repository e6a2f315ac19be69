"""Case 7 in the box: % and _ are signs like any other, in words and in filters."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from tests.support.browsing import browsing
from tests.support.on_screen import search_for, shown_ids
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'a_b'),
('s2','cli',1780000001,'axb'),('s3','cli',1780000002,'100% done'),('s4','cli',1780000003,'100 done');
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user','进度100%完成',1780000001),(2,'s1','user','进度100件完成',1780000002),(3,'s2','user','变_量',1780000003),
(4,'s2','user','变成量',1780000004);"""


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


@pytest.mark.parametrize(
    ("line", "messages"),
    [("100%完成", {"s1": (1,)}), ("变_量", {"s2": (3,)})],
)
def test_messages(path: Path, line: str, messages: dict[str, tuple[int, ...]]) -> None:
    with SessionDB(path, read_only=True) as db:
        hits = db.search(parse(line)).hits
        assert {hit.entry.id: hit.messages for hit in hits} == messages


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("title:100%", ["s3"]),
        ("title:%", ["s3"]),
        ("title:_", ["s1"]),
        ("title:a_b", ["s1"]),
        ("title:axb", ["s2"]),
        ("-title:100%", ["s2", "s4", "s1"]),
        ("id:%", []),
        ("id:_", []),
        ("source:%", []),
        ("model:_ dir:% branch:_", []),
    ],
)
def test_filters(path: Path, line: str, expected: list[str]) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [entry.id for entry in db.listing(parse(line)).entries] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a_b", {"s1"}),
        ("100%", {"s1", "s3"}),
        ("title:100%", {"s3"}),
        ("%", {"s1", "s3"}),
        ("_", {"s1", "s2"}),
    ],
)
async def test_in_the_box(path: Path, words: str, expected: set[str]) -> None:
    async with browsing(path) as (app, pilot):
        await search_for(pilot, words)
        assert set(shown_ids(app)) == expected
