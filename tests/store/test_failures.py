"""Whatever SQLite says comes out as one sentence of the store, which survives every way of passing it on."""

from __future__ import annotations

import copy
import inspect
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import SessionDB, errors
from storage.engine.connection import Reader
from storage.engine.failures import decoded, named, refused
from storage.engine.repair import repair
from storage.engine.writer import open_writer
from storage.errors import CannotRepair, StoreDamaged, StoreError, StoreUnreadable, TooLarge
from tests.support.layouts import Row, write

CODES = sorted(
    {
        value
        for name, value in vars(sqlite3).items()
        if name.startswith("SQLITE_") and isinstance(value, int) and 0 < value & 0xFF <= sqlite3.SQLITE_NOTADB
    }
)
ROOM = 200
"""Characters of a sentence, the path that it names not counted."""


def reported(code: int, said: str) -> sqlite3.DatabaseError:
    error = sqlite3.OperationalError(said)
    error.sqlite_errorcode = code
    return error


@given(st.sampled_from(CODES), st.text() | st.text().map(lambda text: text * 100), st.booleans())
def test_whatever_sqlite_says_is_one_line(code: int, said: str, index: bool) -> None:
    path = Path("/s")
    sql = "SELECT 1 FROM messages_fts" if index else ""
    for error in (named(reported(code, said), path, sql), refused(reported(code, said), path)):
        sentence = str(error)
        assert sentence.splitlines() in ([sentence], [])
        assert len(sentence) <= ROOM + len(
            " the Python function `storage.repair` makes a backup and repairs what can be repaired."
        )


def test_the_beginning_of_what_sqlite_says_is_kept() -> None:
    said = "malformed database schema (sessions)\n - near " + "x" * 5_000
    assert str(named(reported(sqlite3.SQLITE_ERROR, said), Path("/s"))) == (
        "Cannot read /s: malformed database schema (sessions) - near " + "x" * 76 + "…."
    )


def test_too_much_at_once_has_a_name(
    tmp_path: Path, opened: Callable[[Path], Reader], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(write(tmp_path / "state.db", "none", [Row("a", "x" * 5_000)]))
    reader._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4_000)
    with pytest.raises(TooLarge, match=r"^Cannot read .*state\.db: string or blob too big\.$"):
        reader.rows("SELECT content || content FROM messages")


# --- names that are no text


def spoil(path: Path) -> Path:
    """A store with an index that nobody can read and whose name is no UTF-8: SQLite quotes it."""
    write(path, "external", [Row("a", "hello")])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        db.execute(
            "UPDATE sqlite_master SET name = CAST(x'fffe' AS TEXT), sql = 'CREATE nonsense'"
            " WHERE name = 'idx_sessions_parent'"
        )
    return path


def test_a_schema_with_bad_bytes_is_damage_to_a_reader(tmp_path: Path) -> None:
    path = spoil(tmp_path / "state.db")
    with pytest.raises(StoreUnreadable) as caught:
        SessionDB(path, read_only=True)
    assert str(caught.value) == (
        f"Cannot read {path}: the database is damaged (malformed database schema (\ufffd\ufffd)"
        ' - near "nonsense": syntax error).'
    )


@pytest.mark.parametrize("migrate", [True, False])
def test_a_schema_with_bad_bytes_is_damage_to_a_writer(tmp_path: Path, migrate: bool) -> None:
    path = spoil(tmp_path / "state.db")
    before = path.read_bytes()
    with pytest.raises(
        StoreDamaged, match=r"^Nothing was written: .* is damaged \(malformed database schema"
    ):
        open_writer(path, migrate=migrate)
    assert path.read_bytes() == before


def test_a_schema_that_gets_bad_bytes_while_it_is_open(
    tmp_path: Path, opened: Callable[[Path], Reader]
) -> None:
    reader = opened(write(tmp_path / "state.db", "external", [Row("a", "hello")]))
    spoil_in_place = (
        "UPDATE sqlite_master SET name = CAST(x'fffe' AS TEXT), sql = 'CREATE nonsense'"
        " WHERE name = 'idx_sessions_parent'"
    )
    with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        db.execute(spoil_in_place)
        db.execute("PRAGMA schema_version=999")
    with pytest.raises(StoreUnreadable, match="the database is damaged"):
        reader.rows("SELECT * FROM sessions")


def test_a_repair_takes_away_what_has_no_name(tmp_path: Path) -> None:
    path = spoil(tmp_path / "state.db")
    assert repair(path).strategy == "drop_unreadable"
    with SessionDB(path, read_only=True) as db:
        assert [entry.id for entry in db.listing().entries] == ["a"]


def test_a_repair_that_cannot_take_it_away_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "external", [Row("a", "hello")])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        db.execute("UPDATE sqlite_master SET sql = 'CREATE nonsense' WHERE name = 'state_meta'")
    with pytest.raises(CannotRepair, match=r"malformed database schema \(state_meta\) - near"):
        repair(path)


def test_only_words_are_taken_for_words() -> None:
    with pytest.raises(sqlite3.DatabaseError) as caught, decoded():
        b"no such table: \xff".decode()
    assert (str(caught.value), caught.value.sqlite_errorcode) == (
        "no such table: \ufffd",
        sqlite3.SQLITE_CORRUPT,
    )
    with pytest.raises(ZeroDivisionError), decoded():
        raise ZeroDivisionError


# --- passed on


def every_error() -> Iterator[StoreError]:
    """One of each class, made from what it takes."""
    values = {
        "path": Path("/s"),
        "backup": None,
        "needed": 1,
        "free": 2,
        "version": 24,
        "length": 101,
        "limit": 100,
        "message_id": 7,
    }
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, StoreError) and kind is not StoreError:
            names = list(inspect.signature(kind.__init__).parameters)[1:]
            yield kind(*(values.get(name, name) for name in names))


@pytest.mark.parametrize("error", [StoreError("No."), *every_error()], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_error_survives_a_process(error: StoreError, protocol: int) -> None:
    for passed_on in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(passed_on) is type(error)
        assert (str(passed_on), passed_on.args, vars(passed_on)) == (str(error), error.args, vars(error))
