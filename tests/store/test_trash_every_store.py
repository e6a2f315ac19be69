"""Whatever Hermes made the store: what was deleted comes back to the last byte, and is found again."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from storage import SessionDB
from tests.support.raw import raw_rows
from tests.support.stores import STORES, CopyStore

EVERY_STORE = sorted(path.name for path in STORES.glob("*.db"))
FILLED = [name for name in EVERY_STORE if not name.startswith("empty")]

_WORD = re.compile(r"\w{4,}")


def prepared(db: SessionDB) -> None:
    """A first write takes away what an index without its tokenizer would stop later."""
    db.write(lambda within: None, touches_messages=True)


def session_ids(db: SessionDB) -> list[str]:
    return [id_ for (id_,) in db.reader.rows("SELECT id FROM sessions WHERE typeof(id) = 'text'")]


def exports(db: SessionDB) -> dict[str, str]:
    return {id_: json.dumps(db.export_session(id_, exact=True)) for id_ in session_ids(db)}


def words(db: SessionDB) -> list[str]:
    """One word of each of some messages."""
    contents = db.reader.rows("SELECT content FROM messages WHERE typeof(content) = 'text' ORDER BY id")
    found = {match[0] for (content,) in contents[::9] if (match := _WORD.search(content))}
    return sorted(found)


def found(db: SessionDB, wanted: list[str]) -> dict[str, list[int]]:
    return {word: sorted(hit["id"] for hit in db.search_messages(word, limit=500)) for word in wanted}


@pytest.mark.parametrize("name", FILLED)
def test_one_after_the_other(name: str, copy_store: CopyStore) -> None:
    path = copy_store(name)
    with SessionDB(path, migrate=False) as db:
        prepared(db)
        before, rows = exports(db), raw_rows(path)
        for id_ in before:
            preview = db.preview_delete([[id_]])
            deletion = db.trash_sessions([[id_]])
            assert deletion.failed is None
            assert (deletion.deleted, deletion.messages) == (preview.sessions, preview.messages)
            assert db.get_session(id_) is None
            restored = db.restore_trash(deletion.step)
            assert sorted(restored.sessions) == sorted(deletion.deleted)
            assert (restored.retitled, restored.skipped, restored.detached) == ((), (), ())
            assert json.dumps(db.export_session(id_, exact=True)) == before[id_]
            assert raw_rows(path) == rows
        assert db.list_trash() == ()


@pytest.mark.parametrize("name", FILLED)
def test_all_in_one_step(name: str, copy_store: CopyStore) -> None:
    path = copy_store(name)
    with SessionDB(path, migrate=False) as db:
        prepared(db)
        before, rows, wanted = exports(db), raw_rows(path), words(db)
        hits = found(db, wanted)
        assert any(hits.values())
        deletion = db.trash_sessions([[id_] for id_ in before])
        assert (deletion.failed, deletion.missing, deletion.left) == (None, (), 0)
        assert sorted(deletion.deleted) == sorted(before)
        assert deletion.conversations == len(before)
        assert session_ids(db) == []
        assert found(db, wanted) == {word: [] for word in wanted}
        (step,) = db.list_trash()
        assert (step.step, sorted(step.sessions), step.messages) == (
            deletion.step,
            sorted(before),
            deletion.messages,
        )
        restored = db.restore_trash(deletion.step)
        assert restored.messages == deletion.messages
        assert exports(db) == before
        assert raw_rows(path) == rows
        assert found(db, wanted) == hits


def test_nothing_to_delete(copy_store: CopyStore) -> None:
    path = copy_store("empty-v22-0.19.0.db")
    with SessionDB(path, migrate=False) as db:
        deletion = db.trash_sessions([["a"], ["b", "c"]])
        assert (deletion.step, deletion.missing, deletion.failed) == ("", ("a", "b", "c"), None)
        assert db.list_trash() == ()


@pytest.mark.parametrize("name", ["state-v1.db", "state-v11-0.13.0.db", "state-v22-0.19.0.db"])
def test_a_store_that_was_brought_up_to_date_meanwhile(name: str, copy_store: CopyStore) -> None:
    path = copy_store(name)
    with SessionDB(path, migrate=False) as db:
        before = {id_: db.export_session(id_, exact=True) for id_ in session_ids(db)}
        wanted = words(db)
        deletion = db.trash_sessions([[id_] for id_ in before])
    with SessionDB(path) as db:
        restored = db.restore_trash(deletion.step)
        assert sorted(restored.sessions) == sorted(before)
        for id_, old in before.items():
            assert _of_columns(db.export_session(id_, exact=True), old) == old
        assert any(found(db, wanted).values())
        assert db.list_trash() == ()


def _of_columns(row: Any, old: Any) -> Any:
    """The row without the columns that the old one did not have."""
    if not isinstance(old, dict):
        return row
    return {
        key: [_of_columns(*pair) for pair in zip(row[key], value, strict=True)]
        if key == "messages"
        else row[key]
        for key, value in old.items()
    }
