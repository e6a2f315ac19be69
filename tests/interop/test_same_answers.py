"""Release 0.19.0 and SessionDB are asked the same about the same random families, and give the same answers."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from storage import SessionDB
from tests.support.stores import STORES

ASK = Path(__file__).parent / "ask.py"
FAMILIES = 80

WORDS = ["alpha", "beta", "gamma", "delta", "x.y", "foo-bar", "a_b", "日本語", "café"]
CONFIGS = [None, None, None, "{}", '{"_delegate_from": "x"}', '{"_branched_from": "y"}']
REASONS = [None, None, "compression", "compression", "branched", "cli_close"]
STATES = [(1, 0), (1, 0), (0, 1), (0, 0)]
IDS = [f"s{place}" for place in range(9)]
QUERIES = [
    "alpha",
    "alpha beta",
    "alpha OR beta",
    "alpha NOT beta",
    '"alpha beta"',
    "alp*",
    "x.y",
    "foo-bar",
    "a_b",
]
QUERIES += ["café", "日本語", "beta AND gamma NOT delta"]

LISTS: list[dict[str, Any]] = [
    {},
    {"order_by_last_active": True},
    {"include_children": True},
    {"include_children": True, "order_by_last_active": True},
    {"include_archived": True, "order_by_last_active": True},
    {"archived_only": True},
    {"project_compression_tips": False},
    {"source": "cli"},
    {"exclude_sources": ["tool"]},
    {"cwd_prefix": "/a"},
    {"min_message_count": 2},
    {"order_by_last_active": True, "search_query": "talk"},
    {"order_by_last_active": True, "id_query": "3"},
    {"limit": 2, "offset": 1},
]
COUNTS: list[dict[str, Any]] = [{}, {"exclude_children": True}, {"include_archived": True}, {"source": "cli"}]
QUESTIONS: list[tuple[str, list[Any], dict[str, Any]]] = [
    *(("list_sessions_rich", [], given) for given in LISTS),
    *(("session_count", [], given) for given in COUNTS),
    ("search_sessions", [], {}),
    ("message_count", [], {}),
    *((method, [id_], {}) for id_ in IDS for method in ("get_compression_tip", "resolve_resume_session_id")),
    *(
        (method, [id_], {})
        for id_ in IDS
        for method in ("get_session", "export_session", "get_session_title")
    ),
    *(("get_messages", [id_], {"include_inactive": True}) for id_ in IDS),
    *(
        ("get_messages_as_conversation", [id_], {"include_ancestors": both})
        for id_ in IDS
        for both in (False, True)
    ),
    *(("get_anchored_view", ["s0", message], {"window": 1, "bookend": 1}) for message in range(1, 9)),
    *(("search_messages", [query], {"sort": "newest"}) for query in QUERIES),
    *(("search_messages", [query], {"sort": "oldest", "role_filter": ["user"]}) for query in QUERIES),
    *(("resolve_session_by_title", [title], {}) for title in ("talk", "talk #2", "Title 1", "nobody's")),
    *(("get_next_title_in_lineage", [title], {}) for title in ("talk", "talk #2", "Title 1", "nobody's")),
]


def build(path: Path, seed: int) -> Path:
    """A store of version 22 with a random family and random talk."""
    chance = random.Random(seed)
    shutil.copyfile(STORES / "empty-v22-0.19.0.db", path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        count = chance.randint(1, len(IDS))
        starts = chance.sample(range(1000, 5000), count)
        for place, id_ in enumerate(IDS[:count]):
            reason = chance.choice(REASONS)
            connection.execute(
                "INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id, model_config,"
                " title, archived, message_count, cwd) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    id_,
                    chance.choice(["cli", "cli", "telegram", "tool"]),
                    float(starts[place]),
                    float(chance.randint(1000, 6000)) if reason else None,
                    reason,
                    chance.choice([None, None, *IDS[:place]]),
                    chance.choice(CONFIGS),
                    chance.choice([None, f"Title {place}", f"talk #{place}", None if place else "talk"]),
                    chance.choice([0, 0, 0, 1]),
                    chance.randint(0, 3),
                    chance.choice([None, "/a", "/a/b", "/ab"]),
                ),
            )
        times = chance.sample(range(1000, 9000), 12)
        for time in times[: chance.randint(0, 12)]:
            connection.execute(
                "INSERT INTO messages(session_id, role, content, timestamp, active, compacted, tool_calls)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    chance.choice(IDS[:count]),
                    chance.choice(["user", "assistant", "tool", "system"]),
                    " ".join(chance.choices(WORDS, k=chance.randint(1, 5))),
                    float(time),
                    *chance.choice(STATES),
                    chance.choice([None, None, '[{"id": 1}]', "{bad"]),
                ),
            )
    return path


def comparable(answer: Any) -> Any:
    """The answer without what we do better: an excerpt is ours, and a rewound message stands around no hit."""
    if isinstance(answer, list) and answer and isinstance(answer[0], dict) and "snippet" in answer[0]:
        return [
            {name: value for name, value in hit.items() if name not in ("snippet", "context")}
            for hit in answer
        ]
    return answer


def test_the_same_answers(releases: dict[str, Path], tmp_path: Path) -> None:
    stores = [build(tmp_path / f"{seed}.db", seed) for seed in range(FAMILIES)]
    done = subprocess.run(
        [sys.executable, "-I", str(ASK), str(releases["0.19.0"])],
        input=json.dumps({"stores": list(map(str, stores)), "questions": QUESTIONS}),
        env={
            "HOME": str(tmp_path),
            "HERMES_HOME": str(tmp_path / "home"),
            "PATH": os.environ.get("PATH", ""),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for store, answers in zip(stores, json.loads(done.stdout.splitlines()[-1]), strict=True):
        with SessionDB(store, read_only=True) as db:
            for (method, given, named), real in zip(QUESTIONS, answers, strict=True):
                ours = getattr(db, method)(*given, **named)
                assert comparable(ours) == comparable(real), (store.name, method, given, named)


def test_the_families_have_something_to_disagree_about(tmp_path: Path) -> None:
    compressed = branches = hits = 0
    for seed in range(FAMILIES):
        with SessionDB(build(tmp_path / f"{seed}.db", seed), read_only=True) as db:
            rows = db.list_sessions_rich()
            compressed += sum("_lineage_root_id" in row for row in rows)
            branches += sum(row["parent_session_id"] is not None for row in rows)
            hits += len(db.search_messages("alpha OR beta"))
    assert (compressed, branches, hits) == (12, 33, 179)
