"""The index that needs a foreign tokenizer: its library is loaded where it is, and nothing else ever is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage.engine import cjk_tokenizer

LOST = "no such tokenizer: cjk_unicode61"


class Loading(sqlite3.Connection):
    """A connection to a store with such an index; the library is a file whose text says what loading it does."""

    lost = LOST
    allowed = False

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if "FROM messages_fts_cjk" in sql:
            if self.lost:
                raise sqlite3.OperationalError(self.lost)
            sql = "SELECT 1"
        return super().execute(sql, parameters)

    def enable_load_extension(self, enable: bool, /) -> None:
        self.allowed = enable

    def load_extension(self, name: str, /, *, entrypoint: str | None = None) -> None:
        assert self.allowed
        text = Path(name).read_text()
        if text == "broken":
            raise sqlite3.OperationalError("invalid ELF header")
        if text == "good":
            self.lost = ""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Loading]:
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None, factory=Loading)) as connection:
        connection.executescript(
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, content TEXT);"
            "CREATE TRIGGER messages_fts_cjk_insert AFTER INSERT ON messages BEGIN SELECT 1; END;"
            "CREATE TRIGGER messages_fts_cjk_delete AFTER DELETE ON messages BEGIN SELECT 1; END;"
            "CREATE TRIGGER messages_fts_cjk_update AFTER UPDATE ON messages BEGIN SELECT 1; END;"
        )
        yield connection


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    monkeypatch.delenv("HERMES_CJK_FTS", raising=False)
    monkeypatch.delenv("HERMES_FTS5_CJK_SO", raising=False)
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))

    def write(text: str, place: str = "lib/libfts5_cjk.so") -> Path:
        file = tmp_path / place
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return file

    return write


def is_detached(connection: Loading) -> bool:
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'state_meta'").fetchall()
    marked = bool(tables) and connection.execute("SELECT * FROM state_meta").fetchall() == [
        ("fts_cjk_stale", "1")
    ]
    assert len(triggers) == (0 if marked else 3)
    return marked


def test_the_library_in_the_home_of_the_store_is_loaded(
    connection: Loading, library: Callable[[str], Path], tmp_path: Path
) -> None:
    library("good")
    cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert not is_detached(connection)
    assert not connection.allowed


def test_reading_loads_the_same(connection: Loading, library: Callable[[str], Path], tmp_path: Path) -> None:
    library("good")
    assert cjk_tokenizer.make_readable(connection, tmp_path / "state.db")
    assert not connection.allowed


@pytest.mark.parametrize(("home", "name"), [("elsewhere", "state.db"), (".", "copy.db")])
def test_a_library_that_was_sent_with_a_store_is_not_loaded(
    connection: Loading,
    library: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    home: str,
    name: str,
) -> None:
    library("good")
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / home))
    assert not cjk_tokenizer.make_readable(connection, tmp_path / name)
    cjk_tokenizer.make_writable(connection, tmp_path / name)
    assert is_detached(connection)


def test_the_library_that_the_environment_names_is_loaded(
    connection: Loading, library: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library("broken")
    monkeypatch.setenv("HERMES_FTS5_CJK_SO", str(library("good", "elsewhere.so")))
    cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert not is_detached(connection)


@pytest.mark.parametrize("text", ["broken", "without the tokenizer"])
def test_a_library_that_does_not_help_leaves_the_index_behind(
    connection: Loading, library: Callable[[str], Path], tmp_path: Path, text: str
) -> None:
    library(text)
    cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert is_detached(connection)
    assert not connection.allowed


@pytest.mark.parametrize("switch", ["0", "false", " OFF ", "no"])
def test_a_library_that_nobody_wants_is_not_loaded(
    connection: Loading,
    library: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    switch: str,
) -> None:
    library("good")
    monkeypatch.setenv("HERMES_CJK_FTS", switch)
    cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert is_detached(connection)


def test_a_tokenizer_that_is_here_needs_no_library(
    connection: Loading, library: Callable[[str], Path], tmp_path: Path
) -> None:
    library("broken")
    connection.lost = ""
    cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert not is_detached(connection)


def test_any_other_trouble_with_the_index_is_not_taken_for_a_lost_tokenizer(
    connection: Loading, library: Callable[[str], Path], tmp_path: Path
) -> None:
    library("good")
    connection.lost = "disk I/O error"
    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        cjk_tokenizer.make_writable(connection, tmp_path / "state.db")
    assert not is_detached(connection)
