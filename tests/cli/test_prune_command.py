"""`hermes-tui sessions prune`; case 27 on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes_tui.cli import candidates
from storage import SessionDB
from tests.cases.test_case_27_prune_by_last_activity import ROWS
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.stores import BuildV11

NOW = 1790000000.0
MANY = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO sessions(id,source,started_at,ended_at,title,model,message_count)
SELECT printf('s%02d', i), 'telegram', 1770000000 + i * 60, 1770009000, 'title ' || i, 'nous/hermes-5', i FROM n;
"""

COPY = "A copy goes to the trash, where it can be restored from for 30 days."


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    commands = on_store(build_v11(ROWS))
    commands.now = NOW
    return commands


def left(path: Path) -> set[str]:
    with SessionDB(path, read_only=True) as db:
        return {row["id"] for row in db.search_sessions(limit=-1)}


ALL = {"longlived", "dead", "open", "fresh", "kid"}


def test_case_27(sessions: Commands) -> None:
    before = sessions("export", "-").out
    done = sessions("prune", typed="y\n")
    assert done.out == (
        "1 session(s) match (last active before 2026-06-23 14:13;"
        " oldest 2026-05-24 14:13, newest 2026-05-24 14:13):\n"
        "  dead  2026-05-24 14:13  cli                                    0 msgs\n"
        "1 open session skipped\n"
        "1 subagent session stays, hidden, on its own\n"
        f"{COPY}\n"
        "Pruned 1 session(s).\n"
    )
    (step,) = sessions("trash", "list", "--json").json["steps"]
    assert done.err == (
        "Delete these 1 session(s) (oldest 2026-05-24 14:13, newest 2026-05-24 14:13)? [y/N] "
        f"\x1b[2mUndo: hermes-tui sessions trash --db {sessions.path} restore {step['step']}\x1b[0m\n"
    )
    assert done.status == 0
    assert left(sessions.path) == ALL - {"dead"}
    with SessionDB(sessions.path, read_only=True) as db:
        kid = db.get_session("kid")
        assert kid is not None
        assert kid["parent_session_id"] is None
    assert sessions("trash", "restore", step["step"]).status == 0
    assert sessions("export", "-").out == before


def test_a_clock_that_is_wrong_deletes_nothing(sessions: Commands) -> None:
    sessions.now = NOW - 10 * 365 * 86400
    done = sessions("prune", "--yes")
    assert (done.status, done.out) == (0, "No sessions match (last active before 2016-06-25 14:13).\n")
    assert left(sessions.path) == ALL


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        ("--older-than 1d", {"dead"}),
        ("--older-than 1h", {"dead", "kid", "fresh", "longlived"}),
        ("--source cron", {"fresh"}),
        ("--newer-than 1d --source cli", {"kid", "longlived"}),
        ("--before 2026-06-01", {"dead"}),
        ("--min-messages 1", set()),
    ],
)
def test_any_filter_takes_the_place_of_the_90_days(sessions: Commands, words: str, gone: set[str]) -> None:
    foretold = sessions("prune", *words.split(), "--dry-run", "--json").json
    assert {row["id"] for row in foretold["sessions"]} == gone
    assert sessions("prune", *words.split(), "--yes").status == 0
    assert left(sessions.path) == ALL - gone


def test_archived_ones_are_spared_unless_they_are_asked_for(sessions: Commands) -> None:
    sessions("migrate", "--yes")
    sessions("archive", "dead")
    assert sessions("prune", "--yes").out == (
        "No sessions match (last active before 2026-06-23 14:13).\n1 open session skipped\n"
    )
    assert sessions("prune", "--yes", "--include-archived").out.endswith(
        "\nPruned 1 session(s).\n1 subagent session stays, hidden, on its own\n"
    )


def test_pinned_ones_are_spared(sessions: Commands) -> None:
    sessions("migrate", "--yes")
    sessions("pin", "dead")
    assert sessions("prune", "--yes", "--include-archived").out.startswith("No sessions match (")
    assert "dead" in left(sessions.path)


def test_a_question_shows_fifteen_and_a_rehearsal_all(build_v11: BuildV11, on_store: OnStore) -> None:
    sessions = on_store(build_v11(MANY))
    sessions.now = NOW
    asked = sessions("prune", typed="n\n").out.splitlines()
    assert len(asked) == 1 + 15 + 1 + 1
    assert asked[0].startswith("20 session(s) match (last active before ")
    assert asked[1] == ("  s01  2026-02-02 02:41  telegram   hermes-5                    1 msgs  title 1")
    assert asked[-2:] == ["  … and 5 more", COPY]
    rehearsed = sessions("prune", "--dry-run").out.splitlines()
    assert len(rehearsed) == 1 + 20 + 1 + 1
    assert rehearsed[-1] == "Dry run — nothing deleted."


def test_what_comes_to_life_while_it_is_asked_about_stays(
    build_v11: BuildV11, on_store: OnStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = on_store(build_v11(MANY))
    sessions.now = NOW
    find = candidates.find
    looks: list[int] = []

    def found_twice(db: SessionDB, **filters: Any) -> candidates.Candidates:
        looks.append(1)
        if len(looks) == 2:
            with SessionDB(sessions.path, migrate=False) as other:
                other.reopen_session("s03")
        return find(db, **filters)

    monkeypatch.setattr(candidates, "find", found_twice)
    done = sessions("prune", "--yes", "--purge")
    assert done.out.endswith("Pruned 19 session(s).\n")
    assert done.err == "1 conversation changed meanwhile and stayed.\n"
    assert left(sessions.path) == {"s03"}


def test_a_rehearsal_changes_nothing(sessions: Commands) -> None:
    sessions("trash", "list")
    before = files(sessions.path.parent)
    assert sessions("prune", "--older-than", "0", "--include-archived", "--dry-run").status == 0
    assert files(sessions.path.parent) == before


def test_json(sessions: Commands) -> None:
    answer = sessions("prune", "--yes", "--json").json
    assert answer.pop("step").startswith("20260921T141320")
    assert answer == {
        "sessions": [
            {
                "id": "dead",
                "conversation": "dead",
                "title": None,
                "source": "cli",
                "model": None,
                "started_at": 1779632000.0,
                "ended_at": 1779640000.0,
                "last_active": 1779632001.0,
                "message_count": 0,
                "archived": False,
            }
        ],
        "conversations": 1,
        "oldest": 1779632001.0,
        "newest": 1779632001.0,
        "open_skipped": 1,
        "subagents_left": 1,
        "dry_run": False,
        "deleted": ["dead"],
        "messages": 1,
        "missing": [],
        "left": 0,
    }


def test_columns_that_hold_anything(build_v11: BuildV11, on_store: OnStore) -> None:
    sessions = on_store(
        build_v11(
            "INSERT INTO sessions(id,source,started_at,ended_at,title,model,message_count) VALUES"
            "('s',x'00ff',1770000000,1770000001,x'fffe',7,'many');"
        )
    )
    sessions.now = NOW
    assert sessions("prune", "--dry-run").status == 0
    (row,) = sessions("prune", "--dry-run", "--json").json["sessions"]
    assert (row["source"], row["title"], row["model"]) == ("\0\ufffd", "\ufffd\ufffd", "7")


def test_a_bad_age(sessions: Commands) -> None:
    done = sessions("prune", "--older-than", "soon", "--yes")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "hermes-tui: Invalid value for --older-than: 'soon'. Use a duration like '5h', '30m', '2d', '1w',"
        " a bare number of days, or an ISO timestamp like '2026-07-05' or '2026-07-05 14:30'.\n"
    )
    assert left(sessions.path) == ALL
