"""Case 19: recency and counts come from the rows, never from the stored counter."""

from __future__ import annotations

from storage import SessionDB, Status, parse
from tests.support.stores import NOW, BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,ended_at,message_count) VALUES('old','cli',1780000000,NULL,0),
('new','cli',1780005000,NULL,7),('end','cli',1780001000,1780009000,2),('empty','cli',1780008000,NULL,4),
('tie','cli',1780005000,NULL,1);
INSERT INTO messages(session_id,role,content,timestamp) VALUES('old','user','still going',1780010000),
('new','user','a',1780005001),('end','user','b',1780001001),('end','assistant','c',1780001002),
('tie','user','t',1780005001);"""


def test_order_and_counts(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        listing = db.listing()
        assert [entry.id for entry in listing.entries] == ["old", "empty", "tie", "new", "end"]
        assert all(db.listing().entries == listing.entries for _ in range(3))
        rows = db.details(listing.entries)
        assert {row.id: row.messages for row in rows} == {"old": 1, "empty": 0, "new": 1, "tie": 1, "end": 2}
        assert [row.last_active for row in rows] == [
            1780010000,
            1780008000,
            1780005001,
            1780005001,
            1780001002,
        ]
        assert {row.id for row in rows if row.status is Status.EMPTY} == {"empty"}


def test_empty_ones_can_be_left_out(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        left = [entry.id for entry in db.listing(parse("-is:empty")).entries]
        assert left == ["old", "tie", "new", "end"]
        assert [entry.id for entry in db.listing(parse("is:empty")).entries] == ["empty"]
        assert [entry.id for entry in db.listing(parse("msgs:2")).entries] == ["end"]
