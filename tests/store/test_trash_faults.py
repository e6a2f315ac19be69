"""When the copy cannot be kept, the store is busy, somebody is quicker, or a copy is damaged: an account, no loss."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import (
    OpenedReadOnly,
    SessionDB,
    StoreBusy,
    StoreNotWritable,
    TrashDamaged,
    TrashUnusable,
    WritePolicy,
)
from storage.keeping import trash_files
from storage.keeping.trash_files import PendingFile
from storage.locations import trash_dir
from tests.support.other_process import other_process
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.raw import raw_rows
from tests.support.small_disk import small_disk
from tests.support.stores import NOW

IMPATIENT = WritePolicy(budget=0.05, busy_wait=0.01, jitter=(0.001, 0.002))


def fill(path: Path, text: str = "words") -> None:
    with SessionDB(path, clock=lambda: NOW) as db:
        for id_ in "abc":
            db.create_session(id_, "cli")
            db.append_message(id_, "user", f"{text} {id_}")
            db.set_session_title(id_, f"title {id_}")


@pytest.fixture
def abc(tmp_path: Path) -> Iterator[SessionDB]:
    """Three conversations in a store that waits for nobody."""
    path = tmp_path / "home" / "state.db"
    fill(path)
    with SessionDB(path, migrate=False, policy=IMPATIENT, clock=lambda: NOW) as db:
        yield db


def ids(db: SessionDB) -> list[str]:
    return [id_ for (id_,) in db.reader.rows("SELECT id FROM sessions ORDER BY id")]


def lying(db: SessionDB) -> list[str]:
    return sorted(os.listdir(trash_dir(db.path)))


# --- the copy cannot be kept


def test_where_no_trash_can_be_made(abc: SessionDB) -> None:
    trash_dir(abc.path).write_text("a file")
    deletion = abc.trash_sessions([["a"], ["b"]])
    assert isinstance(deletion.failed, TrashUnusable)
    assert str(trash_dir(abc.path)) in str(deletion.failed)
    assert (deletion.step, deletion.deleted, deletion.left) == ("", (), 2)
    assert ids(abc) == ["a", "b", "c"]
    assert (abc.list_trash(), abc.interrupted_deletions()) == ((), ())
    assert abc.trash_sessions([["a"]], keep_copy=False).failed is None


def test_a_trash_that_cannot_be_written() -> None:
    with public_directory() as place:
        home = place / "home"

        def attempt() -> tuple[str, list[str]]:
            fill(home / "state.db")
            trash_dir(home / "state.db").mkdir()
            trash_dir(home / "state.db").chmod(0o555)
            with SessionDB(home / "state.db", migrate=False) as db:
                failed = db.trash_sessions([["a"]]).failed
                return f"{type(failed).__name__}: {failed}", ids(db)

        place.chmod(0o777)
        said, left = as_somebody_else(attempt)
        assert said == (
            f"TrashUnusable: No copy can be kept in {home / 'trash'} (Permission denied), so it was not deleted."
        )
        assert left == ["a", "b", "c"]


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    path = tmp_path / "home" / "state.db"
    fill(path)
    with SessionDB(path, migrate=False, clock=lambda: NOW) as db:
        db.append_message("b", "user", "x" * 500_000)
        before = raw_rows(path)
        with small_disk(trash_dir(path), 64 * 1024):
            deletion = db.trash_sessions([["a"], ["b"], ["c"]])
            assert isinstance(deletion.failed, TrashUnusable)
            assert os.strerror(errno.ENOSPC) in str(deletion.failed)
            assert (deletion.deleted, deletion.left, deletion.conversations) == (("a",), 2, 1)
            assert ids(db) == ["b", "c"]
            assert lying(db) == [f"{deletion.step}.jsonl"]
            assert db.restore_trash(deletion.step).sessions == ("a",)
            assert raw_rows(path) == before
            assert lying(db) == []


def test_the_medium_refuses_at_the_last_moment(abc: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr("storage.keeping.trash_files.sync", refuse)
        deletion = abc.trash_sessions([["a"]])
    assert isinstance(deletion.failed, TrashUnusable)
    assert ids(abc) == ["a", "b", "c"]
    assert lying(abc) == []
    # The connection reads as it did.
    abc.set_session_title("a", "again")
    assert abc.trash_sessions([["a"]]).failed is None


def test_somebody_takes_the_copy_away(abc: SessionDB) -> None:
    def clear_up(done: int, of: int) -> None:
        for path in trash_dir(abc.path).iterdir():
            path.unlink()

    deletion = abc.trash_sessions([["a"], ["b"]], progress=clear_up)
    assert isinstance(deletion.failed, TrashUnusable)
    assert (deletion.deleted, deletion.left) == (("a",), 1)
    assert ids(abc) == ["b", "c"]


# --- others at the same store


def test_the_store_is_busy(abc: SessionDB) -> None:
    with other_process(abc.path) as other:
        other.run("BEGIN IMMEDIATE")
        deletion = abc.trash_sessions([["a"], ["b"]])
        assert isinstance(deletion.failed, StoreBusy)
        assert (deletion.deleted, deletion.left, deletion.step) == ((), 2, "")
        assert lying(abc) == []
        other.run("ROLLBACK")
        assert abc.trash_sessions([["a"], ["b"]]).deleted == ("a", "b")


def test_the_store_is_busy_in_the_middle(abc: SessionDB) -> None:
    before = raw_rows(abc.path)
    with other_process(abc.path) as other:

        def hold(done: int, of: int) -> None:
            other.run("BEGIN IMMEDIATE")

        deletion = abc.trash_sessions([["a"], ["b"], ["c"]], progress=hold)
        assert isinstance(deletion.failed, StoreBusy)
        assert (deletion.deleted, deletion.left, deletion.conversations) == (("a",), 2, 1)
        with pytest.raises(StoreBusy):
            abc.restore_trash(deletion.step)
        assert [one.sessions for one in abc.list_trash()] == [("a",)]
        other.run("ROLLBACK")
    assert abc.restore_trash(deletion.step).sessions == ("a",)
    assert raw_rows(abc.path) == before


def test_what_others_do_in_between_is_what_is_copied(abc: SessionDB) -> None:
    with other_process(abc.path) as other:

        def change(done: int, of: int) -> None:
            if done == 1:
                other.run("UPDATE sessions SET title = 'renamed' WHERE id = 'b'")
                other.run("DELETE FROM messages WHERE session_id = 'c'")
                other.run("DELETE FROM sessions WHERE id = 'c'")

        deletion = abc.trash_sessions([["a"], ["b"], ["c"]], progress=change)
    assert (deletion.deleted, deletion.missing, deletion.failed) == (("a", "b"), ("c",), None)
    abc.restore_trash(deletion.step)
    assert [abc.get_session_title(id_) for id_ in "ab"] == ["title a", "renamed"]


def test_two_deletions_at_once_leave_each_other_alone(abc: SessionDB) -> None:
    seen: list[Any] = []
    before = raw_rows(abc.path)
    with SessionDB(abc.path, migrate=False, clock=lambda: NOW) as second:

        def meanwhile(done: int, of: int) -> None:
            if done == 1:
                seen.append((second.list_trash(), second.interrupted_deletions(), second.empty_trash()))
                seen.append(second.trash_sessions([["b"]]))

        first = abc.trash_sessions([["a"], ["b"], ["c"]], progress=meanwhile)
        assert seen[0] == ((), (), 0)
        assert (seen[1].deleted, first.deleted, first.missing) == (("b",), ("a", "c"), ("b",))
        for one in second.list_trash():
            second.restore_trash(one.step)
    assert raw_rows(abc.path) == before


def test_a_copy_that_was_taken_for_a_left_one_is_begun_again(
    abc: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, calls = trash_files._lock, [0]

    def slow(file: Any, *, wait: bool, shared: bool = False) -> bool:
        calls[0] += 1
        if calls[0] == 1:
            os.unlink(file.name)
        return lock(file, wait=wait, shared=shared)

    monkeypatch.setattr(trash_files, "_lock", slow)
    deletion = abc.trash_sessions([["a"]])
    assert (deletion.failed, calls) == (None, [2])
    assert abc.restore_trash(deletion.step).sessions == ("a",)


@pytest.mark.parametrize(
    "id_", ["", "a\x00b", "\udcff", "../a", "%", "'; DROP TABLE sessions; --", "x" * 9_999]
)
def test_hostile_ids(abc: SessionDB, id_: str) -> None:
    assert abc.preview_delete([[id_]]).missing == (id_,)
    assert abc.trash_sessions([[id_], ["a"]]).missing == (id_,)
    assert ids(abc) == ["b", "c"]


def test_opened_for_reading(abc: SessionDB) -> None:
    step = abc.trash_sessions([["a"]]).step
    with SessionDB(abc.path, read_only=True) as reading:
        assert [one.step for one in reading.list_trash()] == [step]
        assert isinstance(reading.trash_sessions([["b"]]).failed, OpenedReadOnly)
        assert isinstance(reading.trash_sessions([["b"]], keep_copy=False).failed, OpenedReadOnly)
        with pytest.raises(OpenedReadOnly):
            reading.restore_trash(step)
    assert lying(abc) == [f"{step}.jsonl"]


def test_a_damaged_search_index_loses_nothing(abc: SessionDB) -> None:
    before = raw_rows(abc.path)

    def damage() -> None:
        with closing(sqlite3.connect(abc.path)) as connection:
            for table in ("messages_fts_data", "messages_fts_trigram_data"):
                connection.execute(f"DELETE FROM {table} WHERE id > 10")
            connection.commit()

    damage()
    deletion = abc.trash_sessions([["a"]])
    assert deletion.failed is None
    with SessionDB(abc.path, migrate=False) as fresh:
        damage()
        fresh.restore_trash(deletion.step)
        assert raw_rows(abc.path) == before
        hits = fresh.search_messages("words", limit=9)
        assert sorted(hit["session_id"] for hit in hits) == ["a", "b", "c"]


# --- a copy that is not as it was written


def damaged(db: SessionDB, how: str) -> tuple[str, bytes]:
    """A step of a and b whose copy is damaged somewhere, and its bytes."""
    step = db.trash_sessions([["a"], ["b"]]).step
    path = trash_dir(db.path) / f"{step}.jsonl"
    whole = path.read_bytes()
    place = whole.index(b"words a")
    path.write_bytes(
        {
            "a letter": whole[:place] + b"Words a" + whole[place + 7 :],
            "cut off": whole[:-100],
            "a line too much": whole + b"{}\n",
            "nothing": b"",
            "no header": whole.partition(b"\n")[2],
            "another format": whole.replace(b'"format":1', b'"format":9', 1),
            "zeros": bytes(len(whole)),
            "no json": b"[" * 200_000,
        }[how]
    )
    return step, path.read_bytes()


@pytest.mark.parametrize(
    "how",
    ["a letter", "cut off", "a line too much", "nothing", "no header", "another format", "zeros", "no json"],
)
def test_damage_is_one_clear_error(abc: SessionDB, how: str) -> None:
    step, content = damaged(abc, how)
    other = abc.trash_sessions([["c"]]).step
    before = raw_rows(abc.path)
    with pytest.raises(TrashDamaged) as caught:
        abc.restore_trash(step)
    assert str(caught.value).startswith(f"Nothing was restored: the copy {trash_dir(abc.path) / step}.jsonl ")
    assert "\n" not in str(caught.value)
    assert raw_rows(abc.path) == before
    assert (trash_dir(abc.path) / f"{step}.jsonl").read_bytes() == content
    assert [one.step for one in abc.list_trash()] == [other, step]
    assert abc.restore_trash(other).sessions == ("c",)
    assert abc.empty_trash(step) == 1


@pytest.mark.parametrize(("how", "whole"), [("a letter", "b"), ("cut off", "a")])
def test_what_is_whole_comes_back_when_it_is_named(abc: SessionDB, how: str, whole: str) -> None:
    step, _ = damaged(abc, how)
    assert abc.restore_trash(step, [whole]).sessions == (whole,)
    assert abc.message_count(whole) == 1
    # The rest stays, for a person to read.
    left = (trash_dir(abc.path) / f"{step}.jsonl").read_bytes()
    assert (b"ords a" in left, b"words b" in left) == (whole != "a", whole != "b")
    with pytest.raises(TrashDamaged):
        abc.restore_trash(step)


def test_a_file_that_cannot_be_put_back_stops_the_restoration(abc: SessionDB) -> None:
    files = abc.path.parent / "sessions"
    files.mkdir()
    (files / "a.json").write_text("{}")
    step = abc.trash_sessions([["a"]]).step
    files.rmdir()
    files.write_text("in the way")
    before = raw_rows(abc.path)
    with pytest.raises(StoreNotWritable):
        abc.restore_trash(step)
    assert raw_rows(abc.path) == before
    files.unlink()
    assert abc.restore_trash(step).sessions == ("a",)
    assert (files / "a.json").read_text() == "{}"


def test_a_full_disk_is_not_written_to_again(abc: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was deleted before stays restorable although the copy ends in half a line."""
    write = PendingFile.write

    def half(file: PendingFile, data: bytes) -> None:
        if b"words b" in data:
            write(file, data[: len(data) // 2])
            raise TrashUnusable(trash_dir(abc.path), "full")
        write(file, data)

    monkeypatch.setattr(PendingFile, "write", half)
    deletion = abc.trash_sessions([["a"], ["b"]])
    assert (deletion.deleted, deletion.left) == (("a",), 1)
    assert abc.interrupted_deletions() == ()
    assert abc.restore_trash(deletion.step).sessions == ("a",)
