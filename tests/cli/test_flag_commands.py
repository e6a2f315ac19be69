"""`hermes-tui sessions archive | unarchive | pin | unpin`: by ids and by filters, for whole conversations."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB
from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, CopyStore

ROWS = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('root','cli',1780000000,1780000900,'compression','Docker',NULL),
('tip','cli',1780000901,1780001900,'x','Docker #2','root'),
('dead','cli',1780000901,1780001900,'agent_close',NULL,'root'),
('other','telegram',1780000000,1780000001,'x','Docker too',NULL),
('open','telegram',1780000000,NULL,NULL,'open docker',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','m',started_at FROM sessions;
"""
CHAIN = {"root", "tip", "dead"}


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    commands = on_store(build_v11(ROWS))
    assert commands("migrate", "--yes").status == 0
    return commands


def flagged(path: Path, column: str) -> set[str]:
    with SessionDB(path, read_only=True) as db:
        return {row["id"] for row in db.search_sessions(limit=-1) if row[column]}


@pytest.mark.parametrize(
    ("on", "off", "column", "said", "unsaid"),
    [
        (
            "archive",
            "unarchive",
            "archived",
            "Archived 3 session(s). They're hidden from listings but fully recoverable (nothing was deleted).\n",
            "Unarchived 1 conversation (3 sessions).\n",
        ),
        (
            "pin",
            "unpin",
            "pinned",
            "Pinned 1 conversation (3 sessions).\n",
            "Unpinned 1 conversation (3 sessions).\n",
        ),
    ],
)
@pytest.mark.parametrize("named", ["root", "tip", "dead", "roo"])
def test_any_part_stands_for_the_whole(
    sessions: Commands, on: str, off: str, column: str, said: str, unsaid: str, named: str
) -> None:
    done = sessions(on, named)
    assert (done.status, done.out, done.err) == (0, said, "")
    assert flagged(sessions.path, column) == CHAIN
    assert sessions(off, named).out == unsaid
    assert flagged(sessions.path, column) == set()


@pytest.mark.parametrize(
    ("verb", "again"),
    [
        ("archive", "1 conversation (3 sessions) was archived already."),
        ("unarchive", "1 conversation (3 sessions) was not archived."),
        ("pin", "1 conversation (3 sessions) was pinned already."),
        ("unpin", "1 conversation (3 sessions) was not pinned."),
    ],
)
def test_what_is_so_already_is_said_to_be(sessions: Commands, verb: str, again: str) -> None:
    sessions(verb, "root")
    assert sessions(verb, "tip", "--dry-run").out.splitlines()[0] == again
    done = sessions(verb, "tip")
    assert (done.status, done.out) == (0, f"{again}\n")
    answer = sessions(verb, "root", "--json").json
    assert (answer["sessions"], answer["already"]) == ([], ["root", "tip", "dead"])


def test_only_what_is_new_is_said_to_be_done(sessions: Commands) -> None:
    sessions("pin", "root")
    assert sessions("pin", "other", "root").out == (
        "Pinned 1 conversation.\n1 conversation (3 sessions) was pinned already.\n"
    )


def test_two_parts_of_one_are_one(sessions: Commands) -> None:
    answer = sessions("pin", "tip", "root", "open", "--json").json
    assert answer == {
        "sessions": ["root", "tip", "dead", "open"],
        "already": [],
        "conversations": 2,
        "pinned": True,
        "open_skipped": 0,
        "dry_run": False,
    }


def test_archive_by_filters_takes_what_has_ended(sessions: Commands) -> None:
    done = sessions("archive", "--title", "docker", typed="y\n")
    assert done.out == (
        "4 session(s) match (title contains 'docker'; oldest 2026-05-28 20:26, newest 2026-05-28 20:41):\n"
        "  other  2026-05-28 20:26  telegram                               0 msgs  Docker too\n"
        "  root  2026-05-28 20:41  cli                                    0 msgs  Docker\n"
        "  tip  2026-05-28 20:41  cli                                    0 msgs  Docker #2\n"
        "  dead  2026-05-28 20:41  cli                                    0 msgs\n"
        "1 open session skipped\n"
        "Archived 4 session(s). They're hidden from listings but fully recoverable (nothing was deleted).\n"
    )
    assert done.err == (
        "Archive these 4 session(s) (oldest 2026-05-28 20:26, newest 2026-05-28 20:41)? [y/N] "
    )
    assert flagged(sessions.path, "archived") == {*CHAIN, "other"}
    again = sessions("archive", "--title", "docker", "--yes")
    assert again.out == "No sessions match (title contains 'docker').\n1 open session skipped\n"
    assert sessions("unarchive", "--source", "telegram", "--yes").out.endswith(
        "\nUnarchived 1 conversation.\n"
    )
    assert flagged(sessions.path, "archived") == CHAIN


