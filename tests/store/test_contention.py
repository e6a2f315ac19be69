"""Many processes on one store: none sees an error, nothing is lost, and the counters fit."""

from __future__ import annotations

import multiprocessing
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any

import pytest

from storage.engine.writer import Writer, open_writer
from storage.errors import RowRefused
from tests.support.stores import CopyStore
from tests.support.whole import assert_whole

PROCESSES = multiprocessing.get_context("spawn")


def in_processes(
    step: Callable[..., Any], arguments: list[tuple[Any, ...]], context: SpawnContext
) -> list[Any]:
    """What `step` returned in each process; an error in one is raised here."""
    with context.Pool(len(arguments)) as pool:
        return [answer.get(120) for answer in [pool.apply_async(step, values) for values in arguments]]


def append(connection: sqlite3.Connection, session_id: str, content: str) -> None:
    connection.execute(
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, 'user', ?, 1)",
        (session_id, content),
    )
    connection.execute("UPDATE sessions SET message_count = message_count + 1 WHERE id = ?", (session_id,))


def append_200(store: Path, number: int) -> int:
    writer = open_writer(store)
    for turn in range(200):
        writer.write(lambda c: append(c, "shared", f"process {number} turn {turn}"), touches_messages=True)  # noqa: B023
    writer.close()
    return 200


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_eight_processes_append(journal: str, tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    writer = open_writer(store)
    writer.write(
        lambda c: c.execute("INSERT INTO sessions(id, source, started_at) VALUES ('shared', 'cli', 1)")
    )
    writer.close()
    if journal == "delete":
        with closing(sqlite3.connect(store)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    told = in_processes(append_200, [(store, number) for number in range(8)], PROCESSES)
    assert told == [200] * 8
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("SELECT message_count FROM sessions").fetchall() == [(1600,)]
        contents = [content for (content,) in connection.execute("SELECT content FROM messages")]
    assert sorted(contents) == sorted(
        f"process {number} turn {turn}" for number in range(8) for turn in range(200)
    )
    assert_whole(store)


def mixed(store: Path, number: int) -> dict[str, int]:
    """Renames, appends, deletes and prunes, some on rows that the others write too."""
    rng = random.Random(number)
    writer = open_writer(store)
    done = {"appended": 0, "refused": 0}
    for turn in range(60):
        kind = rng.choice(["append", "append", "rename", "delete", "prune"])
        if kind == "append":
            done["appended"] += writer.write(lambda c: append_shared(c, rng, number), touches_messages=True)
        elif kind == "rename":
            done["refused"] += rename(writer, f"s{rng.randrange(9)}", f"Title {rng.randrange(12)}")
        elif kind == "delete":
            own = f"own-{number}-{turn}"
            writer.write(lambda c: make_and_fill(c, own), touches_messages=True)  # noqa: B023
            writer.write(lambda c: delete(c, own), touches_messages=True)  # noqa: B023
        else:
            writer.write(prune, touches_messages=True)
    writer.close()
    return done


def append_shared(connection: sqlite3.Connection, rng: random.Random, number: int) -> int:
    append(connection, f"s{rng.randrange(9)}", f"mixed words of {number}")
    return 1


def rename(writer: Writer, session_id: str, title: str) -> int:
    try:
        writer.write(lambda c: c.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session_id)))
    except RowRefused as error:
        return str(error).count("UNIQUE constraint failed: sessions.title")
    return 0


def make_and_fill(connection: sqlite3.Connection, session_id: str) -> None:
    connection.execute(
        "INSERT INTO sessions(id, source, started_at, ended_at) VALUES (?, 'cli', 1, 2)", (session_id,)
    )
    append(connection, session_id, "to be gone soon")


def delete(connection: sqlite3.Connection, session_id: str) -> None:
    connection.execute("DELETE FROM messages WHERE session_id = ?", (session_id,))
    connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))


def prune(connection: sqlite3.Connection) -> None:
    for (session_id,) in connection.execute("SELECT id FROM sessions WHERE ended_at < 5 LIMIT 3").fetchall():
        delete(connection, session_id)


def test_nine_processes_do_everything_at_once(tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    writer = open_writer(store)
    for number in range(9):
        writer.write(
            lambda c, number=number: c.execute(  # type: ignore[misc]
                "INSERT INTO sessions(id, source, started_at) VALUES (?, 'cli', 1)", (f"s{number}",)
            )
        )
    writer.close()
    told = in_processes(mixed, [(store, number) for number in range(9)], PROCESSES)
    appended = sum(answer["appended"] for answer in told)
    assert appended > 100
    assert sum(answer["refused"] for answer in told) > 0
    with closing(sqlite3.connect(store)) as connection:
        shared = connection.execute("SELECT count(*) FROM messages WHERE session_id LIKE 's%'").fetchone()
        assert shared == (appended,)
        wrong = connection.execute(
            "SELECT id FROM sessions AS s"
            " WHERE message_count <> (SELECT count(*) FROM messages WHERE session_id = s.id)"
        ).fetchall()
        assert wrong == []
        titles = connection.execute("SELECT title FROM sessions WHERE title IS NOT NULL").fetchall()
        assert len(titles) == len(set(titles)) > 0
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert_whole(store)


def open_when_told(store: Path, at: float) -> int:
    time.sleep(max(0.0, at - time.time()))
    writer = open_writer(store)
    (count,) = writer.read(lambda c: c.execute("SELECT count(*) FROM messages").fetchone())
    writer.close()
    return int(count)


@pytest.mark.parametrize("name", ["state-v9.db", "state-v22-0.19.0.db", None])
def test_many_processes_open_an_old_store_or_none_at_once(
    name: str | None, copy_store: CopyStore, tmp_path: Path
) -> None:
    store = copy_store(name) if name else tmp_path / "new" / "state.db"
    at = time.time() + 1
    counts = in_processes(open_when_told, [(store, at)] * 6, PROCESSES)
    assert len(set(counts)) == 1
    assert_whole(store)
