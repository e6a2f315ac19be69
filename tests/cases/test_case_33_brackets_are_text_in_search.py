"""Case 33, the search: square brackets are text."""

from __future__ import annotations

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,title) VALUES
('s1','cli',1780000005,'[link=http://x]y'),('s2','cli',1780000004,'[/b] plan'),
('s3','cli',1780000003,'[TODO] Q3 plan'),('s4','cli',1780000002,'[b + should'),
('s5','cli',1780000001,'[IMPORTANT]'),('s6','[red]cli',1780000000,'[@click=app.quit]go[/]');
INSERT INTO messages(session_id,role,content,timestamp)
SELECT id,'user','body [/] of '||title||' [1, "3"] arr[0] [bold',started_at FROM sessions;"""


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("[TODO]", ["s3"]),
        ("[IMPORTANT]", ["s5"]),
        ("[@click=app.quit]", ["s6"]),
        ("[link=http://x]", ["s1"]),
        ("arr[0]", ["s6", "s5", "s4", "s3", "s2", "s1"]),
        ("source:[red]cli go", ["s6"]),
    ],
)
def test_brackets_are_looked_for_like_any_punctuation(build_v11: BuildV11, text: str, ids: list[str]) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        query = parse(text)
        hits = db.search(query).hits
        assert [hit.entry.id for hit in hits] == ids
        for hit, excerpt in zip(hits, db.excerpts(query, hits), strict=True):
            (row,) = db.details([hit.entry])
            assert excerpt is not None
            assert excerpt.text == f'body [/] of {row.title} [1, "3"] arr[0] [bold'
