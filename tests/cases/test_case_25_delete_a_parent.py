"""Case 25: a parent is deleted, its chain stays; here through the storage package."""

from __future__ import annotations

from pathlib import Path

from tests.support.both_ways import both_ways, opened
from tests.support.raw import raw_rows
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id,model_config) VALUES
('a','cli',1780000000,1780000900,'compression','A',NULL,NULL),('b','cli',1780000901,1780001900,'compression','B','a',NULL),
('c','cli',1780001901,NULL,NULL,'C','b',NULL),('z','cli',1780000000,NULL,NULL,'Z',NULL,NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','word'||id,started_at FROM sessions;
"""


@both_ways
def test_the_middle_of_a_chain(build_v11: BuildV11, migrate: bool) -> None:
    with opened(build_v11(ROWS), migrate) as db:
        assert db.delete_session("b") is True
        left = {row["id"]: (row["parent_session_id"], row["model_config"]) for row in db.search_sessions()}
        assert left == {"a": (None, None), "c": (None, None), "z": (None, None)}
        assert [db.message_count(one) for one in "abcz"] == [1, 0, 1, 1]
        for word, found in (("wordb", []), ("worda", ["a"]), ("wordc", ["c"])):
            assert [hit["session_id"] for hit in db.search_messages(word)] == found
            for index in ("messages_fts", "messages_fts_trigram"):
                match = f"SELECT count(*) FROM {index} WHERE {index} MATCH ?"
                assert db.reader.rows(match, (word,)) == [(len(found),)]
        assert db.reader.rows("PRAGMA foreign_key_check") == []
        assert db.reader.rows("PRAGMA integrity_check") == [("ok",)]


@both_ways
def test_the_middle_of_a_chain_with_a_way_back(build_v11: BuildV11, migrate: bool) -> None:
    path = build_v11(ROWS)
    with opened(path, migrate) as db:
        before = raw_rows(path)
        preview = db.preview_delete([["b"]])
        assert (preview.sessions, preview.continuations, preview.branches) == (("b",), 2, 0)
        assert raw_rows(path) == before
        deletion = db.trash_sessions([["b"]])
        assert (deletion.deleted, deletion.messages, deletion.failed) == (("b",), 1, None)
        left = {row["id"]: (row["parent_session_id"], row["model_config"]) for row in db.search_sessions()}
        assert left == {"a": (None, None), "c": (None, None), "z": (None, None)}
        assert db.search_messages("wordb") == []
        assert db.reader.rows("PRAGMA foreign_key_check") == []
        db.restore_trash(deletion.step)
        assert raw_rows(path) == before
        assert [hit["session_id"] for hit in db.search_messages("wordb")] == ["b"]


@both_ways
def test_nobody(build_v11: BuildV11, migrate: bool) -> None:
    path: Path = build_v11(ROWS)
    with opened(path, migrate) as db:
        assert db.delete_session("gone") is False
        assert db.trash_sessions([["gone"]]).missing == ("gone",)
        assert [row["id"] for row in db.search_sessions()] == ["c", "b", "z", "a"]
