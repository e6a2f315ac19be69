"""Starts, in a real terminal and beside an empty Textual app; and the commands that have no screen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from storage import SessionDB
from tests.benchmarks.measure import Row, Times, of, timed
from tests.benchmarks.terminal import Terminal

ROOT = Path(__file__).parents[2]
CHROME = "Hermes sessions"
HEADLESS_FLOOR = "import argparse, json, sqlite3"


def rows(path: Path, name: str, runs: int = 9) -> Iterator[Row]:
    """The rows about starting."""
    with tempfile.TemporaryDirectory() as home:
        environment = environment_in(home)
        empty = [sys.executable, "-m", "tests.benchmarks.empty_app"]
        browser = [sys.executable, "-m", "hermes_tui", "--db", str(path)]
        title, floors, starts = first_title(path), [], []
        for run in range(runs + 1):
            # Turn by turn, so that a noisy neighbour bothers both alike.
            nothing = _start(empty, environment, ["ready"])
            start = _start(browser, environment, [CHROME, title])
            if run:  # the first one writes the bytecode
                floors.append(nothing)
                starts.append(start)
        first_byte, first_frame, first_row = (of(times) for times in zip(*starts, strict=True))
        empty_byte, empty_frame = (of(times) for times in zip(*floors, strict=True))
        yield Row("start: first byte", name, first_byte, empty_byte)
        yield Row("start: first frame", name, first_frame, empty_frame, 1.25, "ratio")
        yield Row("start: rows on screen", name, first_row, empty_frame)
        floor = _whole([sys.executable, "-c", HEADLESS_FLOOR], environment)
        listing = [*browser[:3], "sessions", "list", *browser[3:]]
        yield Row("sessions list", name, _whole(listing, environment), floor, 80)
        yield Row("--version", name, _whole([*browser[:3], "--version"], environment), floor, 80)


def environment_in(home: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    # Without bytecode every start would compile every module again.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    return {**kept, **terminal, "HOME": home, "HERMES_HOME": home, "PYTHONPATH": str(ROOT)}


def _start(command: Sequence[str], environment: dict[str, str], patterns: Sequence[str]) -> list[float]:
    """Milliseconds to the first byte and to each pattern."""
    terminal = Terminal(command, environment)
    try:
        shown = [terminal.wait_for(pattern) for pattern in patterns]
        assert terminal.first_byte is not None
        return [seconds * 1e3 for seconds in (terminal.first_byte, *shown)]
    finally:
        terminal.close()


def first_title(path: Path) -> str:
    """Words that only a row of the list shows: the beginning of the title of the newest titled conversation."""
    with SessionDB(path, read_only=True) as store:
        top = store.details(store.first_page(limit=20).entries)
    return re.escape(next(row.title for row in top if row.title)[:8])


def _whole(command: Sequence[str], environment: dict[str, str]) -> Times:
    """From the start of a process to its end."""
    quiet = subprocess.DEVNULL
    return replace(
        timed(lambda: subprocess.run(command, env=environment, check=True, stdout=quiet, stderr=quiet)),
        cpu=None,
    )
