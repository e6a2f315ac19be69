"""Case 5: a term too short for the index of trigrams still filters beside a long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user','漓江游船 时间表',1780000001),(2,'s1','user','漓江游船 ok 已订',1780000002),
(3,'s1','user','ok 没问题',1780000003),(4,'s1','user','修复登录页面 go',1780000004);"""

EXPECTED = [
    ("漓江游船 ok", [2]),
    ('"漓江游船" ok', [2]),
    ("漓江游船 AND ok", [2]),
    ("登录页面 修复", [4]),
    ("漓江游船 NOT ok", [1]),
]


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


@pytest.mark.parametrize(("query", "messages"), EXPECTED)
def test_for_programs(path: Path, query: str, messages: list[int]) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [hit["id"] for hit in db.search_messages(query)] == messages


@pytest.mark.parametrize(("query", "messages"), EXPECTED)
@pytest.mark.parametrize("typing", [True, False])
def test_in_the_box(path: Path, query: str, messages: list[int], typing: bool) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [hit.messages for hit in db.search(parse(query, typing=typing)).hits] == [tuple(messages)]
