"""An import foretold: the answer of the import that follows, and not a byte written."""

from __future__ import annotations

from typing import Any

import pytest

from storage import SessionDB
from tests.support.stores import NOW, CopyStore

SESSIONS: dict[str, list[Any]] = {
    "new": [{"id": "a", "source": "cli", "title": "A", "messages": [{"role": "user", "content": "x"}]}],
    "there already": [{"id": "there", "source": "cli"}, {"id": "a", "source": "cli"}],
    "its title is taken": [{"id": "a", "source": "cli", "title": "taken"}],
    "two want one title": [{"id": "a", "source": "cli", "title": "A"}, {"id": "b", "title": "A"}],
    "without its parent": [{"id": "a", "source": "cli", "parent_session_id": "nobody"}],
    "after its parent": [
        {"id": "b", "source": "cli", "parent_session_id": "a"},
        {"id": "a", "source": "cli", "parent_session_id": "there"},
    ],
    "in a circle": [{"id": "a", "parent_session_id": "b"}, {"id": "b", "parent_session_id": "a"}],
    "unknown columns": [
        {"id": "a", "source": "cli", "hat": 1, "messages": [{"role": "user", "content": "x", "scarf": "y"}]}
    ],
    "usage": [{"id": "a", "source": "cli", "model_usage": [{"model": "m", "glove": 2}]}],
    "what is none": [{"id": "a", "source": "cli"}, "text", {"source": "cli"}, {"id": "b", "messages": 7}],
}


@pytest.mark.parametrize("sessions", SESSIONS.values(), ids=SESSIONS.keys())
def test_it_foretells_what_the_import_answers(db: SessionDB, sessions: list[Any]) -> None:
    db.create_session("there", "cli")
    db.set_session_title("there", "taken")
    before = db.export_all(exact=True)
    foretold = db.check_import(sessions)
    assert db.export_all(exact=True) == before
    assert db.import_sessions(sessions) == foretold


@pytest.mark.parametrize("name", ["state-v23-extras.db", "state-v11-0.13.0.db"])
def test_whole_stores_are_foretold(name: str, copy_store: CopyStore) -> None:
    with SessionDB(copy_store(name), migrate=False) as source:
        exported = source.export_all(exact=True)
    with SessionDB(copy_store("empty-v22-0.19.0.db"), migrate=False, clock=lambda: NOW) as empty:
        foretold = empty.check_import(exported)
        assert foretold["imported"] == len(exported)
        assert empty.import_sessions(exported) == foretold
        assert empty.check_import(exported)["skipped"] == len(exported)


def test_it_tells_how_far_it_is(db: SessionDB, copy_store: CopyStore) -> None:
    told: list[tuple[int, int]] = []
    with SessionDB(copy_store("state-v23.db"), read_only=True) as source:
        sessions = source.export_all(exact=True)
    db.import_sessions(sessions, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(sessions), len(sessions))
    assert told == sorted(told)
