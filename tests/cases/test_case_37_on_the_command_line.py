"""Case 37 on the command line: what cannot be written is said with its path, and nothing is made or changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import Commands, Ended
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.stores import write_v11

SETUP = """
INSERT INTO sessions(id,source,started_at,ended_at,title) VALUES('s1','cli',1770000000,1770000001,'one');
INSERT INTO messages(session_id,role,content,timestamp) VALUES('s1','user','hello',1770000000);
"""
WRITING = [
    ["rename", "s1", "x"],
    ["delete", "s1", "--yes"],
    ["delete", "s1", "--yes", "--purge"],
    ["prune", "--yes"],
    ["migrate", "--yes"],
    ["optimize"],
    ["optimize-storage"],
]


@pytest.fixture
def home() -> Iterator[Path]:
    with public_directory() as directory:
        yield directory


def as_another(path: Path, elsewhere: Path, *words: str) -> Ended:
    """What somebody else gets, who may not be allowed to read the modules: a first run `elsewhere` loads them."""

    def run(path: Path = path) -> tuple[int, str, str]:
        with pytest.MonkeyPatch.context() as patch:
            done = Commands(path, patch)(*words)
            return done.status, done.out, done.err

    run(write_v11(elsewhere / "state.db", SETUP))
    return Ended(*as_somebody_else(run))


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.endswith("-shm")}


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_read_only_place(home: Path, tmp_path: Path, words: list[str]) -> None:
    path = write_v11(home / "state.db", SETUP)
    path.chmod(0o444)
    home.chmod(0o555)
    before = contents(home)
    done = as_another(path, tmp_path, *words)
    complaint = done.err.splitlines()[-1]
    assert done.status == 3
    assert complaint.startswith(f"hermes-tui: Nothing was written: {path} cannot be written here (")
    assert contents(home) == before


@pytest.mark.parametrize(
    "words", [["export", "-"], ["trash", "list"], ["delete", "s1", "--dry-run"]], ids=" ".join
)
def test_what_only_reads_works_there(home: Path, tmp_path: Path, words: list[str]) -> None:
    path = write_v11(home / "state.db", SETUP)
    path.chmod(0o444)
    home.chmod(0o555)
    done = as_another(path, tmp_path, *words)
    assert (done.status, done.err) == (0, "")
    assert done.out


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_there_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    path = tmp_path / "state.db"
    done = Commands(path, monkeypatch)(*words)
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith(f"hermes-tui: No session store at {path}. ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_what_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    path = tmp_path / "state.db"
    path.write_text("hello world" * 500)
    done = Commands(path, monkeypatch)(*words)
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith(f"hermes-tui: {path} is not a database")
    assert path.read_text() == "hello world" * 500


@pytest.mark.parametrize("words", [one for one in WRITING if one != ["migrate", "--yes"]], ids=" ".join)
def test_an_empty_file_stays_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    path = tmp_path / "state.db"
    path.touch()
    done = Commands(path, monkeypatch)(*words)
    assert "Traceback" not in done.err
    assert path.stat().st_size == 0


def test_migrating_an_empty_file_makes_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.db"
    path.touch()
    answer = Commands(path, monkeypatch)("migrate", "--yes", "--json").json
    assert (answer["from"], answer["to"]) == (0, 23)
