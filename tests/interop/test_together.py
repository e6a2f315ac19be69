"""Four processes of ours and four of a real release write to one store at the same time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from storage import SessionDB
from tests.support.whole import assert_whole, rows_of

WRITER = Path(__file__).parent / "write.py"
ROOT = Path(__file__).parent.parent.parent
TURNS = 25
OURS = [f"ours{number}" for number in range(4)]
THEIRS = [f"theirs{number}" for number in range(4)]
TAKEN = re.compile(r"Title 'wanted by all' is already in use by session (ours|theirs)\d( \(cli\))?")


def started(packages: Path, module: str, store: Path, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-I", str(WRITER), str(packages), module, str(store), name, str(TURNS)]
    home = store.parent
    return subprocess.Popen(
        command,
        env={"HOME": str(home), "HERMES_HOME": str(home / "home"), "PATH": os.environ.get("PATH", "")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def all_at_once(processes: Sequence[subprocess.Popen[str]]) -> list[list[str]]:
    """What each says of the titles it could not have; none may have seen another error."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), ends
    return [json.loads(said) for said, _ in ends]


@pytest.mark.parametrize("version", ["0.16.0", "0.19.0"])
def test_eight_write_and_nothing_is_lost(version: str, releases: dict[str, Path], tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    with SessionDB(store) as db:
        db.create_session("everybody", "telegram")
    refused = all_at_once(
        [started(ROOT, "storage", store, name) for name in OURS]
        + [started(releases[version], "hermes_state", store, name) for name in THEIRS]
    )
    assert_whole(store)
    rows = rows_of(store)
    wanted = {f"{name}word{turn}" for name in (*OURS, *THEIRS) for turn in range(TURNS)}
    said = [(row["session_id"], row["content"].split()) for row in rows["messages"]]
    assert sorted(words[1] for id_, words in said if id_ == "everybody") == sorted(wanted)
    assert sorted(words[1] for id_, words in said if id_ != "everybody") == sorted(wanted)
    assert all(id_ == "everybody" or words[1].startswith(id_) for id_, words in said)
    titles = {row["id"]: row["title"] for row in rows["sessions"]}
    # Whoever had the title last, and everybody else the last one of its own.
    holders = [name for name, title in titles.items() if title == "wanted by all"]
    assert len(holders) <= 1
    last = f"at turn {TURNS - 1}"
    assert all(titles[name] == f"{name} {last}" for name in (*OURS, *THEIRS) if name not in holders), titles
    counted = {row["id"]: row["message_count"] for row in rows["sessions"]}
    assert counted == {"everybody": 8 * TURNS, **dict.fromkeys((*OURS, *THEIRS), TURNS)}
    assert all(TAKEN.fullmatch(sentence) for sentences in refused for sentence in sentences), refused
    with SessionDB(store, read_only=True) as db:
        assert {hit["session_id"] for hit in db.search_messages("theirs3word7")} == {"theirs3", "everybody"}
