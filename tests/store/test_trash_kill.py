"""A deletion that is killed anywhere: nothing is lost, and the next start says what had gone."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from storage import Deletion, SessionDB
from storage.keeping import trash_files, trash_restore
from storage.keeping.trash_files import PendingFile
from storage.locations import trash_dir
from tests.support.crash import count_statements, killed_at
from tests.support.raw import Raw, raw_rows
from tests.support.stores import NOW

EVERY = 7 if "CI" in os.environ else 13
IDS = ("one", "two", "three", "four")
CONVERSATIONS = [["one"], ["two", "three"], ["four"]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "original" / "state.db"
    with SessionDB(path, clock=lambda: NOW) as db:
        for number, id_ in enumerate(IDS):
            db.create_session(id_, "cli", parent_session_id=IDS[number - 1] if number else None)
            db.append_message(id_, "user", f"word{id_}")
            db.set_session_title(id_, f"title {id_}")
            db.end_session(id_, "compression")
    return path


def copies(store: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        yield Path(shutil.copytree(store.parent, store.parent.parent / f"copy-{number}")) / store.name


def delete(path: Path) -> Deletion:
    with SessionDB(path, migrate=False, clock=lambda: NOW) as db:
        return db.trash_sessions(CONVERSATIONS)


def restore(path: Path) -> None:
    with SessionDB(path, migrate=False, clock=lambda: NOW) as db:
        for one in db.list_trash():
            db.restore_trash(one.step)


def assert_nothing_is_lost(path: Path, before: Raw) -> tuple[str, ...]:
    """What is not in the store is said to be in the trash, and comes back; returns the sessions that had gone."""
    with SessionDB(path, migrate=False, clock=lambda: NOW) as db:
        lying = sorted(os.listdir(trash_dir(path))) if trash_dir(path).exists() else []
        gone = {id_ for id_ in IDS if db.get_session(id_) is None}
        interrupted = db.interrupted_deletions()
        assert {id_ for one in db.list_trash() for id_ in one.sessions} == gone
        assert {id_ for one in interrupted for id_ in one.sessions} <= gone
        assert all(one.interrupted for one in interrupted)
        assert lying == (sorted(os.listdir(trash_dir(path))) if lying else [])
        for one in db.list_trash():
            assert set(db.restore_trash(one.step).sessions) == set(one.sessions)
        assert raw_rows(path) == before
        assert db.empty_trash() == 0
        assert (db.list_trash(), db.interrupted_deletions()) == ((), ())
        assert not trash_dir(path).exists() or os.listdir(trash_dir(path)) == []
        assert [hit["session_id"] for hit in db.search_messages("wordtwo")] == ["two"]
    return tuple(id_ for id_ in IDS if id_ in gone)


def test_at_any_statement(store: Path) -> None:
    before, places = raw_rows(store), copies(store)
    seen = set()
    counted = next(places)
    total = count_statements(lambda: delete(counted))
    for statement in range(1, total + 1, EVERY):
        path = next(places)
        assert killed_at(statement, lambda path=path: delete(path))  # type: ignore[misc]
        seen.add(assert_nothing_is_lost(path, before))
        shutil.rmtree(path.parent)
    assert len(seen) > 2


def test_at_any_statement_of_a_restoration(store: Path) -> None:
    before, places = raw_rows(store), copies(store)
    delete(store)
    counted = next(places)
    total = count_statements(lambda: restore(counted))
    left = set()
    for statement in range(1, total + 1, EVERY * 2):
        path = next(places)
        assert killed_at(statement, lambda path=path: restore(path))  # type: ignore[misc]
        with SessionDB(path, migrate=False) as db:
            left.add(sum(db.get_session(id_) is None for id_ in IDS))
        restore(path)
        assert raw_rows(path) == before
        assert os.listdir(trash_dir(path)) == []
        shutil.rmtree(path.parent)
    assert len(left) > 1


def _die(*_: object, **__: object) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def _torn(file: PendingFile, data: bytes) -> None:
    file._file.write(data[: len(data) // 2])
    if data.startswith(b'{"kind":"end"'):
        _die()
    file._file.write(data[len(data) // 2 :])


def _in_the_next(method: Callable[..., Any], times: int) -> Callable[..., Any]:
    """The method, which kills when it has been called so often."""
    calls = [0]

    def counting(*arguments: Any, **named: Any) -> Any:
        calls[0] += 1
        return _die() if calls[0] > times else method(*arguments, **named)

    return counting


@pytest.mark.parametrize(
    ("where", "what", "instead", "gone"),
    [
        (PendingFile, "write", _die, ()),
        (PendingFile, "write", _torn, ()),
        (PendingFile, "sync", _die, ()),
        (PendingFile, "keep", _in_the_next(PendingFile.keep, 1), ("one",)),
        (PendingFile, "sync", _in_the_next(PendingFile.sync, 2), ("one", "two", "three")),
        (os, "replace", _die, IDS),
        (trash_files, "_lock", _die, ()),
    ],
)
def test_between_the_steps_of_one(
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: object,
    what: str,
    instead: Any,
    gone: tuple[str, ...],
) -> None:
    before = raw_rows(store)
    with monkeypatch.context() as patched:
        patched.setattr(where, what, instead)
        assert killed_at(0, lambda: delete(store))
    with SessionDB(store, read_only=True) as db:
        (said,) = db.interrupted_deletions()
        assert (said.sessions, said.messages, said.interrupted) == (gone, len(gone), True)
        assert [one.step for one in db.list_trash()] == ([said.step] if gone else [])
    assert assert_nothing_is_lost(store, before) == gone


def test_before_the_copy_is_made_smaller(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = raw_rows(store)
    delete(store)
    with monkeypatch.context() as patched:
        patched.setattr(trash_restore, "_keep_the_rest", _die)
        assert killed_at(0, lambda: restore(store))
    with SessionDB(store, migrate=False) as db:
        (left,) = db.list_trash()
        assert set(db.restore_trash(left.step).skipped) == set(left.sessions) == set(IDS)
        assert db.list_trash() == ()
    assert raw_rows(store) == before


def test_settled_by_the_next_deletion(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(PendingFile, "sync", _in_the_next(PendingFile.sync, 2))
        assert killed_at(0, lambda: delete(store))
    with SessionDB(store, migrate=False, clock=lambda: NOW) as db:
        (cut,) = db.interrupted_deletions()
        assert db.trash_sessions([["four"]]).deleted == ("four",)
        assert db.interrupted_deletions() == ()
        assert [(one.sessions, one.interrupted) for one in db.list_trash()] == [
            (("four",), False),
            (("one", "two", "three"), False),
        ]
        assert db.restore_trash(cut.step).sessions == ("two", "three", "one")


def test_files_that_were_left_go_when_it_is_settled(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = store.parent / "sessions"
    files.mkdir()
    for name in ("one.json", "one.jsonl", "two.json", "four.json"):
        (files / name).write_text(name)
    with monkeypatch.context() as patched:
        patched.setattr(PendingFile, "keep", _in_the_next(PendingFile.keep, 1))
        assert killed_at(0, lambda: delete(store))
    (files / "one.jsonl").write_text("somebody's")
    assert sorted(os.listdir(files)) == ["four.json", "one.json", "one.jsonl", "two.json"]
    with SessionDB(store, migrate=False, clock=lambda: NOW) as db:
        assert [one.sessions for one in db.interrupted_deletions()] == [("one",)]
        db.trash_sessions([["nobody"]])
        assert sorted(os.listdir(files)) == ["four.json", "one.jsonl", "two.json"]
        db.restore_trash(db.list_trash()[0].step)
    assert (files / "one.json").read_text() == "one.json"
    assert (files / "one.jsonl").read_text() == "somebody's"


def test_a_signal_in_between_is_settled_like_a_kill(store: Path) -> None:
    before = raw_rows(store)

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with SessionDB(store, migrate=False, clock=lambda: NOW) as db:
        with pytest.raises(KeyboardInterrupt):
            db.trash_sessions(CONVERSATIONS, progress=stop)
        assert [one.sessions for one in db.interrupted_deletions()] == [("one",)]
    assert assert_nothing_is_lost(store, before) == ("one",)
