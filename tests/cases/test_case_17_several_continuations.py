"""Case 17: several continuations of one parent."""

from __future__ import annotations

from storage import Edge, SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id,message_count) VALUES
('r','cli',1780000000,1780001000,'compression','talk',NULL,4),('a','cli',1780001000,1780001200,'agent_close',NULL,'r',1),
('b','cli',1780001001,NULL,NULL,'talk #2','r',3),('e','cli',1780001500,NULL,NULL,NULL,'r',9);
INSERT INTO messages(session_id,role,content,timestamp) VALUES('r','user','start',1780000001),
('a','user','dead end',1780001100),('b','user','live one',1780003000);"""


def test_one_row_that_opens_the_living_continuation(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        (entry,) = db.listing().entries
        assert (entry.id, entry.parts, entry.main) == ("b", ("r", "b", "a", "e"), 2)
        (row,) = db.details([entry])
        assert (row.title, row.messages, row.last_active) == ("talk #2", 3, 1780003000)


def test_the_dead_ends_are_found_and_can_be_opened(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        (hit,) = db.search(parse("dead end")).hits
        assert (hit.entry.id, hit.hits) == ("b", 1)
        assert [(node.id, node.edge, node.live) for node in db.lineage("a").nodes] == [
            ("r", Edge.ROOT, False),
            ("a", Edge.COMPRESSED, False),
            ("e", Edge.COMPRESSED, False),
            ("b", Edge.COMPRESSED, True),
        ]
        assert [message.text for message in db.transcript(("a",)).messages] == ["dead end"]