def test_pin_by_filters_takes_what_is_open_too(sessions: Commands) -> None:
    assert sessions("pin", "--source", "telegram", "--yes").out.endswith("\nPinned 2 conversations.\n")
    assert sessions("pin", "--title", "docker", "--yes").out.startswith("3 session(s) match (")
    assert sessions("unpin", "--source", "telegram", "--yes").out.endswith("\nUnpinned 2 conversations.\n")
    assert flagged(sessions.path, "pinned") == CHAIN


def test_the_source_may_stand_before_the_command(sessions: Commands) -> None:
    assert sessions("pin", "--yes", "--source", "telegram").status == 0
    assert flagged(sessions.path, "pinned") == {"other", "open"}


@pytest.mark.parametrize(
    ("verb", "every"),
    [
        ("archive", "archive every ended session"),
        ("unarchive", "unarchive every archived session"),
        ("pin", "pin every session"),
        ("unpin", "unpin every pinned session"),
    ],
)
def test_nothing_is_chosen(sessions: Commands, verb: str, every: str) -> None:
    done = sessions(verb, "--yes")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        f"hermes-tui: Refusing to {every}: pass at least one filter"
        " (e.g. --newer-than 5h, --source cli, --title codex).\n"
    )


def test_ids_or_filters(sessions: Commands) -> None:
    done = sessions("archive", "root", "--source", "cli")
    assert (done.status, done.err) == (
        2,
        "hermes-tui: Ids and filters cannot be mixed: give the one or the other.\n",
    )


def test_rehearsals_change_nothing(sessions: Commands) -> None:
    before = files(sessions.path.parent)
    assert sessions("pin", "tip", "--dry-run").out == (
        "Would pin 1 conversation (3 sessions).\nDry run — nothing pinned.\n"
    )
    rehearsed = sessions("archive", "--source", "cli", "--dry-run").out
    assert rehearsed.endswith("\nDry run — nothing archived.\n")
    answer = sessions("archive", "--source", "cli", "--dry-run", "--json").json
    assert (set(answer["sessions"]), answer["dry_run"]) == (CHAIN, True)
    assert sessions("archive", "--source", "cli", typed="n\n").status == 1
    assert files(sessions.path.parent) == before


@pytest.mark.parametrize("words", [["--dry-run"], []])
@pytest.mark.parametrize(
    ("name", "verb"), [("state-v22-0.19.0.db", "pin"), ("state-v11-0.13.0.db", "archive")]
)
def test_a_store_that_is_too_old(
    copy_store: CopyStore, on_store: OnStore, name: str, verb: str, words: list[str]
) -> None:
    sessions = on_store(copy_store(name))
    done = sessions(verb, "20261107_120000_aaaa01", *words)
    assert (done.status, done.out) == (3, "")
    column = {"pin": "pinned", "archive": "archived"}[verb]
    assert done.err == (
        f"hermes-tui: Nothing was written: this store is too old to hold sessions.{column};"
        f" `hermes-tui sessions migrate --db {sessions.path}` brings it up to date.\n"
    )


def test_one_goes_while_it_is_asked_about(sessions: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    pin = SessionDB.set_session_pinned

    def pinned_too_late(db: SessionDB, session_id: str, value: bool) -> bool:
        with other_process(sessions.path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'other'")
            other.run("DELETE FROM sessions WHERE id = 'other'")
        return pin(db, session_id, value)

    monkeypatch.setattr(SessionDB, "set_session_pinned", pinned_too_late)
    answer = sessions("pin", "other", "open", "--json").json
    assert (answer["sessions"], answer["conversations"]) == (["open"], 1)
