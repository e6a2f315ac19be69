"""Case 1: everyday punctuation is literal text; here for `search_messages`."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB
from tests.support.both_ways import both_ways, opened
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user','edit the .env file',1780000001),(2,'s1','user','open src/main.py please',1780000002),
(3,'s1','user','mail user@example.com',1780000003),(4,'s1','user','it''s 50% done',1780000004),
(5,'s1','user','issue #123 fixed',1780000005),(6,'s1','user','rm -rf build',1780000006),
(7,'s1','user','run chat-send now',1780000007),(8,'s1','user','use C++ here',1780000008),
(9,'s1','user','pass --force twice',1780000009),(10,'s1','user','see grammar::fa and ubuntu 20.04',1780000010),
(11,'s1','user','unrelated c text',1780000011);
"""


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


@both_ways
@pytest.mark.parametrize(
    ("query", "found"),
    [
        (".env", [1]),
        ("src/main.py", [2]),
        ("user@example.com", [3]),
        ("it's", [4]),
        ("50%", [4]),
        ("#123", [5]),
        ("rm -rf", [6]),
        ("chat-send", [7]),
        ("C++", [8, 11]),
        ("c", [8, 11]),
        ("--force", [9]),
        ("grammar::fa", [10]),
        ("20.04", [10]),
        ("foo:bar", []),
        ("(build", [6]),
        ("%", [4]),
        ("++", [8]),
        ("++ here", [8]),
    ],
)
def test_what_is_typed_is_what_is_found(path: Path, migrate: bool, query: str, found: list[int]) -> None:
    with opened(path, migrate) as db:
        assert [hit["id"] for hit in db.search_messages(query)] == found


def test_reading_alone_is_enough(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        assert [hit["id"] for hit in db.search_messages("src/main.py")] == [2]
