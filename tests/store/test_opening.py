"""Opening a store: any file opens or is refused by name, and none is changed."""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.engine import opening
from storage.engine.connection import open_reader
from storage.errors import NotAStore, StoreBusy, StoreMissing, StoreUnreadable
from tests.store.opened_or_refused import ONE, refusal, titles
from tests.support.stores import BuildV11, CopyStore, write_v11


@pytest.mark.parametrize(
    "name", ["a?b", "a#b", "100%", "50%25", "with blank", "ü–名", "a&mode=rwc", "'\"", "a:b"]
)
def test_any_path_opens(name: str, tmp_path: Path) -> None:
    path = write_v11(tmp_path / name / f"{name}.db", ONE)
    assert titles(path) == ["one"]
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=40))
def test_any_name_that_a_file_can_have_opens(name: str) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / f"{name}.db"
        with closing(
            sqlite3.connect(f"{Path(directory).as_uri()}/{quote(path.name)}", uri=True)
        ) as connection:
            connection.execute("CREATE TABLE sessions(id, title)")
        before = os.listdir(directory)
        assert titles(path) == []
        assert os.listdir(directory) == before == [path.name]


def test_a_path_that_is_no_text_opens(tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/\xff\xfe.db"))
    write_v11(path, ONE)
    assert titles(path) == ["one"]


def test_a_relative_path_and_a_link_open(
    build_v11: BuildV11, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_v11(ONE)
    (tmp_path / "link.db").symlink_to("home/state.db")
    monkeypatch.chdir(tmp_path)
    with closing(open_reader("link.db")) as reader:
        assert reader.info().path == tmp_path / "link.db"
        assert reader.info().sessions == 1


def test_missing(tmp_path: Path) -> None:
    path = tmp_path / "none" / "state.db"
    assert refusal(path) == ("StoreMissing", f"No session store at {path}.")
    assert list(tmp_path.iterdir()) == []


def test_a_dangling_link_and_a_file_as_directory_are_missing(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to("nowhere")
    (tmp_path / "file").touch()
    for path in (tmp_path / "link.db", tmp_path / "file" / "state.db"):
        with pytest.raises(StoreMissing):
            open_reader(path)


@pytest.mark.parametrize(
    "content", [b"hello world" * 500, b"hel", b"\0" * 4096, b"SQLite format 3\0" + b"x" * 4000]
)
def test_not_a_database(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    assert refusal(path) == ("NotAStore", f"{path} is not a database.")
    assert path.read_bytes() == content


def test_a_database_without_sessions(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes(id)")
    sentence = f"{path} is a database, but not a session store: it has no table named sessions."
    assert refusal(path) == ("NotAStore", sentence)


def test_a_directory_and_a_socket_are_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(tmp_path) == ("NotAStore", f"{tmp_path} is a directory, not a database.")
    monkeypatch.chdir(tmp_path)  # A socket's path may not be long.
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind("state.db")
        assert refusal(tmp_path / "state.db") == ("NotAStore", f"{tmp_path / 'state.db'} is not a file.")


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreadable, match="File name too long"):
        open_reader(tmp_path / ("x" * 300))
    for name in ("nul\0.db", "surrogate\ud800.db"):
        with pytest.raises(StoreMissing):
            open_reader(tmp_path / name)


def test_an_empty_file_is_a_store_without_sessions(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    with closing(open_reader(path)) as reader:
        info = reader.info()
        assert (info.version, info.layout, info.size, info.sessions) == (None, "none", 0, 0)
        assert info.notes == ("The file is empty: no sessions yet.",)
        assert reader.layout.columns == {}
    assert path.stat().st_size == 0
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_comes_to_life(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.touch()
    with closing(open_reader(path)) as reader:
        with closing(sqlite3.connect(path)) as writer:
            writer.execute("CREATE TABLE sessions(id)")
        reader.refresh_layout()
        assert reader.layout.columns == {"sessions": {"id"}}


@pytest.mark.parametrize("name", ["state-v22-0.19.0.db", "state-v22-delete-journal.db", "state-v23.db"])
def test_opening_and_closing_leaves_every_byte(name: str, copy_store: CopyStore, stores: Path) -> None:
    path = copy_store(name)
    for _ in range(3):
        with closing(open_reader(path)) as one, closing(open_reader(path)) as two:
            assert one.info() == two.info()
            one.rows("SELECT * FROM messages")
    assert path.read_bytes() == (stores / name).read_bytes()
    beside = {p.name: p.stat().st_size for p in path.parent.iterdir() if p != path}
    assert beside in ({}, {f"{name}-wal": 0, f"{name}-shm": 32768})


def test_a_writer_that_holds_the_lock_is_named(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build_v11("PRAGMA journal_mode=DELETE;" + ONE)
    monkeypatch.setattr("storage.engine.opening.BUSY_TIMEOUT", 0.01)
    with closing(open_reader(path)) as reader, closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        sentence = f"The database {path} is busy: another process holds it; try again in a moment."
        assert refusal(path) == ("StoreBusy", sentence)
        with pytest.raises(StoreBusy):
            reader.rows("SELECT * FROM sessions")
        writer.execute("ROLLBACK")
        assert reader.rows("SELECT id FROM sessions") == [("s1",)]


def overwritten(path: Path, content: bytes) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.write(content)


@pytest.mark.parametrize("content", [b"", b"hello world" * 500, b"\0" * 100])
@pytest.mark.parametrize("name", ["state-v22-0.19.0.db", "state-v22-delete-journal.db"])
def test_a_file_that_is_overwritten_while_it_is_open(
    name: str, content: bytes, copy_store: CopyStore
) -> None:
    path = copy_store(name)
    with closing(open_reader(path)) as reader:
        child = os.fork()  # Closing the file in this process would drop the reader's locks.
        if child == 0:
            overwritten(path, content)
            os._exit(0)
        os.waitpid(child, 0)
        for _ in range(2):
            with pytest.raises((NotAStore, StoreUnreadable)):
                reader.rows("SELECT * FROM messages")


def test_a_file_that_is_deleted_or_replaced_is_read_on(copy_store: CopyStore, build_v11: BuildV11) -> None:
    path = copy_store("state-v22-0.19.0.db")
    with closing(open_reader(path)) as reader:
        path.unlink()
        assert reader.one("SELECT count(*) FROM sessions") == (41,)
        assert reader.info().size == 0
        os.replace(build_v11(ONE), path)
        assert reader.one("SELECT count(*) FROM sessions") == (41,)


@pytest.mark.parametrize(("failures", "opens"), [(1, True), (2, True), (3, False)])
def test_side_files_that_go_away_while_it_opens_are_waited_for(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch, failures: int, opens: bool
) -> None:
    path = build_v11(ONE)
    probed = opening._probed
    pauses: list[float] = []
    left = [failures]

    def failing(file: Path, mode: str) -> sqlite3.Connection:
        if left[0]:
            left[0] -= 1
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHORT_READ
            raise error
        return probed(file, mode)

    monkeypatch.setattr(opening, "_probed", failing)
    monkeypatch.setattr("time.sleep", pauses.append)
    if opens:
        assert titles(path) == ["one"]
    else:
        assert refusal(path) == (
            "StoreUnreadable",
            f"Cannot read {path}: the disk reports an error (disk I/O error).",
        )
    assert len(pauses) == min(failures, 2)
