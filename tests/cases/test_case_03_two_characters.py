"""Case 3: CJK words of two characters, alternatives of them, and while they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user','去年广西自驾很好玩',1780000001),(2,'s1','user','桂林米粉推荐',1780000002),
(3,'s1','user','上海天气',1780000003),(4,'s1','user','我们 昨晚 聊过',1780000004),
(5,'s1','user','昨晚半夜下雨了',1780000005);"""

EXPECTED = [
    ("广西 OR 桂林", [1, 2]),
    ("广西", [1]),
    ("昨晚", [4, 5]),
    ("昨晚 半夜", [5]),
    ("米粉推荐", [2]),
    ("桂林 NOT 米粉", []),
]


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


@pytest.mark.parametrize(("query", "messages"), EXPECTED)
def test_for_programs(path: Path, query: str, messages: list[int]) -> None:
    with SessionDB(path, read_only=True) as db:
        assert sorted(hit["id"] for hit in db.search_messages(query)) == messages


@pytest.mark.parametrize(("query", "messages"), EXPECTED)
@pytest.mark.parametrize("typing", [True, False])
def test_in_the_box(path: Path, query: str, messages: list[int], typing: bool) -> None:
    with SessionDB(path, read_only=True) as db:
        result = db.search(parse(query, typing=typing))
        assert [sorted(hit.messages) for hit in result.hits] == ([messages] if messages else [])
        assert not result.scanned
        assert result.notes == ()


def test_a_star_is_no_character(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [hit["id"] for hit in db.search_messages("广西*")] == [1]
