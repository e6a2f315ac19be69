"""Killing a process in the middle of what it does to a store, as a power switch would: with SIGKILL."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

Step = Callable[[], object]


def count_statements(step: Step) -> int:
    """How many statements `step` runs in a child process, those of triggers included."""
    reading, writing = os.pipe()
    child = _fork()
    if child == 0:
        seen = _traced(0)
        step()
        os.write(writing, str(seen[0]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return int(answer)


def killed_at(statement: int, step: Step) -> bool:
    """Run `step` in a child process that is killed as that statement begins; False if it ended before."""
    child = _fork()
    if child == 0:
        _traced(statement)
        step()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0, "the step failed in the child"
    return False


def _fork() -> int:
    if not hasattr(os, "fork"):
        pytest.skip("NOT TESTED: this platform cannot fork a process to kill")
    return os.fork()


def _traced(deadly: int) -> list[int]:
    """In this process every new connection counts statements, and the deadly one is the last."""
    seen = [0]
    connect = sqlite3.connect

    def trace(_: str) -> None:
        seen[0] += 1
        if seen[0] == deadly:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **kwargs)
        if args[0] != ":memory:":
            connection.set_trace_callback(trace)
        return connection

    sqlite3.connect = traced  # type: ignore[assignment]
    return seen
