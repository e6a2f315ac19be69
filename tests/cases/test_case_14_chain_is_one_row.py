"""Case 14: a compression chain is one row, shown by its newest part. (Renaming waits for its issue.)"""

from __future__ import annotations

from storage import Edge, SessionDB
from tests.support.stores import NOW, BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('r','cli',1780000000,1780001000,'compression','my project',NULL),
('m','cli',1780001000,1780002000,'compression','my project #2','r'),
('t','cli',1780001999.5,NULL,NULL,'my project #3','m'),('z','cli',1780001500,NULL,NULL,'other',NULL);
INSERT INTO messages(session_id,role,content,timestamp) VALUES('r','user','first ask',1780000001),
('m','user','[CONTEXT COMPACTION — REFERENCE ONLY] summary text',1780001001),
('m','user','middle ask',1780001002),('t','user','last ask',1780002500),('z','user','zed',1780001600);"""


def test_the_chain_is_one_row_with_the_tip_in_front(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True, clock=lambda: NOW) as db:
        listing = db.listing()
        assert [(entry.id, entry.last_active) for entry in listing.entries] == [
            ("t", 1780002500),
            ("z", 1780001600),
        ]
        assert listing.entries[0].parts == ("r", "m", "t")
        chain, _ = db.details(listing.entries)
        assert (chain.title, chain.preview, chain.messages) == ("my project #3", "first ask", 4)


def test_its_links_are_in_order(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        lineage = db.lineage("m")
        assert [(node.id, node.edge, node.live) for node in lineage.nodes] == [
            ("r", Edge.ROOT, False),
            ("m", Edge.COMPRESSED, False),
            ("t", Edge.COMPRESSED, True),
        ]
        assert [message.text for message in db.transcript(("r", "m", "t")).messages][::3] == [
            "first ask",
            "last ask",
        ]
        assert all(db.find(part) == db.find("t") for part in ("r", "m"))
