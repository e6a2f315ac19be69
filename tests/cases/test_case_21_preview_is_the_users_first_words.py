"""Case 21: the preview is the user's own first words."""

from __future__ import annotations

from storage import SessionDB
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at) VALUES('a','cli',1780000000),('b','cli',1780000001),
('c','cli',1780000002),('d','cli',1780000003),('e','cli',1780000004);
INSERT INTO messages(session_id,role,content,timestamp) VALUES
('a','system','You are helpful',1780000001),('a','assistant','Hi! How can I help?',1780000002),
('a','user',NULL,1780000003),('a','user','   '||char(10)||char(9),1780000004),
('a','user','real'||char(13)||char(10)||'question'||char(9)||'here',1780000005),
('b','user','[CONTEXT COMPACTION — REFERENCE ONLY] earlier work',1780000001),('b','user','go on please',1780000002),
('c','assistant','only assistant',1780000001),('d','tool','{"ok":1}',1780000001),
('e','user',replace(hex(zeroblob(2500000)),'00','x'),1780000001);"""


def test_previews(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        previews = {row.id: row.preview for row in db.details(db.listing().entries)}
        assert previews == {
            "a": "real question here",
            "b": "go on please",
            "c": "",
            "d": "",
            "e": "x" * 100 + "…",
        }


def test_an_enormous_line_is_cut_with_a_note(build_v11: BuildV11) -> None:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        (message,) = db.transcript(("e",)).messages
        assert message.cut > 0
        assert len(message.text) + message.cut == 2_500_000
