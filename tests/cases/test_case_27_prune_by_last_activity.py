"""Case 27: a prune goes by the last activity, spares what is open, and says so; here on SessionDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage.readings import PrunePreview
from tests.support.both_ways import both_ways, opened
from tests.support.stores import BuildV11

NOW = 1790000000.0
ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at) VALUES('longlived','cli',1779632000,1789996400),
('dead','cli',1779632000,1779640000),('open','cli',1779632000,NULL),('fresh','cron',1789990000,1789990100),
('kid','cli',1789990000,1789990200);
UPDATE sessions SET parent_session_id='dead' WHERE id='kid';
INSERT INTO messages(session_id,role,content,timestamp) VALUES('longlived','user','today',1789996000),
('dead','user','old',1779632001),('open','user','old',1779632001),('fresh','user','x',1789990001),('kid','user','y',1789990001);
"""
CHAIN = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,parent_session_id) VALUES
('root','cli',1770000000,1770001000,'compression',NULL),('tip','cli',1770001000,{end},{reason},'root');
INSERT INTO messages(session_id,role,content,timestamp) VALUES
('root','user','old',1770000001),('tip','user','old',{last});
"""


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


@both_ways
def test_only_the_dead_one_goes(path: Path, migrate: bool) -> None:
    with opened(path, migrate, now=NOW) as db:
        assert db.preview_prune(90) == PrunePreview(
            session_ids=("dead",),
            conversations=1,
            oldest=1779632001.0,
            newest=1779632001.0,
            open_conversations=1,
        )
        assert [row["id"] for row in db.list_prune_candidates(older_than_days=90)] == ["dead"]
        assert db.prune_sessions(older_than_days=90) == 1
        left = {row["id"]: row["parent_session_id"] for row in db.search_sessions()}
        assert left == {"longlived": None, "open": None, "fresh": None, "kid": None}
        assert db.reader.rows("PRAGMA foreign_key_check") == []


@both_ways
def test_a_clock_that_is_wrong_deletes_nothing(path: Path, migrate: bool) -> None:
    with opened(path, migrate, now=NOW - 10 * 365 * 86400) as db:
        assert db.prune_sessions(older_than_days=90) == 0
        assert db.session_count() == 5


@both_ways
@pytest.mark.parametrize(
    ("end", "reason", "last", "pruned"),
    [
        ("NULL", "NULL", 1770001001, []),
        ("1789999000", "'cli_close'", 1789998000, []),
        ("1770002000", "'cli_close'", 1770001001, ["root", "tip"]),
    ],
    ids=["open tip", "young tip", "all old"],
)
def test_a_chain_is_one(
    build_v11: BuildV11, migrate: bool, end: str, reason: str, last: int, pruned: list[str]
) -> None:
    path = build_v11(CHAIN.format(end=end, reason=reason, last=last))
    with opened(path, migrate, now=NOW) as db:
        assert list(db.preview_prune(90).session_ids) == pruned
        assert db.prune_sessions(older_than_days=90) == len(pruned)
        assert db.session_count() == 2 - len(pruned)
