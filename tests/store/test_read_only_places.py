"""Stores that a crash left, or that lie where nothing can be written: read where they can be, else it is said why."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from storage.engine.connection import open_reader
from storage.errors import NotAStore, StoreMissing, StoreUnreadable
from tests.store.opened_or_refused import ONE, refusal, titles
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.stores import BuildV11, CopyStore, write_v11


def crashed(path: Path, statements: str) -> None:
    """Run `statements` in a process that dies before it can finish or tidy up."""
    child = os.fork()
    if child == 0:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(statements)
        os._exit(0)
    os.waitpid(child, 0)


def test_a_journal_that_a_crash_left_is_explained(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-delete-journal.db")
    crashed(
        path, "PRAGMA cache_size=2; BEGIN; UPDATE messages SET content = content || hex(randomblob(3000));"
    )
    before = path.read_bytes()
    name, sentence = refusal(path)
    assert name == "StoreUnreadable"
    assert sentence.startswith(
        f"Cannot read {path}: a write was cut off and its journal is still there; Hermes finishes it when it next runs"
    )
    assert path.read_bytes() == before
    assert Path(f"{path}-journal").exists()


def test_rows_that_only_the_wal_holds_are_read(build_v11: BuildV11) -> None:
    path = build_v11()
    crashed(path, ONE)
    size = path.stat().st_size
    Path(f"{path}-shm").unlink()
    assert titles(path) == ["one"]
    assert path.stat().st_size == size


def untouched(directory: Path) -> dict[str, tuple[int, int]]:
    """What tells of a write to any file but the read marks of a WAL."""
    found = {path.name: path.stat() for path in directory.iterdir() if not path.name.endswith("-shm")}
    return {name: (status.st_size, status.st_mtime_ns) for name, status in found.items()}


def in_a_closed_directory(prepare: Callable[[Path], None]) -> tuple[str, object]:
    """What somebody who may not write gets to see of a store that `prepare` made ready, in a 0555 directory."""
    with public_directory() as directory:
        path = write_v11(directory / "state.db", ONE)
        path.chmod(0o444)
        prepare(path)
        directory.chmod(0o555)
        before = untouched(directory)

        def look() -> tuple[str, object]:
            try:
                with closing(open_reader(path)) as reader:
                    return "read", (
                        reader.info().immutable,
                        reader.info().notes,
                        reader.rows("SELECT title FROM sessions"),
                    )
            except (NotAStore, StoreMissing, StoreUnreadable) as error:
                return type(error).__name__, str(error).replace(str(directory), "DIR")

        seen = as_somebody_else(look)
        assert untouched(directory) == before
        return seen


CLOSED = "The store lies in a directory that cannot be written, so nothing in it can be changed."


def test_read_only_media_are_opened_as_immutable() -> None:
    assert in_a_closed_directory(lambda path: None) == ("read", (True, (CLOSED,), [("one",)]))


def test_a_file_without_a_wal_needs_no_immutable() -> None:
    def to_delete(path: Path) -> None:
        path.chmod(0o644)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")

    assert in_a_closed_directory(to_delete) == ("read", (False, (), [("one",)]))


def test_a_wal_without_its_index_is_refused() -> None:
    def leave_wal(path: Path) -> None:
        path.chmod(0o644)
        crashed(path, "UPDATE sessions SET title = 'two'")
        Path(f"{path}-shm").unlink()

    assert in_a_closed_directory(leave_wal) == (
        "StoreUnreadable",
        "Cannot read DIR/state.db: state.db-wal holds changes, its state.db-shm is missing, and the directory cannot"
        " be written; copy both state.db and state.db-wal to a directory of your own.",
    )


def test_an_empty_wal_is_a_wal() -> None:
    name, _ = in_a_closed_directory(lambda path: Path(f"{path}-wal").touch())
    assert name == "StoreUnreadable"


def test_side_files_of_a_crash_are_read() -> None:
    def crash(path: Path) -> None:
        path.chmod(0o644)
        crashed(path, "UPDATE sessions SET title = 'two'")

    assert in_a_closed_directory(crash) == ("read", (False, (), [("two",)]))


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_rights_are_said(suffix: str) -> None:
    def close_up(path: Path) -> None:
        path.chmod(0o644)
        crashed(path, "UPDATE sessions SET title = 'two'")
        Path(f"{path}{suffix}").chmod(0)

    sentence = f"Cannot read DIR/state.db: permission denied for state.db{suffix}."
    assert in_a_closed_directory(close_up) == ("StoreUnreadable", sentence)


def test_a_directory_that_may_not_be_entered_is_said() -> None:
    with public_directory() as directory:
        path = write_v11(directory / "locked" / "state.db", ONE)
        path.parent.chmod(0)
        assert as_somebody_else(lambda: refusal(path)) == (
            "StoreUnreadable",
            f"Cannot read {path}: Permission denied.",
        )


def test_an_immutable_store_that_somebody_begins_to_write_is_not_shown_stale() -> None:
    if os.geteuid() != 0:
        pytest.skip("NOT TESTED: only root can write where the reader cannot")
    with public_directory() as directory:
        path = write_v11(directory / "state.db", ONE)
        directory.chmod(0o555)
        (start, started), (go_on, goes_on) = os.pipe(), os.pipe()

        def read() -> list[str]:
            with closing(open_reader(path)) as reader:
                seen = [reader.rows("SELECT title FROM sessions")[0][0], str(reader.info().immutable)]
                os.write(started, b".")
                os.read(go_on, 1)
                try:
                    seen.append(reader.rows("SELECT title FROM sessions")[0][0])
                except StoreUnreadable as error:
                    seen.append(str(error))
                return seen

        child = os.fork()
        if child == 0:
            os.read(start, 1)
            writer = sqlite3.connect(path)
            writer.execute("UPDATE sessions SET title = 'two'")
            writer.commit()
            os.write(goes_on, b".")
            os.read(start, 1)
            os._exit(0)
        try:
            seen = as_somebody_else(read)
        finally:
            os.write(started, b".")
            os.waitpid(child, 0)
        assert seen == [
            "one",
            "True",
            f"Cannot read {path}: somebody began to write to it after it was opened; open it again.",
        ]
