"""Case 8: picture messages are previewed, read and searched by their text part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from storage import SessionDB, parse
from tests.support.stores import BuildV11

SETUP = """INSERT INTO sessions(id,source,started_at) VALUES('s1','telegram',1780000000);
INSERT INTO messages(id,session_id,role,content,timestamp) VALUES
(1,'s1','user',char(0)||'json:[{"type":"text","text":"describe the zebra photo"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg"}}]',1780000001),
(2,'s1','assistant','A zebra.',1780000002),
(3,'s1','user',char(0)||'json:[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]',1780000003),
(4,'s1','user',char(0)||'json:not json',1780000004),
(5,'s1','user',char(1)||'json:[{"type":"text","text":"second marker form"}]',1780000005);"""


@pytest.fixture
def db(build_v11: BuildV11) -> Iterator[SessionDB]:
    with SessionDB(build_v11(SETUP), read_only=True) as db:
        yield db


def test_the_preview_is_the_text_and_a_mark_for_the_picture(db: SessionDB) -> None:
    (row,) = db.details(db.listing().entries)
    assert row.preview == "describe the zebra photo [image]"


def test_the_transcript_shows_what_can_be_shown(db: SessionDB) -> None:
    assert {message.id: message.text for message in db.transcript(("s1",)).messages} == {
        1: "describe the zebra photo [image]",
        2: "A zebra.",
        3: "[image]",
        4: "not json",
        5: "second marker form",
    }


def test_search_sees_the_text_part(db: SessionDB) -> None:
    query = parse("zebra")
    (hit,) = db.search(query).hits
    assert hit.messages == (2, 1)
    (excerpt,) = db.excerpts(query, [hit])
    assert excerpt is not None
    assert (excerpt.text, excerpt.spans) == ("A zebra.", ((2, 7),))


@pytest.mark.parametrize("text", ["iVBORw0KGgo", "image_url", "base64", "json type"])
def test_search_sees_neither_picture_nor_json(db: SessionDB, text: str) -> None:
    assert db.search(parse(text)).hits == ()
