"""`hermes-tui sessions delete`: what goes, what is asked, what is said, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, WritePolicy
from storage.engine.connection import Cancel
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.other_process import other_process
from tests.support.stores import NOW, BuildV11

ROWS = f"""
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id,model_config) VALUES
('a','cli',1780000000,1780000900,'compression','A',NULL,NULL),
('b','cli',1780000901,1780001900,'compression','B','a',NULL),('c','cli',1780001901,1780001999,'x','C','b',NULL),
('worker','subagent',1780000910,1780000920,'x',NULL,'b','{{"_delegate_from":"b"}}'),
('branch','cli',1780000930,1780000940,'x','off','b','{{"_branched_from":"b"}}'),
('live','cli',{NOW - 60},NULL,NULL,'[bold]'||char(27)||'[31mlive',NULL,NULL),
('z','cli',1780000000,NULL,NULL,'Z',NULL,NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','word'||id,started_at FROM sessions;
"""


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    return on_store(build_v11(ROWS))


def left(path: Path) -> set[str]:
    with SessionDB(path, read_only=True) as db:
        return {row["id"] for row in db.search_sessions(limit=-1)}


def step_of(sessions: Commands) -> str:
    (step,) = sessions("trash", "list", "--json").json["steps"]
    return str(step["step"])


ALL = {"a", "b", "c", "worker", "branch", "live", "z"}


def test_one_part_and_back(sessions: Commands) -> None:
    before = sessions("export", "-").out
    done = sessions("delete", "b", typed="y\n")
    assert done.out == (
        "1 session: 1 message, about 23 bytes\n"
        "  b  B\n"
        "last active 2026-05-28 20:41\n"
        "2 parts of the same conversation stay\n"
        "1 branch or fresh start stays, without a parent\n"
        "1 subagent session stays, hidden, on its own\n"
        "A copy goes to the trash, where it can be restored from for 30 days.\n"
        "Deleted session 'b'.\n"
    )
    step = step_of(sessions)
    undo = f"hermes-tui sessions trash --db {sessions.path} restore {step}"
    assert done.err == f"Delete session 'b' and all its messages? [y/N] \x1b[2mUndo: {undo}\x1b[0m\n"
    assert done.status == 0
    assert left(sessions.path) == ALL - {"b"}
    back = sessions(*undo.split()[2:])
    assert (back.status, back.out, back.err) == (0, "Restored 1 session with 1 message.\n", "")
    assert sessions("export", "-").out == before


@pytest.mark.parametrize(
    ("words", "gone"),
    [
        (["b"], {"b"}),
        (["b", "--with-subagents"], {"b", "worker"}),
        (["b", "--chain"], {"a", "b", "c"}),
        (["c", "--chain", "--with-subagents"], {"a", "b", "c", "worker"}),
        (["a", "z", "a"], {"a", "z"}),
        (["a", "b", "--chain"], {"a", "b", "c"}),
    ],
)
def test_what_goes(sessions: Commands, words: list[str], gone: set[str]) -> None:
    foretold = sessions("delete", *words, "--dry-run", "--json").json
    done = sessions("delete", *words, "--yes", "--json").json
    assert set(foretold["sessions"]) == set(done["deleted"]) == gone
    assert left(sessions.path) == ALL - gone
    assert done["step"] == step_of(sessions)
    assert (done["messages"], done["missing"], done["left"], done["dry_run"]) == (len(gone), [], 0, False)
    back = sessions("trash", "restore", done["step"], "--json").json
    assert set(back["sessions"]) == gone
    assert left(sessions.path) == ALL


@pytest.mark.parametrize("words", [["a", "--chain"], ["b"], ["a", "b"]])
def test_subagent_sessions_that_stay_are_told(sessions: Commands, words: list[str]) -> None:
    line = "1 subagent session stays, hidden, on its own\n"
    assert line in sessions("delete", *words, "--dry-run").out
    assert line not in sessions("delete", *words, "--with-subagents", "--dry-run").out
    assert sessions("delete", *words, "--dry-run", "--json").json["subagents_left"] == 1
    assert sessions("delete", *words, "--yes").out.endswith(f".\n{line}")
    with SessionDB(sessions.path, read_only=True) as db:
        worker = db.get_session("worker")
        assert worker is not None
        assert worker["parent_session_id"] is None
        assert "worker" not in {entry.id for entry in db.listing().entries}


def test_a_question_about_many_names_fifteen(build_v11: BuildV11, on_store: OnStore) -> None:
    ids = [f"s{number:02}" for number in range(20)]
    rows = ",".join(f"('{id_}','cli',1,'title of {id_} {'x' * 60}')" for id_ in ids)
    sessions = on_store(build_v11(f"INSERT INTO sessions(id,source,started_at,title) VALUES {rows};"))
    lines = sessions("delete", *ids, typed="n\n").out.splitlines()
    assert lines[1:17] == [
        *(f"  {id_}  title of {id_} {'x' * 46}…" for id_ in ids[:15]),
        "  … and 5 more",
    ]


def test_several_are_one_step(sessions: Commands) -> None:
    done = sessions("delete", "a", "z", "--yes")
    assert done.out == "Deleted 2 sessions.\n"
    assert done.err == f"Undo: hermes-tui sessions trash --db {sessions.path} restore {step_of(sessions)}\n"


def test_no_copy_is_kept(sessions: Commands) -> None:
    done = sessions("delete", "z", "--purge", typed="y\n")
    assert "No copy is kept: nothing brings them back.\n" in done.out
    assert done.out.endswith("\nDeleted session 'z'.\n")
    assert done.err == "Delete session 'z' and all its messages? [y/N] "
    assert sessions("trash", "list").out == "The trash is empty.\n"
    assert sessions("delete", "a", "--purge", "--yes", "--json").json["step"] is None


@pytest.mark.parametrize("typed", ["", "n\n", "\n", "yess\n", "yes please\n", "нет\n", "N"])
def test_anything_but_a_yes_changes_nothing(sessions: Commands, typed: str) -> None:
    before = sessions.path.read_bytes()
    done = sessions("delete", "z", typed=typed)
    assert done.status == 1
    assert done.err.endswith("\x1b[2mCancelled.\x1b[0m\n")
    assert sessions.path.read_bytes() == before
    assert not (sessions.path.parent / "trash").exists()


@pytest.mark.parametrize("typed", ["y\n", "Y\n", " yes \n", "y"])
def test_a_yes(sessions: Commands, typed: str) -> None:
    assert sessions("delete", "z", typed=typed).status == 0
    assert "z" not in left(sessions.path)


def test_nobody_to_ask(sessions: Commands) -> None:
    before = sessions.path.read_bytes()
    done = sessions("delete", "z", given=b"y\n")
    assert (done.status, done.err) == (
        1,
        "hermes-tui: Nothing was deleted: there is no terminal to ask on; add --yes to go ahead without a question.\n",
    )
    assert sessions.path.read_bytes() == before


def test_one_that_is_running_asks_twice(sessions: Commands) -> None:
    done = sessions("delete", "live", typed="y\nn\n")
    assert done.status == 1
    assert "Session 'live' is running.\n" in done.out
    assert "? [y/N] Session 'live' is running. Delete it all the same? [y/N] " in done.err
    assert left(sessions.path) == ALL
    assert sessions("delete", "live", typed="y\ny\n").status == 0
    assert left(sessions.path) == ALL - {"live"}


def test_one_unknown_id_and_nothing_goes(sessions: Commands) -> None:
    done = sessions("delete", "z", "nobody", "--yes")
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        f"hermes-tui: Session 'nobody' not found. `hermes-tui sessions list --db {sessions.path}` shows the ids.\n"
    )
    assert left(sessions.path) == ALL


def test_a_rehearsal_changes_nothing(sessions: Commands) -> None:
    sessions("trash", "list")
    before = files(sessions.path.parent)
    done = sessions("delete", "b", "--chain", "--with-subagents", "--dry-run")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "3 sessions and 1 subagent session: 4 messages, about 102 bytes\n"
        "  a  A\n"
        "  b  B\n"
        "  c  C\n"
        "  worker\n"
        "last active 2026-05-28 20:58\n"
        "1 branch or fresh start stays, without a parent\n"
        "A copy goes to the trash, where it can be restored from for 30 days.\n"
        "Dry run — nothing deleted.\n"
    )
    assert files(sessions.path.parent) == before


def test_the_lock_is_held_by_another(sessions: Commands) -> None:
    with other_process(sessions.path) as other:
        other.run("BEGIN IMMEDIATE")
        done = sessions("delete", "z", "--yes", policy=WritePolicy(budget=0.2, busy_wait=0.05))
        assert (done.status, done.out) == (3, "Nothing was deleted.\n")
        assert done.err == (
            "1 conversation not deleted.\n"
            f"hermes-tui: The database {sessions.path} is busy: another process holds it; try again in a moment.\n"
        )
        other.run("ROLLBACK")
    assert left(sessions.path) == ALL
    assert sessions("delete", "z", "--yes").status == 0


def test_ctrl_c_stops_between_two_conversations(sessions: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    # The token is cancelled as the handler of the signal does it, while the first one is being deleted.
    trash = SessionDB.trash_sessions

    def interrupted(db: SessionDB, *given: object, cancel: Cancel, **more: object) -> object:
        return trash(db, *given, cancel=cancel, **{**more, "progress": lambda done, total: cancel.cancel()})  # type: ignore[arg-type]

    monkeypatch.setattr(SessionDB, "trash_sessions", interrupted)
    done = sessions("delete", "a", "z", "live", "--yes")
    assert done.out == "Deleted session 'a'.\n"
    assert done.err.endswith(f" restore {step_of(sessions)}\n2 conversations not deleted.\n")
    assert done.status == 130
    assert left(sessions.path) == ALL - {"a"}


def test_a_hostile_title_and_id(build_v11: BuildV11, on_store: OnStore) -> None:
    sessions = on_store(
        build_v11(
            "INSERT INTO sessions(id,source,started_at) VALUES('e\x1b]0;pwned\x07[bold]\u202ee','cli',1);"
        )
    )
    done = sessions("delete", "e", typed="y\n")
    assert done.out.endswith("Deleted session 'e[bold]e'.\n")
    assert "Delete session 'e[bold]e' and all its messages? [y/N] " in done.err
    table = sessions("trash", "list").out
    assert "\x1b" not in table
    assert table.splitlines()[-1].endswith("e[bold]e")
