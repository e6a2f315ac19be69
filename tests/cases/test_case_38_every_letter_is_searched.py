"""Case 38, the search: every letter counts, and what is typed is never a command or an error."""

from __future__ import annotations

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000003,'dq notes'),
('s2','cli',1780000002,'alpha'),('s3','cli',1780000001,'beta'),('s4','cli',1780000000,'alphabet');
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;"""


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("d", ["s1"]),
        ("dq", ["s1"]),
        ("zzz", []),
        ("alpha", ["s2", "s4"]),
        ("alpha ", ["s2"]),
        ("m", ["s4", "s3", "s2", "s1"]),
        ("alpha\nbeta\x1b[201~", []),
        ("alpha\n", ["s2"]),
    ],
)
def test_what_is_typed_is_what_is_found(build_v11: BuildV11, text: str, ids: list[str]) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        assert [hit.entry.id for hit in db.search(parse(text)).hits] == ids
