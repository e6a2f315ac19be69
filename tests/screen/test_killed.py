"""A browser that is killed in the middle of a bulk delete: the next one says so, and what was gone comes back."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB
from tests.support.acting import FAMILY, FLAGS, ids, rows
from tests.support.commands import Commands
from tests.support.other_process import other_process
from tests.support.real_terminal import QUIT, browser_in_terminal
from tests.support.stores import BuildV11

FOR_EVER = """
CREATE TRIGGER for_ever BEFORE DELETE ON sessions WHEN old.id = 'branch' BEGIN
 SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000)
  SELECT i FROM n);
END;
"""
"""The third conversation's deletion never ends."""


def everything(path: Path) -> list[tuple[object, ...]]:
    return rows(path, "SELECT * FROM sessions ORDER BY id") + rows(path, "SELECT * FROM messages ORDER BY id")


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_it_is_said_and_all_comes_back(
    build_v11: BuildV11, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = build_v11(f"PRAGMA journal_mode={journal}; {FAMILY} {FLAGS} {FOR_EVER}")
    before = everything(path)
    with browser_in_terminal(path) as terminal:
        terminal.wait_for("gamma")
        terminal.type(b"\tAd")
        terminal.wait_for("14 messages")
        terminal.type(b"y")
        terminal.wait_until(lambda: "b2" not in ids(path), "two conversations to go")
        terminal.process.send_signal(signal.SIGKILL)
        assert terminal.wait() == -signal.SIGKILL
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER for_ever")
    assert ids(path) == ["branch", "c", "d"]

    (pending,) = (path.parent / "trash").glob("*.pending")
    step = pending.name.removesuffix(".jsonl.pending")
    with browser_in_terminal(path) as terminal:
        terminal.wait_for("A deletion was cut off before its end.")
        terminal.wait_for(step)
        terminal.type(QUIT)
        assert terminal.wait() == 0

    said = Commands(path, monkeypatch)("trash", "restore", step)
    assert said.status == 0, said.err
    assert everything(path) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_stops_before_the_next_conversation_and_says_where_the_gone_are(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    path = build_v11(FAMILY + FLAGS)
    before = everything(path)
    with browser_in_terminal(path) as terminal, other_process(path) as other:
        terminal.wait_for("gamma")
        terminal.type(b"\tAd")
        terminal.wait_for("14 messages")
        other.run("BEGIN IMMEDIATE")
        terminal.type(b"y")
        terminal.wait_for("0 of 5")
        terminal.process.send_signal(number)
        terminal.wait_until(lambda: not terminal.is_raw, "the terminal to be given back")
        other.run("ROLLBACK")
        assert terminal.wait() == 128 + number
        assert terminal.attributes_now == terminal.attributes
        said = f"what was deleted by then: hermes-tui sessions trash --db {path} list"
        assert said in terminal.raw.decode().replace("\r\n", " ")
    assert ids(path) == ["b1", "b2", "branch", "c", "d", "sub"]

    with SessionDB(path, read_only=True) as store:
        (step,) = store.list_trash()
    assert (step.sessions, step.interrupted) == (("a",), False)
    restored = Commands(path, monkeypatch)("trash", "restore", step.step)
    assert restored.status == 0, restored.err
    assert everything(path) == before
