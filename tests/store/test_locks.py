"""A process that opens a file and closes it drops SQLite's locks on it (POSIX): nothing here may do that."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from storage import SessionDB, StoreError
from storage.engine.connection import open_reader
from storage.errors import StoreUnreadable
from tests.support.stores import BuildV11

VISITOR = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("UPDATE sessions SET message_count = 5")
connection.close()
"""


def look_around(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        db.info()
        db.listing()


def write(path: Path) -> None:
    with SessionDB(path) as db:
        db.set_meta("somebody", "was here")


def fail_to_read(path: Path) -> None:
    with closing(open_reader(path)) as reader, pytest.raises(StoreUnreadable):
        reader.rows("SELECT gone FROM sessions")


def follow_a_link(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    open_reader(link).close()


@pytest.mark.parametrize("meanwhile", [look_around, write, fail_to_read, follow_a_link])
def test_an_open_reader_keeps_its_place(meanwhile: Callable[[Path], None], build_v11: BuildV11) -> None:
    """A last writer takes the WAL away with it; whoever still holds the file open must be seen by it."""
    path = build_v11("INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);")
    with closing(open_reader(path)) as reader:
        meanwhile(path)
        subprocess.run([sys.executable, "-c", VISITOR, str(path)], check=True)
        assert os.path.getsize(f"{path}-wal") > 0
        assert reader.rows("SELECT message_count FROM sessions") == [(5,)]


def test_the_visitor_does_take_the_wal_when_the_locks_are_gone(build_v11: BuildV11) -> None:
    """The test above can fail: this is what a plain file handle does."""
    path = build_v11("INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);")
    with closing(open_reader(path)):
        path.read_bytes()
        subprocess.run([sys.executable, "-c", VISITOR, str(path)], check=True)
        assert not os.path.exists(f"{path}-wal")


def test_no_handle_of_the_file_is_left(build_v11: BuildV11, tmp_path: Path) -> None:
    path = build_v11()
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE notes(id)")
    for place in (path, other, tmp_path, tmp_path / "missing.db"):
        with suppress(StoreError):
            look_around(place)
    handles = Path("/proc/self/fd")
    if not handles.exists():
        pytest.skip("NOT TESTED: no list of open files on this platform")
    held = [os.readlink(fd) for fd in handles.iterdir() if os.path.lexists(fd)]
    assert [name for name in held if name.startswith(str(tmp_path))] == []
