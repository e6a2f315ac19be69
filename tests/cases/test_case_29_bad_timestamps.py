"""Case 29: bad timestamps cost one cell, not the list. (Export waits for its issue.)"""

from __future__ import annotations

from storage import SessionDB, Sort, Status
from tests.support.stores import NOW, BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,ended_at) VALUES('good','cli',1780000000,NULL),
('text','cli','not-a-timestamp',NULL),('iso','cli','2026-05-01T10:00:00',NULL),('ms','cli',1780000000123,NULL),
('inf','cli',9e999,NULL),('neg','cli',-62135596800,NULL),('zero','cli',0,NULL),('future','cli',1893456000,NULL),
('back','cli',1780000000,1779999000),('blank','cli','',NULL);
INSERT INTO messages(session_id,role,content,timestamp) VALUES('good','user','ok',1780000001),
('text','user','x','yesterday'),('back','user','y',1780000000.5);"""

UNREADABLE = ["zero", "text", "neg", "ms", "iso", "inf", "blank"]


def test_all_ten_are_listed_the_unreadable_ones_last(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        listing = db.listing()
        assert [entry.id for entry in listing.entries] == ["future", "good", "back", *UNREADABLE]
        rows = {row.id: row for row in db.details(listing.entries)}
        assert {id_: row.last_active for id_, row in rows.items() if row.last_active is not None} == {
            "future": 1893456000,
            "good": 1780000001,
            "back": 1780000000.5,
        }
        assert [id_ for id_, row in rows.items() if row.started_at is None] == UNREADABLE
        assert rows["text"].preview == "x"
        assert rows["text"].status is Status.INTERRUPTED
        assert rows["back"].ended_at == 1779999000


def test_every_order_and_every_row_works(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        for sort in Sort:
            assert len(db.listing(sort=sort).entries) == 10
        assert [entry.id for entry in db.listing(sort=Sort.STARTED).entries] == [
            "future",
            "good",
            "back",
            *UNREADABLE,
        ]
        for entry in db.listing().entries:
            db.transcript(entry.parts)
            assert [node.id for node in db.lineage(entry.id).nodes] == [entry.id]
        (yesterday,) = db.transcript(("text",)).messages
        assert (yesterday.text, yesterday.timestamp) == ("x", None)
