"""Case 11: a damaged search index must not look like no data."""

from __future__ import annotations

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'Keep me');
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user','alpha beta',1780000001),(2,'s1','assistant','gamma',1780000002);
DELETE FROM messages_fts_data WHERE id>10; DELETE FROM messages_fts_trigram_data WHERE id>10;"""


def test_everything_is_there_and_the_search_says_that_it_scanned(build_v11: BuildV11) -> None:
    path = build_v11(SETUP)
    before = path.read_bytes()
    with SessionDB(path, read_only=True) as db:
        assert [row.title for row in db.details(db.listing().entries)] == ["Keep me"]
        assert [message.text for message in db.transcript(("s1",)).messages] == ["alpha beta", "gamma"]
        result = db.search(parse("alpha"))
        assert [(hit.entry.id, hit.messages) for hit in result.hits] == [("s1", (1,))]
        assert result.scanned
        assert result.notes == ("search index damaged: scanned",)
        nothing = db.search(parse("delta"))
        assert nothing.hits == ()
        assert nothing.notes == ("search index damaged: scanned",)
    assert path.read_bytes() == before
