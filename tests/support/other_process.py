"""Another process that has the same store open and does to it what it is told."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = """
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.stdin:
    try:
        answer = [list(row) for row in db.execute(*json.loads(line))]
    except sqlite3.Error as error:
        answer = str(error)
    print(json.dumps(answer), flush=True)
"""


PATIENCE = 20.0
"""Seconds in which a reader in the middle of a statement comes to its end."""


class OtherProcess:
    """A connection in a process of its own. In WAL it never waits for a lock: what is locked is an error at once.

    Without WAL a commit has to wait for every reader that is in the middle of a statement, as any program's has.
    """

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._in_wal = self.attempt("PRAGMA journal_mode") == [["wal"]]

    def attempt(self, sql: str, *values: object) -> Any:
        """Run a statement; returns its rows, or what SQLite said when it failed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([sql, values]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def run(self, sql: str, *values: object) -> list[list[Any]]:
        """Run a statement that must succeed; returns its rows."""
        answer, end = self.attempt(sql, *values), time.monotonic() + PATIENCE
        while answer == "database is locked" and not self._in_wal and time.monotonic() < end:
            time.sleep(0.01)
            answer = self.attempt(sql, *values)
        assert isinstance(answer, list), f"{sql}: {answer}"
        return answer

    def say(self, session_id: str, text: str, at: float, role: str = "user") -> None:
        """Append a message to a session."""
        self.run(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
            session_id, role, text, at,
        )  # fmt: skip

    def begin(self, session_id: str, title: str, at: float) -> None:
        """Start a session."""
        self.run(
            "INSERT INTO sessions(id, source, started_at, title) VALUES (?, 'cli', ?, ?)",
            session_id,
            at,
            title,
        )

    def close(self) -> None:
        """End the process as a program ends that leaves its files in order."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


@contextmanager
def other_process(path: Path) -> Iterator[OtherProcess]:
    """Another process on a store."""
    process = OtherProcess(path)
    try:
        yield process
    finally:
        process.close()
