"""Case 13: older, newer and partial schemas open read-only, and nothing of them is changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from tests.support.stores import NOW, BuildV11, dump

OLD = (
    "INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'Old store');"
    "INSERT INTO messages(id,session_id,role,content,timestamp) VALUES(1,'s1','user','去年广西自驾',1780000001);"
)
DROP_TRIGRAM = (
    "DROP TABLE messages_fts_trigram; DROP TRIGGER messages_fts_trigram_insert;"
    "DROP TRIGGER messages_fts_trigram_delete; DROP TRIGGER messages_fts_trigram_update;"
)
A = (
    DROP_TRIGRAM + "ALTER TABLE messages DROP COLUMN codex_message_items;"
    "ALTER TABLE messages DROP COLUMN reasoning_content; ALTER TABLE sessions DROP COLUMN api_call_count;"
    "UPDATE schema_version SET version=6;" + OLD
)
B = (
    OLD + "UPDATE schema_version SET version=23;"
    "ALTER TABLE sessions ADD COLUMN archived INTEGER DEFAULT 0; ALTER TABLE sessions ADD COLUMN pinned;"
    "ALTER TABLE sessions ADD COLUMN last_activity_at REAL; ALTER TABLE sessions ADD COLUMN cwd TEXT;"
    "ALTER TABLE messages ADD COLUMN active INTEGER DEFAULT 1;"
    "ALTER TABLE messages ADD COLUMN compacted INTEGER DEFAULT 0;"
    "INSERT INTO messages(id,session_id,role,content,timestamp,active,compacted) VALUES"
    "(2,'s1','user','taken back',1780000002,0,0),(3,'s1','assistant','compacted away',1780000003,0,1);"
)
C = (
    OLD + "INSERT INTO messages(id,session_id,role,content,timestamp)"
    " VALUES(2,'s1','assistant','Guangxi it is',1780000002);"
    "DROP TABLE messages_fts; DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete;"
    "DROP TRIGGER messages_fts_update;"
)
D = OLD + "DROP INDEX idx_sessions_title_unique; ALTER TABLE sessions DROP COLUMN title;"

LAYOUTS = {"A": (6, "inline"), "B": (23, "inline"), "C": (11, "none"), "D": (11, "inline")}
TITLES = {"A": "Old store", "B": "Old store", "C": "Old store", "D": ""}
TEXTS = {
    "A": ["去年广西自驾"],
    "B": ["去年广西自驾", "compacted away"],
    "C": ["去年广西自驾", "Guangxi it is"],
    "D": ["去年广西自驾"],
}
VARIANTS = {"A": A, "B": B, "C": C, "D": D}


@pytest.fixture(params=sorted(VARIANTS))
def variant(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def path(variant: str, build_v11: BuildV11) -> Path:
    return build_v11(VARIANTS[variant])


def open_it(path: Path) -> SessionDB:
    return SessionDB(path, read_only=True, clock=lambda: NOW)


def found(db: SessionDB, text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(hit.entry.id, hit.messages) for hit in db.search(parse(text)).hits]


def test_it_says_what_it_is(variant: str, path: Path) -> None:
    with open_it(path) as db:
        info = db.info()
    assert (info.version, info.layout) == LAYOUTS[variant]
    assert info.sessions == 1


def test_it_lists_the_conversation(variant: str, path: Path) -> None:
    with open_it(path) as db:
        first, whole = db.first_page(), db.listing()
        (conversation,) = db.details(whole.entries)
    assert [entry.id for entry in first.entries] == [entry.id for entry in whole.entries] == ["s1"]
    assert conversation.title == TITLES[variant]
    assert conversation.preview == "去年广西自驾"
    assert conversation.messages == len(TEXTS[variant])


def test_it_shows_the_transcript(variant: str, path: Path) -> None:
    with open_it(path) as db:
        assert [message.text for message in db.transcript(["s1"]).messages] == TEXTS[variant]


def test_it_finds_the_message(path: Path) -> None:
    with open_it(path) as db:
        assert found(db, "广西") == [("s1", (1,))]


def test_without_the_word_index_the_messages_are_scanned(build_v11: BuildV11) -> None:
    with open_it(build_v11(C)) as db:
        result = db.search(parse("guangxi"))
        assert [(hit.entry.id, hit.messages) for hit in result.hits] == [("s1", (2,))]
        assert result.scanned
        assert (
            "The word index is missing: searches read the messages instead, which takes longer."
            in db.info().notes
        )


def test_what_was_taken_back_is_not_found_either(build_v11: BuildV11) -> None:
    with open_it(build_v11(B)) as db:
        assert found(db, "taken") == []
        assert found(db, "compacted") == [("s1", (3,))]


def test_browsing_changes_nothing(variant: str, path: Path) -> None:
    before, bytes_before = dump(path), path.read_bytes()
    with open_it(path) as db:
        db.info()
        entries = db.listing().entries
        db.details(entries)
        db.first_page()
        db.find("s1")
        query = parse("广西")
        db.excerpts(query, db.search(query).hits)
        db.transcript(["s1"])
        db.lineage("s1")
        db.changes()
    assert path.read_bytes() == bytes_before
    assert dump(path) == before
