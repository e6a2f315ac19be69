"""Typing into the browser in a real terminal, while another process appends to the store all the time."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.benchmarks.measure import Row, of
from tests.benchmarks.screen_part import SECONDS_A_KEY, WORDS
from tests.benchmarks.start_part import CHROME, environment_in, first_title
from tests.benchmarks.terminal import Terminal

APPENDED = 50
"""Messages a second that the other process writes."""

_BOX, _LIST = 2, range(5, 18)
"""Lines of the screen."""

_ANSWERED = 0.23
"""Seconds after the last letter in which its answer is on the screen; the count that follows comes later."""

_RUNS = 4

_WRITER = """
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
sessions = [row[0] for row in db.execute("SELECT id FROM sessions ORDER BY started_at DESC LIMIT 20")]
begun, number = time.monotonic(), 0
while True:
    db.execute("INSERT INTO messages(session_id, role, content, timestamp) VALUES (?, 'assistant', ?, ?)",
        (sessions[number % 20], f"the docker error number {number} of this session", time.time()))
    number += 1
    time.sleep(max(0, begun + number / float(sys.argv[2]) - time.monotonic()))
"""


def rows(path: Path, name: str) -> Iterator[Row]:
    """The rows about typing; the store is copied, for it is written to."""
    title = first_title(path)
    with tempfile.TemporaryDirectory() as directory:
        store = Path(shutil.copy(path, Path(directory) / "state.db"))
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(store), str(APPENDED)])
        try:
            letters, answers = _typed(store, title, environment_in(directory))
            assert writer.poll() is None, "nothing was appended meanwhile"
        finally:
            writer.kill()
            writer.wait()
    yield Row("typing in a terminal: letter in the box", name, of(letters), None, 60)
    yield Row("  the slowest in twenty", name, of(letters), None, 120, "p95")
    yield Row("typing in a terminal: last letter to its answer", name, of(answers), None, 60)
    yield Row("  the slowest in twenty", name, of(answers), None, 120, "p95")


def _typed(store: Path, title: str, environment: dict[str, str]) -> tuple[list[float], list[float]]:
    """Milliseconds from each letter to the frame that shows it, and from the last of a word to its answer."""
    letters: list[float] = []
    answers: list[float] = []
    terminal = Terminal([sys.executable, "-m", "hermes_tui", "--db", str(store)], environment)
    try:
        for pattern in (CHROME, title):
            terminal.wait_for(pattern)
        terminal.changes(3)
        for word in WORDS * _RUNS:
            sent, changes = [], []
            for letter in word:
                sent.append(terminal.now())
                terminal.send(letter)
                changes += terminal.changes(SECONDS_A_KEY)
            changes += terminal.changes(_ANSWERED - SECONDS_A_KEY)
            echoes = [next(when for when, lines in changes if when > at and _BOX in lines) for at in sent]
            letters += [(echo - at) * 1e3 for at, echo in zip(sent, echoes, strict=True)]
            # What was still being drawn of the letter before does not count.
            answer = (when for when, lines in changes if when >= echoes[-1] and lines.intersection(_LIST))
            answers += [(when - sent[-1]) * 1e3 for when in islice(answer, 1)]
            terminal.send("\x1b")
            terminal.changes(0.8)
    finally:
        terminal.close()
    return letters, answers
