"""Case 10: titles and ids are searchable."""

from __future__ import annotations

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,title) VALUES
('20260315_092437_c9a6ff','cli',1780000000,'Building the Modpack Server'),
('20260316_101010_aaaaaa','cli',1780000100,'AN-94 review'),('20260317_111111_bbbbbb','cli',1780000200,NULL);
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'20260315_092437_c9a6ff','user','hello there',1780000001),
(2,'20260316_101010_aaaaaa','user','other words',1780000101),
(3,'20260317_111111_bbbbbb','user','server restarted',1780000201);"""

FIRST = ("20260315_092437_c9a6ff", "Building the Modpack Server")
SECOND = ("20260316_101010_aaaaaa", "AN-94 review")
THIRD = ("20260317_111111_bbbbbb", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Modpack", [FIRST]),
        ("modpack", [FIRST]),
        ("server", [THIRD, FIRST]),
        ("an-94", [SECOND]),
        ("20260315_0924", [FIRST]),
        ("c9a6ff", [FIRST]),
        ("nothing", []),
    ],
)
@pytest.mark.parametrize("typing", [True, False])
def test_found_by_what_it_is_called(
    build_v11: BuildV11, text: str, expected: list[tuple[str, str]], typing: bool
) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        hits = db.search(parse(text, typing=typing)).hits
        rows = db.details([hit.entry for hit in hits])
        assert [(row.id, row.title) for row in rows] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("title:modpack", [FIRST]),
        ("title:an-94", [SECOND]),
        ("id:c9a6ff", [FIRST]),
        ("id:2026031", [THIRD, SECOND, FIRST]),
        ("is:untitled", [THIRD]),
    ],
)
def test_filters_by_what_it_is_called(
    build_v11: BuildV11, line: str, expected: list[tuple[str, str]]
) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        rows = db.details(db.listing(parse(line)).entries)
        assert [(row.id, row.title) for row in rows] == expected
