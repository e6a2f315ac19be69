"""What other processes do meanwhile: seen, merged into the order, and never missed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from storage.engine.connection import Cancel, Reader
from storage.errors import StoreBusy
from storage.finding import watch
from storage.finding.listing import Lister
from storage.records import Changes, HiddenClass, Sort
from tests.support.listed import Opened
from tests.support.stores import BuildV11

NONE: frozenset[HiddenClass] = frozenset()

THREE = """INSERT INTO sessions(id, source, started_at, title) VALUES
    ('s1', 'cli', 1780000001, 'one'), ('s2', 'cli', 1780000002, 'two'), ('s3', 'cli', 1780000003, 'three');
    INSERT INTO messages(session_id, role, content, timestamp) SELECT id, 'user', 'hi', started_at FROM sessions;"""


class Clock:
    """Seconds that only go on when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(THREE)


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
def lister(path: Path, writer: sqlite3.Connection, clock: Clock, opened: Opened) -> Lister:
    lister = Lister(opened(path), clock)
    lister.listing(None, Sort.ACTIVE, NONE)
    return lister


def order(lister: Lister, *, fresh: bool = False) -> list[str]:
    return [entry.id for entry in lister.listing(None, Sort.ACTIVE, NONE, fresh=fresh).entries]


def say(writer: sqlite3.Connection, session: str, time: float) -> None:
    writer.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, 'user', 'more', ?)",
        (session, time),
    )


def test_nothing_happened(lister: Lister) -> None:
    assert lister.changes() is None
    assert lister.changes() is None


