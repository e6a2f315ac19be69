"""Case 37: read-only, missing, empty and alien files, seen by somebody who is not root."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB, StoreError, locations, parse
from storage.errors import StoreNotWritable
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.stores import NOW, write_v11

SETUP = """
INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one');
INSERT INTO messages(session_id,role,content,timestamp) VALUES('s1','user','hello',1780000000);
"""
CLOSED = "The store lies in a directory that cannot be written, so nothing in it can be changed."


@pytest.fixture
def home() -> Iterator[Path]:
    with public_directory() as directory:
        yield directory


def browse(path: Path) -> dict[str, object]:
    """What somebody else sees of the store at `path`, as plain values."""

    def look() -> dict[str, object]:
        try:
            with SessionDB(path, read_only=True, clock=lambda: NOW) as db:
                return {
                    "titles": [row.title for row in db.details(db.listing().entries)],
                    "first": [entry.id for entry in db.first_page().entries],
                    "found": [hit.entry.id for hit in db.search(parse("hello")).hits],
                    "immutable": db.info().immutable,
                    "notes": db.info().notes,
                }
        except StoreError as error:
            return {type(error).__name__: str(error)}

    return as_somebody_else(look)


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.endswith("-shm")}


def test_a_read_only_media(home: Path) -> None:
    path = write_v11(home / "state.db", SETUP)
    path.chmod(0o444)
    home.chmod(0o555)
    before = contents(home)
    assert browse(path) == {
        "titles": ["one"],
        "first": ["s1"],
        "found": ["s1"],
        "immutable": True,
        "notes": (CLOSED,),
    }
    assert contents(home) == before

    def refusal() -> str:
        with pytest.raises(StoreNotWritable) as error:
            SessionDB(path)
        return str(error.value)

    assert str(path) in as_somebody_else(refusal)


def test_b_no_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(home))
    path = home / "state.db"
    assert browse(locations.default_store()) == {"StoreMissing": f"No session store at {path}."}
    assert os.listdir(home) == []


@pytest.mark.parametrize("rights", [0o777, 0o555])
def test_c_an_empty_file(home: Path, rights: int) -> None:
    path = home / "state.db"
    path.touch()
    path.chmod(0o444)
    home.chmod(rights)
    assert browse(path) == {
        "titles": [],
        "first": [],
        "found": [],
        "immutable": False,
        "notes": ("The file is empty: no sessions yet.",),
    }
    assert contents(home) == {"state.db": b""}


def test_d_not_a_database(home: Path) -> None:
    path = home / "state.db"
    path.write_bytes(b"hello world" * 500)
    assert browse(path) == {"NotAStore": f"{path} is not a database."}
    assert contents(home) == {"state.db": b"hello world" * 500}


def test_e_a_writer_with_rows_that_only_its_wal_holds(home: Path) -> None:
    path = write_v11(home / "state.db", SETUP)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("UPDATE sessions SET title = 'newer'")
        for name in os.listdir(home):
            (home / name).chmod(0o644)
        home.chmod(0o555)
        before = contents(home)
        assert browse(path) == {
            "titles": ["newer"],
            "first": ["s1"],
            "found": ["s1"],
            "immutable": False,
            "notes": (),
        }
        assert contents(home) == before
        home.chmod(0o755)


def test_e_the_same_rows_without_the_index_of_the_wal(home: Path) -> None:
    """Copied without its `-shm`: the new rows cannot be read here, and the old ones would be a lie."""
    writing = write_v11(home / "writing" / "state.db", SETUP)
    path = home / "copied" / "state.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(writing, isolation_level=None)) as writer:
        writer.execute("UPDATE sessions SET title = 'newer'")
        # Read by another process: closing the files in this one would drop the writer's locks.
        os.system(f"cp '{writing}' '{writing}-wal' '{path.parent}'")
    path.parent.chmod(0o555)
    before = contents(path.parent)
    assert browse(path) == {
        "StoreUnreadable": (
            f"Cannot read {path}: state.db-wal holds changes, its state.db-shm is missing, and the directory cannot"
            " be written; copy both state.db and state.db-wal to a directory of your own."
        )
    }
    assert contents(path.parent) == before
    path.parent.chmod(0o777)
    for name in before:
        (path.parent / name).chmod(0o666)
    assert browse(path)["titles"] == ["newer"]


def test_f_a_profile(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_v11(home / "profiles" / "office" / "state.db", SETUP)
    write_v11(home / "state.db", SETUP.replace("'one'", "'of the root'"))
    monkeypatch.setenv("HERMES_HOME", str(home / "profiles" / "office"))
    with SessionDB(read_only=True, clock=lambda: NOW) as db:
        assert db.info().path == path
        assert [row.title for row in db.details(db.listing().entries)] == ["one"]
    assert locations.profile_of(path.parent) == "office"
