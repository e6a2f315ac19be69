"""`hermes-tui sessions trash list | restore | empty`."""

from __future__ import annotations

import pytest

from hermes_tui.cli.output import Output
from storage import SessionDB
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.stores import NOW, BuildV11

ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES('a1','cli',1780000000,'Alpha'),('a2','cli',1780000000,NULL),
('b','cli',1780000000,'Beta'||char(27)||'[2J[/]'),('c','cli',1780000000,NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;
"""


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    return on_store(build_v11(ROWS))


def delete(sessions: Commands, *ids: str) -> str:
    """Delete sessions, a minute after what was before; returns the step."""
    sessions.now += 60
    return str(sessions("delete", *ids, "--yes", "--json").json["step"])


def test_the_list(sessions: Commands) -> None:
    assert sessions("trash", "list").out == "The trash is empty.\n"
    assert sessions("trash", "list", "--json").json == {"steps": []}
    one, two = delete(sessions, "a1", "a2"), delete(sessions, "b")
    sizes = {path.stem: path.stat().st_size for path in (sessions.path.parent / "trash").iterdir()}
    sessions.now += 60
    lines = sessions("trash", "list").out.splitlines()
    assert lines[0] == "Step                         Deleted       Sessions Messages      Size  What"
    assert lines[1] == "─" * 110
    shown = {
        step: f"{size / 1000:,.1f} kB" if size > 999 else f"{size} bytes" for step, size in sizes.items()
    }
    assert lines[2:] == [
        f"{two}  1m ago               1        1 {shown[two]:>9}  Beta[/]",
        f"{one}  2m ago               2        2 {shown[one]:>9}  Alpha",
    ]
    assert sessions("trash", "list", "--json").json["steps"][1] == {
        "step": one,
        "deleted_at": NOW + 60,
        "conversations": 2,
        "sessions": ["a1", "a2"],
        "titles": ["Alpha"],
        "messages": 2,
        "bytes": sizes[one],
        "interrupted": False,
    }


def test_on_a_terminal_the_list_is_as_wide_as_the_terminal(
    sessions: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [delete(sessions, "a1", "a2"), delete(sessions, "b")]
    for columns in (120, 80, 60, 40):
        monkeypatch.setattr(Output, "columns", columns)
        lines = sessions("trash", "list").out.splitlines()
        assert max(map(len, lines)) <= columns
        assert [line.split()[0] for line in lines[2:]] == steps[::-1]
    assert [line.split()[1:] for line in lines[2:]] == [["Beta[/]"], ["Alpha"]]


def test_restore_by_the_beginning_of_the_step_and_of_an_id(sessions: Commands) -> None:
    before = sessions("export", "-").out
    step = delete(sessions, "a1", "a2", "b")
    assert sessions("trash", "restore", step[:20], "b", "--json").json == {
        "step": step,
        "sessions": ["b"],
        "messages": 1,
        "retitled": [],
        "skipped": [],
        "detached": [],
        "dry_run": False,
    }
    done = sessions("trash", "restore", step, "a")
    assert (done.status, done.err) == (3, f"hermes-tui: 'a' begins several of the sessions in {step}.\n")
    done = sessions("trash", "restore", step, "x")
    assert (done.status, done.err) == (3, f"hermes-tui: 'x' is none of the sessions in {step}.\n")
    assert sessions("trash", "restore", step).out == "Restored 2 sessions with 2 messages.\n"
    assert sessions("export", "-").out == before


def test_a_title_that_is_taken_by_now_comes_back_numbered(sessions: Commands) -> None:
    step = delete(sessions, "a1")
    sessions("rename", "c", "Alpha")
    assert sessions("trash", "restore", step).out == (
        "Restored 1 session with 1 message.\n"
        "Session 'a1' is called 'Alpha #2': another one is 'Alpha' by now.\n"
    )


def test_what_is_there_already_is_left_alone(sessions: Commands) -> None:
    step = delete(sessions, "a1", "a2")
    with SessionDB(sessions.path, migrate=False) as db:
        db.create_session("a1", "cli")
    assert sessions("trash", "restore", step, "--dry-run").out == (
        "Would restore 1 session.\n1 session skipped: there already, and left alone.\nDry run — nothing restored.\n"
    )
    assert sessions("trash", "restore", step).out == (
        "Restored 1 session with 1 message.\n1 session skipped: there already, and left alone.\n"
    )


@pytest.mark.parametrize("typed", ["", "nothing", "2030", "../state.db", "\x1b[2J"])
def test_a_step_that_is_not_there(sessions: Commands, typed: str) -> None:
    delete(sessions, "a1")
    done = sessions("trash", "restore", typed)
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith("hermes-tui: No deletion '")
    assert done.err.endswith(
        f"' in the trash. `hermes-tui sessions trash --db {sessions.path} list` shows what there is.\n"
    )


def test_a_beginning_of_several_steps(sessions: Commands) -> None:
    steps = [delete(sessions, "a1"), delete(sessions, "b")]
    done = sessions("trash", "restore", "2026")
    assert done.status == 3
    assert done.err == (
        f"hermes-tui: '2026' begins several deletions: {steps[1]}, {steps[0]}. Type more of it.\n"
    )


def test_emptying(sessions: Commands) -> None:
    one, two = delete(sessions, "a1", "a2"), delete(sessions, "b")
    before = files(sessions.path.parent)
    assert sessions("trash", "empty").status == 1
    assert sessions("trash", "empty", typed="n\n").status == 1
    assert "Would remove 2 deletions (3 sessions, " in sessions("trash", "empty", "--dry-run").out
    assert files(sessions.path.parent) == before
    done = sessions("trash", "empty", one, typed="y\n")
    assert done.out == "Removed 1 deletion from the trash.\n"
    assert done.err.startswith("Remove 1 deletion (2 sessions, ")
    assert done.err.endswith(") from the trash for good? [y/N] ")
    assert sessions("trash", "empty", "--yes", "--json").json == {
        "removed": 1,
        "steps": [two],
        "dry_run": False,
    }
    assert sessions("trash", "empty", "--yes").out == "The trash is empty.\n"
    assert list((sessions.path.parent / "trash").iterdir()) == []


def test_a_copy_that_is_damaged_is_said_to_be(sessions: Commands) -> None:
    step = delete(sessions, "a1")
    copy = sessions.path.parent / "trash" / f"{step}.jsonl"
    copy.write_bytes(copy.read_bytes()[:-40])
    done = sessions("trash", "restore", step)
    assert (done.status, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.startswith(f"hermes-tui: Nothing was restored: the copy {copy} cannot be read (")


def test_a_deletion_that_was_cut_off(sessions: Commands) -> None:
    step = delete(sessions, "a1")
    copy = sessions.path.parent / "trash" / f"{step}.jsonl"
    copy.rename(copy.with_suffix(".jsonl.pending"))
    assert sessions("trash", "list").out.splitlines()[-1].endswith("  Alpha (cut off)")
    assert sessions("delete", "b", "--yes").err.splitlines()[0] == (
        f"The deletion {step} was cut off; 1 session had gone by then, and can be restored."
    )
    assert not sessions("trash", "list").out.splitlines()[-1].endswith("(cut off)")
    assert sessions("trash", "restore", step).out == "Restored 1 session with 1 message.\n"


def test_no_store(sessions: Commands) -> None:
    step = delete(sessions, "a1")
    sessions.path.unlink()
    for words in (["list"], ["restore", step], ["empty", "--yes"]):
        done = sessions("trash", *words)
        assert (done.status, done.out) == (3, "")
        assert done.err.startswith(f"hermes-tui: No session store at {sessions.path}.")
