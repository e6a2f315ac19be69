"""The real `session_search` of release 0.19.0 and ours are asked the same about stored stores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, session_search
from tests.interop.test_same_answers import ASK
from tests.support.stores import copy_of

Call = dict[str, Any]
Answer = dict[str, Any]

STORES = (
    "state-v11-0.13.0.db",
    "state-v19-0.18.2.db",
    "state-v22-0.19.0.db",
    "state-v23.db",
    "state-v23-extras.db",
)
WORDS = (
    "docker",
    "Fibonacci",
    "the",
    "step build",
    '"of the"',
    "deploy*",
    "auth OR refactor",
    "docker NOT state",
)


@pytest.mark.parametrize("name", STORES)
def test_both_answer_the_same(releases: dict[str, Path], tmp_path: Path, name: str) -> None:
    theirs, ours = copy_of(name, tmp_path / "theirs"), copy_of(name, tmp_path / "ours")
    with SessionDB(ours) as db:
        calls = list(_calls(db))
        answers = _their_answers(releases["0.19.0"], tmp_path, theirs, calls)
        assert len(calls) > 100
        known = {session["id"] for session in db.search_sessions(limit=-1)}
        for call, answer in zip(calls, answers, strict=True):
            own = json.loads(json.dumps(session_search(db=db, **call)))
            assert _comparable(own, known) == _comparable(answer, known), call


def _calls(db: SessionDB) -> Iterator[Call]:
    sessions = [session["id"] for session in db.search_sessions(limit=-1)]
    yield from ({"limit": limit} for limit in (1, 3, 10, 99))
    yield from ({"limit": 10, "current_session_id": id_} for id_ in sessions)
    for query in WORDS:
        yield from ({"query": query, "limit": 10, "sort": sort} for sort in (None, "newest", "oldest"))
        yield from ({"query": query, "limit": 5, "role_filter": roles} for roles in ("tool", "user, tool"))
        yield {"query": query, "current_session_id": sessions[0]}
    for session in db.search_sessions(limit=-1):
        yield {"session_id": session["id"]}
        if session["title"]:
            yield {"query": session["title"], "limit": 1}
    for message_id, session_id in db.reader.rows("SELECT id, session_id FROM messages ORDER BY id"):
        yield {"session_id": session_id, "around_message_id": message_id, "window": 3}
        yield {"session_id": sessions[-1], "around_message_id": message_id}
        yield {"session_id": session_id, "around_message_id": message_id, "current_session_id": sessions[0]}
    yield {"session_id": "nobody"}
    yield {"session_id": sessions[0], "around_message_id": 10**6}


def _their_answers(release: Path, home: Path, store: Path, calls: list[Call]) -> list[Answer]:
    done = subprocess.run(
        [sys.executable, "-I", str(ASK), str(release)],
        input=json.dumps(
            {"stores": [str(store)], "questions": [("session_search", [], call) for call in calls]}
        ),
        env={"HOME": str(home), "HERMES_HOME": str(home / "home"), "PATH": os.environ.get("PATH", "")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Answer] = json.loads(done.stdout.splitlines()[-1])[0]
    return answers


def _comparable(answer: Answer, known: set[str]) -> Answer:
    """The answer without what differs, and why ours is right."""
    for result in answer.get("results", []):
        # An excerpt is one line, of the column that matches, and of what a message with a picture says.
        result.pop("snippet", None)
        # A session whose parent is gone is the root of its own lineage (product: Session list).
        if result.get("parent_session_id", "") not in known:
            result.pop("parent_session_id", None)
            result.pop("title", None)
        # Found by its title, how a session began and ended does not repeat what the window shows.
        if result.get("matched_role") == "session_title":
            del result["bookend_start"], result["bookend_end"]
    return answer
