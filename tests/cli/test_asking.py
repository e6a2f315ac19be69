"""A question on a real terminal, and commands in real pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage import SessionDB
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import CopyStore

ROOT = Path(__file__).parents[2]
ONE = "20261118_120000_973333"


@pytest.fixture
def store(copy_store: CopyStore) -> Path:
    return copy_store("state-v23.db")


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "hermes_tui", "sessions", *words]


def is_there(store: Path) -> bool:
    with SessionDB(store, read_only=True) as db:
        return db.get_session(ONE) is not None


@pytest.mark.parametrize(
    ("keys", "status", "stays"),
    [(b"y\n", 0, False), (b"n\n", 1, True), (b"\x04", 1, True), (b"\x03", 130, True)],
    ids=["yes", "no", "end of input", "Ctrl+C"],
)
def test_a_person_answers(store: Path, tmp_path: Path, keys: bytes, status: int, stays: bool) -> None:
    argv = command("delete", ONE, "--db", str(store))
    with PseudoTerminal(argv, env=environment(), cwd=tmp_path, size=(120, 20)) as terminal:
        terminal.wait_for(f"Delete session '{ONE}' and all its messages? [y/N]")
        terminal.type(keys)
        assert terminal.wait() == status
        assert "Traceback" not in terminal.screen
        # What comes next, the prompt of the shell first of all, stands in a line of its own.
        assert terminal.raw.endswith(b"\n")
    assert is_there(store) is stays


def test_a_question_and_its_answer_in_a_pipe(store: Path, tmp_path: Path) -> None:
    """The answers go to a program, the questions to the person."""
    answers = tmp_path / "answers"
    with answers.open("wb") as out:
        argv = command("prune", "--older-than", "1d", "--json", "--db", str(store))
        with PseudoTerminal(argv, env=environment(), cwd=tmp_path, stdout=out.fileno()) as terminal:
            terminal.wait_for("[y/N]")
            terminal.type(b"n\n")
            assert terminal.wait() == 1
    assert answers.read_bytes() == b""
    assert is_there(store)


def test_the_reader_of_an_export_goes_away(store: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command("export", "-", "--db", str(store)),
        env=environment(), stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_way_back_is_said_where_the_answer_arrives_nowhere(store: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command("delete", ONE, "--yes", "--db", str(store)),
        env=environment(), stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    with SessionDB(store, read_only=True) as db:
        (step,) = db.list_trash()
    assert done.returncode == 141
    assert done.stderr == f"Undo: hermes-tui sessions trash --db {store} restore {step.step}\n"


def test_a_pipe_from_an_export_to_an_import(store: Path, copy_store: CopyStore) -> None:
    empty = copy_store("empty-v22-0.19.0.db")
    with subprocess.Popen(
        command("export", "-", "--db", str(store)), env=environment(), stdout=subprocess.PIPE
    ) as one:
        done = subprocess.run(
            command("import", "-", "--db", str(empty)),
            env=environment(), stdin=one.stdout, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr, one.returncode) == (0, "", 0)
    assert done.stdout.splitlines()[0] == "Imported 41 sessions."


@pytest.mark.parametrize("words", [["export", "-"], ["prune", "--dry-run"], ["trash", "list"]])
def test_the_demo(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        command("--demo", *words),
        env={**environment(), "HOME": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, bool(done.stdout), done.stderr.count("\n") <= 1) == (0, True, True)
    assert list(tmp_path.iterdir()) == []
