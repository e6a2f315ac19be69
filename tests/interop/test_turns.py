"""A release and we work on one store in turns, whoever made it, and each finds what the other did."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB
from tests.interop.conftest import RELEASES, Drive
from tests.interop.drive import turn
from tests.support.stores import CopyStore
from tests.support.whole import assert_whole

TURNS = 4


def ours_alone(store: Path) -> list[dict[str, object]]:
    with SessionDB(store) as db:
        return [turn(db)]


def version_of(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        (version,) = connection.execute("SELECT version FROM schema_version").fetchone()
        return int(version)


@pytest.mark.parametrize("begun", ["born here", "state-v9.db", "state-v14-0.16.0.db", "born there"])
@pytest.mark.parametrize("version", RELEASES)
def test_in_turns(version: str, begun: str, drive: Drive, copy_store: CopyStore, tmp_path: Path) -> None:
    store = tmp_path / "turns.db" if begun.startswith("born") else copy_store(begun)
    if begun == "born there":
        drive(version, "open", [store])
    else:
        SessionDB(store).close()
    for number in range(TURNS):
        (answer,) = ours_alone(store) if number % 2 else drive(version, "turn", [store])
        assert answer == {
            "before": [f"turn{done + 1}" for done in range(number)],
            "titled": [f"Turn {done + 1}" for done in range(number)],
            "seen": [f"doomed{number + 1}"],
            "deleted": True,
            "left": [],
        }
        # A store that a release made is of its own version until we open it.
        assert_whole(store, version_of(store) if begun == "born there" and number == 0 else 23)
