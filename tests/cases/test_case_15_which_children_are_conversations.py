"""Case 15: which children are conversations of their own."""

from __future__ import annotations

from storage import Edge, HiddenClass, SessionDB
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id,model_config) VALUES
('p1','cli',1780000000,1780000500,'session_reset','before new',NULL,NULL),
('n1','cli',1780000500,NULL,NULL,'after new','p1','{"_reset_from":"p1"}'),
('p2','cli',1780000000,1780000600,'branched','trunk',NULL,NULL),
('b2','cli',1780000600,NULL,NULL,'branch','p2','{"_branched_from":"p2"}'),
('p3','cli',1780000000,NULL,NULL,'boss',NULL,NULL),
('d3','cli',1780000700,1780000800,'agent_close',NULL,'p3','{"_delegate_from":"p3"}'),
('p4','cli',1780000000,1780000900,'compression','comp',NULL,NULL),('c4','cli',1780000900,NULL,NULL,'comp #2','p4',NULL),
('b4','cli',1780000899,NULL,NULL,'side','p4','{"_branched_from":"p4"}'),
('o5','cli',1780000000,NULL,NULL,'orphan','gone',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','text of '||id,started_at+10 FROM sessions;"""

EDGES = {
    "p1": Edge.ROOT,
    "n1": Edge.RESET,
    "p2": Edge.ROOT,
    "b2": Edge.BRANCH,
    "p3": Edge.ROOT,
    "c4": Edge.ROOT,
    "b4": Edge.BRANCH,
    "o5": Edge.MISSING,
}


def test_eight_rows_and_a_ninth_on_demand(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        listing = db.listing()
        assert {entry.id: entry.edge for entry in listing.entries} == EDGES
        assert listing.total == 8
        assert listing.hidden == {HiddenClass.SUBAGENT: 1}
        assert {entry.id: entry.parts for entry in listing.entries}["c4"] == ("p4", "c4")
        more = db.listing(show=frozenset({HiddenClass.SUBAGENT}))
        assert {entry.id: entry.edge for entry in more.entries} == {**EDGES, "d3": Edge.SUBAGENT}


def test_opening_what_was_before_the_reset_shows_that_and_not_what_came_after(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        entry = db.find("p1")
        assert entry is not None
        assert entry.parts == ("p1",)
        assert [message.text for message in db.transcript(entry.parts).messages] == ["text of p1"]
