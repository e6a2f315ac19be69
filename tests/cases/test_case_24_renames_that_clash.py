"""Case 24: a clash of titles is explained, and an ancestor gives way; here on SessionDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import SessionDB
from storage.errors import TitleTaken, TitleTooLong
from tests.support.both_ways import opened
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('r','desktop',1780000000,1780001000,'compression','scanner',NULL),
('t','tui',1780001000,NULL,NULL,'scanner #2','r'),('u','telegram',1780000500,NULL,NULL,'taken',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;
"""


@pytest.fixture(params=[False, True], ids=["as it is", "migrated"])
def db(request: pytest.FixtureRequest, build_v11: BuildV11) -> Iterator[SessionDB]:
    with opened(build_v11(ROWS), request.param) as db:
        yield db


def titles(db: SessionDB) -> dict[str, str | None]:
    return {row["id"]: row["title"] for row in db.search_sessions()}


def test_an_ancestor_gives_its_title_up(db: SessionDB) -> None:
    assert db.set_session_title("t", "scanner") is True
    assert titles(db) == {"r": None, "t": "scanner", "u": "taken"}


def test_an_ancestor_does_not_take_it_back(db: SessionDB) -> None:
    with pytest.raises(TitleTaken) as error:
        db.set_session_title("r", "scanner #2")
    assert str(error.value) == "Title 'scanner #2' is already in use by session t (tui)"


@pytest.mark.parametrize("typed", ["taken", "  taken  ", "ta\u200bken"])
def test_somebody_elses_title_is_refused(db: SessionDB, typed: str) -> None:
    with pytest.raises(TitleTaken) as error:
        db.set_session_title("t", typed)
    assert str(error.value) == "Title 'taken' is already in use by session u (telegram)"
    assert isinstance(error.value, ValueError)
    assert (error.value.session_id, error.value.source) == ("u", "telegram")
    assert titles(db) == {"r": "scanner", "t": "scanner #2", "u": "taken"}


def test_an_empty_title_takes_it_away(db: SessionDB) -> None:
    assert db.set_session_title("t", "") is True
    assert db.set_session_title("u", " \u200b ") is True
    assert titles(db) == {"r": "scanner", "t": None, "u": None}


def test_the_limit_is_named(db: SessionDB) -> None:
    with pytest.raises(TitleTooLong) as error:
        db.set_session_title("t", "x" * 101)
    assert str(error.value) == "Title too long (101 chars, max 100)"
    assert db.set_session_title("t", "x" * 100) is True


def test_what_cannot_be_seen_is_not_stored(db: SessionDB) -> None:
    assert db.set_session_title("t", "a\u200bb\u202ec") is True
    assert db.get_session_title("t") == "abc"


def test_who_was_deleted_meanwhile_is_not_made_again(db: SessionDB) -> None:
    with SessionDB(Path(db.path), migrate=False) as another:
        assert another.delete_session("u") is True
    assert db.set_session_title("u", "x") is False
    assert titles(db) == {"r": "scanner", "t": "scanner #2"}
