"""Many processes on one store: none sees an error, nothing is lost, and the counters fit."""

from __future__ import annotations

import multiprocessing
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, TitleTaken
from tests.support.stores import NOW, CopyStore
from tests.support.whole import assert_whole

DAY = 86400


def in_processes(step: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
    """What `step` returned in each process; an error in one is raised here."""
    with multiprocessing.get_context("spawn").Pool(len(arguments)) as pool:
        return [answer.get(120) for answer in [pool.apply_async(step, values) for values in arguments]]


def append_200(store: Path, number: int, migrate: bool) -> int:
    with SessionDB(store, migrate=migrate) as db:
        for turn in range(200):
            db.append_message("shared", "user", f"process {number} turn {turn}")
    return 200


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_eight_processes_append(journal: str, tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    with SessionDB(store) as db:
        db.create_session("shared", "cli")
    if journal == "delete":
        with closing(sqlite3.connect(store)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
    told = in_processes(append_200, [(store, number, journal == "wal") for number in range(8)])
    assert told == [200] * 8
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == (journal,)
        assert connection.execute("SELECT message_count FROM sessions").fetchall() == [(1600,)]
        contents = [content for (content,) in connection.execute("SELECT content FROM messages")]
    assert sorted(contents) == sorted(
        f"process {number} turn {turn}" for number in range(8) for turn in range(200)
    )
    assert_whole(store)


def mixed(store: Path, number: int) -> Counter[str]:
    """Renames, appends, deletes and prunes, some on rows that the others write too."""
    rng = random.Random(number)
    done: Counter[str] = Counter()
    now = NOW
    with SessionDB(store, clock=lambda: now) as db:
        for turn in range(40):
            match rng.choice(["append", "append", "rename", "delete", "prune"]):
                case "append":
                    calls = [
                        {"id": "c", "function": {"name": "terminal", "arguments": "{}"}}
                    ] * rng.randrange(3)
                    db.append_message(
                        f"s{rng.randrange(9)}", "assistant", f"words of {number}", tool_calls=calls
                    )
                    done.update(messages=1, calls=len(calls))
                case "rename":
                    done["refused"] += rename(db, f"s{rng.randrange(9)}", f"Title {rng.randrange(12)}")
                case "delete":
                    own = f"own-{number}-{turn}"
                    db.create_session(own, "cli")
                    db.append_message(own, "user", "gone soon")
                    done["deleted"] += db.delete_session(own)
                case _:
                    old = f"old-{number}-{turn}"
                    now = NOW - 100 * DAY
                    db.create_session(old, "cli")
                    db.end_session(old, "user_exit")
                    now = NOW
                    done["pruned"] += db.prune_sessions(older_than_days=90)
    return done


def rename(db: SessionDB, session_id: str, title: str) -> int:
    try:
        db.set_session_title(session_id, title)
    except TitleTaken:
        return 1
    return 0


def test_nine_processes_do_everything_at_once(tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    with SessionDB(store) as db:
        for number in range(9):
            db.create_session(f"s{number}", "cli")
    told = in_processes(mixed, [(store, number) for number in range(9)])
    done = sum(told, Counter[str]())
    assert min(done[kind] for kind in ("messages", "calls", "refused", "deleted", "pruned")) > 5
    with closing(sqlite3.connect(store)) as connection:
        counted = "SELECT sum(message_count), sum(tool_call_count), count(*) FROM sessions"
        assert connection.execute(counted).fetchall() == [(done["messages"], done["calls"], 9)]
        assert connection.execute("SELECT count(*) FROM messages").fetchone() == (done["messages"],)
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
    with SessionDB(store) as db:
        return db.message_count()


@pytest.mark.parametrize("name", ["state-v9.db", "state-v22-0.19.0.db", None])
def test_many_processes_open_an_old_store_or_none_at_once(
    name: str | None, copy_store: CopyStore, tmp_path: Path
) -> None:
    store = copy_store(name) if name else tmp_path / "new" / "state.db"
    at = time.time() + 1
    counts = in_processes(open_when_told, [(store, at)] * 6)
    assert len(set(counts)) == 1
    assert_whole(store)
