"""Case 22: numbered titles have one strict grammar."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from storage import SessionDB
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'my project'),
('s2','cli',1780000100,'my project #2'),('s3','cli',1780000900,'my project #bar'),
('s4','cli',1780000901,'my project #２'),('s5','cli',1780000902,'my project #2 #5'),
('s6','cli',1780000903,'My Project #9');
"""


@pytest.fixture
def db(build_v11: BuildV11) -> Iterator[SessionDB]:
    with SessionDB(build_v11(ROWS), read_only=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("title", "session"),
    [
        ("my project", "s2"),
        ("my project #2", "s5"),
        ("my project #bar", "s3"),
        ("my project #２", "s4"),
        ("My Project", "s6"),
        ("MY PROJECT", None),
        ("my proj", None),
        ("", None),
    ],
)
def test_resolve(db: SessionDB, title: str, session: str | None) -> None:
    assert db.resolve_session_by_title(title) == session


@pytest.mark.parametrize(
    ("title", "following"),
    [
        ("my project", "my project #3"),
        ("my project #2", "my project #3"),
        ("my project #2 #5", "my project #2 #6"),
        ("my project #bar", "my project #bar #2"),
        ("My Project", "My Project #10"),
        ("nobody's", "nobody's"),
        ("nobody's #7", "nobody's"),
    ],
)
def test_next(db: SessionDB, title: str, following: str) -> None:
    assert db.get_next_title_in_lineage(title) == following