def test_an_idle_look_is_one_pragma(lister: Lister, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    run = Reader._run

    def spy(self: Reader, sql: str, *args: object) -> object:
        statements.append(sql)
        return run(self, sql, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Reader, "_run", spy)
    assert lister.changes() is None
    assert statements == ["PRAGMA data_version"]


def test_a_new_message_moves_its_conversation_to_the_top(lister: Lister, writer: sqlite3.Connection) -> None:
    say(writer, "s1", 1780000100)
    assert order(lister) == ["s3", "s2", "s1"]
    assert lister.changes() == Changes(("s1",))
    assert order(lister) == ["s1", "s3", "s2"]
    assert lister.changes() is None


def test_each_session_is_named_once_in_the_order_it_spoke(lister: Lister, writer: sqlite3.Connection) -> None:
    for session, time in (("s2", 1780000100), ("s1", 1780000101), ("s2", 1780000102)):
        say(writer, session, time)
    assert lister.changes() == Changes(("s2", "s1"))
    assert order(lister) == ["s2", "s1", "s3"]


def test_a_new_session_appears(lister: Lister, writer: sqlite3.Connection) -> None:
    writer.execute("INSERT INTO sessions(id, source, started_at) VALUES ('s4', 'cli', 1780000050)")
    assert lister.changes() == Changes(("s4",))
    assert order(lister) == ["s4", "s3", "s2", "s1"]
    found = lister.entries_of(["s4"])
    assert found["s4"].last_active == 1780000050


def test_a_compression_takes_the_place_of_what_it_continues(
    lister: Lister, writer: sqlite3.Connection
) -> None:
    writer.execute("UPDATE sessions SET ended_at = 1780000200, end_reason = 'compression' WHERE id = 's2'")
    writer.execute(
        "INSERT INTO sessions(id, source, started_at, parent_session_id) VALUES ('s4', 'cli', 1780000200, 's2')"
    )
    assert lister.changes() == Changes(("s4",))
    assert order(lister) == ["s4", "s3", "s1"]
    assert lister.entries_of(["s2"])["s2"].parts == ("s2", "s4")


def test_what_tears_a_conversation_apart_leaves_no_part_behind(
    lister: Lister, writer: sqlite3.Connection
) -> None:
    writer.executescript(
        """UPDATE sessions SET ended_at = 1780000200, end_reason = 'compression' WHERE id = 's1';
        UPDATE sessions SET parent_session_id = 's1' WHERE id IN ('s2', 's3');"""
    )
    assert order(lister, fresh=True) == ["s3"]
    writer.execute("UPDATE sessions SET parent_session_id = NULL WHERE id = 's2'")
    say(writer, "s1", 1780000300)
    assert lister.changes() == Changes(("s1",))
    assert order(lister) == ["s3", "s2"]
    assert lister.entries_of(["s1", "s2", "s3"])["s1"].parts == ("s1", "s3")
    assert order(lister, fresh=True) == ["s3", "s2"]


def test_a_parent_that_comes_after_its_children_takes_them_in(
    lister: Lister, writer: sqlite3.Connection
) -> None:
    writer.execute(
        "INSERT INTO sessions(id, source, started_at, parent_session_id) VALUES ('child', 'cli', 1780000060, 'p')"
    )
    assert lister.changes() == Changes(("child",))
    assert order(lister) == ["child", "s3", "s2", "s1"]
    writer.execute(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason)
        VALUES ('p', 'cli', 1780000050, 1780000060, 'compression')"""
    )
    assert lister.changes() == Changes(("p",))
    assert order(lister) == ["child", "s3", "s2", "s1"]
    assert lister.entries_of(["p"])["p"].parts == ("p", "child")


def test_sessions_that_went_away_ask_for_a_full_reading_at_once(
    lister: Lister, writer: sqlite3.Connection
) -> None:
    writer.executescript(
        "DELETE FROM messages WHERE session_id = 's2'; DELETE FROM sessions WHERE id = 's2';"
    )
    assert lister.changes() == Changes((), reordered=True)
    assert order(lister, fresh=True) == ["s3", "s1"]


def test_one_that_came_does_not_hide_one_that_went(lister: Lister, writer: sqlite3.Connection) -> None:
    writer.execute("DELETE FROM sessions WHERE id = 's1'")
    writer.execute("INSERT INTO sessions(id, source, started_at) VALUES ('s4', 'cli', 1780000050)")
    assert lister.changes() == Changes(("s4",), reordered=True)


def test_a_change_that_nothing_points_to_asks_for_a_full_reading_after_a_while(
    lister: Lister, writer: sqlite3.Connection, clock: Clock
) -> None:
    writer.execute("UPDATE sessions SET title = 'renamed' WHERE id = 's1'")
    assert lister.changes() == Changes()
    assert lister.changes() is None
    clock.now += 9.9
    assert lister.changes() is None
    clock.now += 0.1
    assert lister.changes() == Changes((), reordered=True)
    clock.now += 60
    assert lister.changes() is None


def test_a_fresh_reading_settles_what_was_owed(
    lister: Lister, writer: sqlite3.Connection, clock: Clock
) -> None:
    writer.execute("UPDATE sessions SET title = 'renamed' WHERE id = 's1'")
    assert lister.changes() == Changes()
    order(lister, fresh=True)
    clock.now += 60
    assert lister.changes() is None


def test_full_readings_keep_their_distance_while_an_agent_writes(
    lister: Lister, writer: sqlite3.Connection, clock: Clock
) -> None:
    reordered = []
    for second in range(30):
        say(writer, "s1", 1780000100 + second)
        clock.now += 1
        found = lister.changes()
        assert found is not None
        assert found.session_ids == ("s1",)
        reordered.append(found.reordered)
    assert [second for second, full in enumerate(reordered) if full] == [9, 19, 29]


def test_an_import_is_not_followed_message_by_message(
    lister: Lister, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MESSAGES", 2)
    for n, session in enumerate(("s1", "s2", "s3", "s1")):
        say(writer, session, 1780000100 + n)
    found = lister.changes()
    assert found is not None
    assert found.reordered
    say(writer, "s2", 1780000200)
    assert lister.changes() == Changes(("s2",))


def test_a_look_that_fails_loses_nothing(
    lister: Lister, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    run = Reader.one
    for failing in range(1, 9):
        say(writer, "s1", 1780000100 + failing)
        left = failing

        def stumble(
            self: Reader, sql: str, params: Sequence[object] = (), cancel: Cancel | None = None
        ) -> object:
            nonlocal left
            left -= 1
            if left == 0:
                raise StoreBusy(path)
            return run(self, sql, params, cancel)

        with monkeypatch.context() as patch:
            patch.setattr(Reader, "one", stumble)
            with suppress(StoreBusy):
                lister.changes()
        lister.changes()
        found = lister.listing(None, Sort.ACTIVE, NONE, fresh=False).entries[0]
        assert (found.id, found.last_active) == ("s1", 1780000100 + failing)


def test_a_reading_that_fails_is_still_owed(
    lister: Lister, writer: sqlite3.Connection, clock: Clock, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    def refuse(*_: object) -> object:
        raise StoreBusy(path)

    writer.execute("UPDATE sessions SET title = 'renamed' WHERE id = 's1'")
    assert lister.changes() == Changes()
    with monkeypatch.context() as patch:
        patch.setattr(Reader, "one", refuse)
        with pytest.raises(StoreBusy):
            order(lister, fresh=True)
    clock.now += 10
    assert lister.changes() == Changes((), reordered=True)


def test_a_store_can_be_watched_before_it_was_ever_listed(
    path: Path, writer: sqlite3.Connection, opened: Opened
) -> None:
    lister = Lister(opened(path))
    say(writer, "s2", 1780000100)
    assert lister.changes() == Changes(("s2",))
    assert order(lister) == ["s2", "s3", "s1"]


def test_a_column_that_another_process_added_counts_from_then_on(
    lister: Lister, writer: sqlite3.Connection
) -> None:
    writer.execute("ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0")
    assert lister.changes() == Changes()
    writer.execute("UPDATE sessions SET archived = 1 WHERE id = 's3'")
    assert order(lister, fresh=True) == ["s2", "s1"]


def test_looking_leaves_nothing_behind(lister: Lister, writer: sqlite3.Connection) -> None:
    say(writer, "s1", 1780000100)
    lister.changes()
    assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
