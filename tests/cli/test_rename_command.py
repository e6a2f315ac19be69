"""`hermes-tui sessions rename`; case 24 on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.other_process import other_process
from tests.support.stores import BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('r','desktop',1780000000,1780001000,'compression','scanner',NULL),
('t','tui',1780001000,NULL,NULL,'scanner #2','r'),('u','telegram',1780000500,NULL,NULL,'taken',NULL),
('-x','cli',1780000500,NULL,NULL,NULL,NULL),('20260101_aa','cli',1780000500,NULL,NULL,NULL,NULL),
('20260101_ab','cli',1780000500,NULL,NULL,NULL,NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;
"""


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    return on_store(build_v11(ROWS))


def titles(path: Path) -> dict[str, str]:
    with SessionDB(path, read_only=True) as db:
        return {row["id"]: row["title"] for row in db.search_sessions() if row["title"]}


def test_case_24(sessions: Commands) -> None:
    done = sessions("rename", "t", "scanner")
    assert done.out == "Session 't' renamed to: scanner\n"
    assert done.err == "Session 'r', which it continues, gives the title up.\n"
    assert done.status == 0
    refused = "hermes-tui: Title 'taken' is already in use by session u (telegram)\n"
    for typed in ("taken", "  taken  ", "ta\u200bken"):
        done = sessions("rename", "t", typed)
        assert (done.status, done.out, done.err) == (3, "", refused)
    assert titles(sessions.path) == {"t": "scanner", "u": "taken"}
    done = sessions("rename", "t", "")
    assert (done.status, done.out) == (0, "Session 't' has no title any more.\n")
    done = sessions("rename", "t", "x" * 101)
    assert (done.status, done.err) == (3, "hermes-tui: Title too long (101 chars, max 100)\n")
    done = sessions("rename", "t", "a\u200bb\u202ec")
    assert done.out == "Session 't' renamed to: abc\n"
    assert done.err == "What cannot be seen and superfluous blanks were left out.\n"
    assert titles(sessions.path) == {"t": "abc", "u": "taken"}


def test_the_session_goes_before_it_is_renamed(sessions: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    check = SessionDB.check_title

    def checked_just_before(db: SessionDB, session_id: str, title: str | None) -> object:
        found = check(db, session_id, title)
        with other_process(sessions.path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'u'")
            other.run("DELETE FROM sessions WHERE id = 'u'")
        return found

    monkeypatch.setattr(SessionDB, "check_title", checked_just_before)
    done = sessions("rename", "u", "x")
    assert (done.status, done.out, done.err) == (3, "", "hermes-tui: Session 'u' no longer exists.\n")
    assert "u" not in titles(sessions.path)


def test_words_need_no_quotes(sessions: Commands) -> None:
    assert sessions("rename", "u", "debugging", "auth", "flow").out == (
        "Session 'u' renamed to: debugging auth flow\n"
    )
    assert sessions("rename", "--", "-x", "--force").out == "Session '-x' renamed to: --force\n"


def test_a_beginning_is_enough_where_it_is_the_only_one(sessions: Commands) -> None:
    assert sessions("rename", "20260101_AA", "one").out == "Session '20260101_aa' renamed to: one\n"
    done = sessions("rename", "20260101", "two")
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        "hermes-tui: '20260101' begins several ids: 20260101_aa, 20260101_ab. Type more of it.\n"
    )


@pytest.mark.parametrize("typed", ["nobody", "", "%", "2026010_", "\udcff", "\x1b[2J"])
def test_who_is_not_there(sessions: Commands, typed: str) -> None:
    before = files(sessions.path.parent)
    done = sessions("rename", typed, "x")
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith("hermes-tui: Session '")
    assert done.err.endswith(f"' not found. `hermes-tui sessions list --db {sessions.path}` shows the ids.\n")
    assert done.err.replace("\n", "").isprintable()
    assert files(sessions.path.parent)["state.db"] == before["state.db"]


def test_many_candidates_are_named_in_part(build_v11: BuildV11, on_store: OnStore) -> None:
    rows = ",".join(f"('s{n}\x1b[31m','cli',1)" for n in range(9))
    sessions = on_store(build_v11(f"INSERT INTO sessions(id,source,started_at) VALUES {rows};"))
    assert sessions("rename", "s", "x").err == (
        "hermes-tui: 's' begins several ids: s0, s1, s2, s3 and others. Type more of it.\n"
    )


def test_a_rehearsal_changes_nothing(sessions: Commands) -> None:
    before = sessions.path.read_bytes()
    done = sessions("rename", "t", "scanner", "--dry-run")
    assert done.out == "Session 't' renamed to: scanner\nDry run — nothing renamed.\n"
    assert sessions("rename", "t", "taken", "--dry-run").status == 3
    assert sessions.path.read_bytes() == before


def test_json(sessions: Commands) -> None:
    assert sessions("rename", "u", "Ünsafe\x1b[1m\x7f", "--json").json == {
        "id": "u",
        "title": "Ünsafe[1m",
        "stripped": True,
        "before": "taken",
        "title_taken_from": None,
        "dry_run": False,
    }


def test_a_terminal_without_utf8(sessions: Commands) -> None:
    done = sessions("rename", "u", "Größe 数", encoding="ascii")
    assert (done.status, done.out) == (0, "Session 'u' renamed to: Gr??e ?\n")
    assert titles(sessions.path)["u"] == "Größe 数"
