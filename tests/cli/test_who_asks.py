"""Which commands ask before they act, and so do nothing where nobody can answer: those that the README names."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.cli.family import PLACES
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.stores import BuildV11, CopyStore

README = Path(__file__).parents[2] / "README.md"
ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title) VALUES
('a','cli',1780000000,1780000900,'x','A'),('b','cli',1780000901,1780001900,'x','B');
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;
"""
ASKING = [
    "delete a",
    "prune --source cli",
    "trash empty",
    "archive --source cli",
    "unarchive --source cli",
    "pin --source cli",
    "unpin --source cli",
    "export {there}",
]
GOING_AHEAD = [
    "rename a Another",
    "archive b",
    "unarchive z",
    "pin b",
    "unpin y",
    "export {to}",
    "import {backup}",
    "trash list",
    "trash restore 2",
    "migrate",  # it is at its version
    "optimize",
    "optimize-storage",
]


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore, tmp_path: Path) -> Commands:
    """A store of today with something for every command to do."""
    commands = on_store(build_v11(ROWS))
    commands("migrate", "--yes")
    for id_, also in (("x", ""), ("y", "pin"), ("z", "archive")):
        one = f'{{"id": "{id_}", "source": "cli", "ended_at": 1, "started_at": 1}}'
        assert commands("import", "-", given=one.encode()).status == 0
        if also:
            assert commands(also, id_).status == 0
    assert commands("delete", "x", "--yes").status == 0
    assert commands("export", str(tmp_path / "there.jsonl")).status == 0
    return commands


def words(line: str, place: Path) -> list[str]:
    names = {name: str(place / f"{name}.jsonl") for name in ("there", "to")}
    return line.format(**names, backup=names["there"]).split()


@pytest.mark.parametrize("line", ASKING)
def test_nothing_is_done_where_nobody_can_answer(sessions: Commands, tmp_path: Path, line: str) -> None:
    before = files(tmp_path)
    done = sessions(*words(line, tmp_path))
    assert done.status == 1
    assert done.err.endswith(": there is no terminal to ask on; add --yes to go ahead without a question.\n")
    assert done.err.count("\n") == 1
    assert files(tmp_path) == before
    assert sessions(*words(line, tmp_path), "--yes").status == 0


@pytest.mark.parametrize("line", GOING_AHEAD)
def test_the_others_go_ahead(sessions: Commands, tmp_path: Path, line: str) -> None:
    done = sessions(*words(line, tmp_path))
    assert (done.status, done.err) == (0, "")


def test_migrate_asks_on_an_older_store(copy_store: CopyStore, on_store: OnStore) -> None:
    assert on_store(copy_store("state-v22-0.19.0.db"))("migrate").status == 1


def test_every_command_is_tried() -> None:
    assert {line.split()[0] for line in ASKING + GOING_AHEAD} == set(PLACES)


def test_the_readme_names_those_that_ask() -> None:
    text = " ".join(README.read_text(encoding="utf-8").split())
    assert (
        "`delete`, `prune`, `trash empty` and `migrate` ask first, and so do filters that choose what to archive or"
        " pin, an export onto a file that is there, and an import that has to make the store; `--yes` answers."
    ) in text
