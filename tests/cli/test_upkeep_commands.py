"""`hermes-tui sessions migrate | optimize | optimize-storage`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from storage import SessionDB, WritePolicy
from tests.cli.conftest import OnStore
from tests.support.behind import script
from tests.support.commands import files
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, CopyStore

OLD = "Hermes 0.13 to 0.19 go on working with it."
IMPATIENT = WritePolicy(budget=0.2, busy_wait=0.05)


@pytest.mark.parametrize(
    ("name", "before"),
    [("state-v1.db", 1), ("state-v6.db", 6), ("state-v11-0.13.0.db", 11), ("state-v22-0.19.0.db", 22),
     ("state-v22-delete-journal.db", 22)],
)  # fmt: skip
def test_from_to_and_how_long(copy_store: CopyStore, on_store: OnStore, name: str, before: int) -> None:
    sessions = on_store(copy_store(name))
    untouched = files(sessions.path.parent)
    done = sessions("migrate", "--dry-run")
    assert done.out == (
        f"Would bring {sessions.path} from schema version {before} to 23. {OLD}\nDry run — nothing migrated.\n"
    )
    assert files(sessions.path.parent) == untouched
    done = sessions("migrate", "--yes")
    assert done.status == 0
    assert done.err == f"{sessions.path}: schema version {before} → 23\n"
    assert re.fullmatch(rf"Migrated from schema version {before} to 23 in \d+\.\d s\. {OLD}\n", done.out)
    with SessionDB(sessions.path, read_only=True) as db:
        assert (db.info().version, db.info().sessions) == (23, 41)
    again = sessions("migrate", typed="")
    assert (again.status, again.out, again.err) == (
        0,
        f"{sessions.path} is at schema version 23. {OLD}\n",
        "",
    )


def test_migrate_asks_first_for_nothing_brings_the_old_version_back(
    copy_store: CopyStore, on_store: OnStore
) -> None:
    sessions = on_store(copy_store("state-v22-0.19.0.db"))
    before = sessions.path.read_bytes()
    question = f"Bring {sessions.path} from schema version 22 to 23? {OLD} There is no way back. [y/N] "
    done = sessions("migrate", typed="n\n")
    assert (done.status, done.out, done.err) == (1, "", f"{question}\x1b[2mCancelled.\x1b[0m\n")
    done = sessions("migrate")
    assert (done.status, done.out, done.err) == (
        1,
        "",
        "hermes-tui: Nothing was migrated: there is no terminal to ask on; add --yes to go ahead without a question.\n",
    )
    assert sessions.path.read_bytes() == before
    assert sessions("migrate", typed="y\n").status == 0
    with SessionDB(sessions.path, read_only=True) as db:
        assert db.info().version == 23


def test_migrate_json(copy_store: CopyStore, on_store: OnStore) -> None:
    sessions = on_store(copy_store("state-v6.db"))
    assert sessions("migrate", "--dry-run", "--json").json == {
        "from": 6,
        "to": 23,
        "seconds": None,
        "dry_run": True,
    }
    answer = sessions("migrate", "--yes", "--json").json
    assert answer.pop("seconds") >= 0
    assert answer == {"from": 6, "to": 23, "dry_run": False}


def test_an_index_that_was_left_half_built_is_completed(copy_store: CopyStore, on_store: OnStore) -> None:
    sessions = on_store(copy_store("state-v23-rebuilding.db"))
    assert sessions("migrate", "--dry-run").out == (
        f"{sessions.path} is at schema version 23 already; an index that is not complete would be completed.\n"
        "Dry run — nothing migrated.\n"
    )
    assert sessions("migrate").status == 0
    with SessionDB(sessions.path, read_only=True) as db:
        assert db.info().notes == ()


@pytest.mark.parametrize("words", [[], ["--dry-run"]])
def test_a_newer_store_is_left_to_its_own_hermes(
    copy_store: CopyStore, on_store: OnStore, words: list[str]
) -> None:
    sessions = on_store(copy_store("state-v23.db"))
    script(sessions.path, "UPDATE schema_version SET version = 30")
    done = sessions("migrate", *words)
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        f"hermes-tui: Nothing was changed: {sessions.path} has schema version 30; its own Hermes must do this.\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["migrate"],
        ["migrate", "--dry-run"],
        ["optimize"],
        ["optimize-storage"],
        ["pin", "20261107_120000_aaaa01"],
    ],
)
def test_a_fenced_store_is_left_to_its_own_hermes(
    copy_store: CopyStore, on_store: OnStore, words: list[str]
) -> None:
    sessions = on_store(copy_store("state-v23-legacyfts.db"))
    script(
        sessions.path,
        "CREATE TRIGGER hermes_turn_fence_sessions BEFORE INSERT ON sessions"
        " BEGIN SELECT hermes_turn_fence_generation(); END",
    )
    before = sessions.path.read_bytes()
    done = sessions(*words)
    assert (done.status, done.out) == (3, "")
    assert done.err == (
        f"hermes-tui: Nothing was written: {sessions.path} cannot be written here"
        " (the Hermes that fenced it lets nobody else write to it).\n"
    )
    assert sessions.path.read_bytes() == before


def test_no_store(on_store: OnStore, tmp_path: Path) -> None:
    sessions = on_store(tmp_path / "state.db")
    for command in ("migrate", "optimize", "optimize-storage"):
        done = sessions(command)
        assert (done.status, done.out) == (3, "")
        assert done.err.startswith(f"hermes-tui: No session store at {sessions.path}. ")
    assert list(tmp_path.iterdir()) == []


def test_the_lock_is_held_by_another(copy_store: CopyStore, on_store: OnStore) -> None:
    sessions = on_store(copy_store("state-v11-0.13.0.db"))
    busy = f"hermes-tui: The database {sessions.path} is busy: another process holds it; try again in a moment.\n"
    with other_process(sessions.path) as other:
        other.run("BEGIN IMMEDIATE")
        for command in ("migrate", "optimize", "optimize-storage"):
            done = sessions(command, "--yes", policy=IMPATIENT)
            assert (done.status, done.out) == (3, "")
            assert done.err.endswith(busy)
        other.run("ROLLBACK")
    assert sessions("migrate", "--yes", "--json").json["from"] == 11


def test_optimize(build_v11: BuildV11, on_store: OnStore) -> None:
    sessions = on_store(
        build_v11(
            "INSERT INTO sessions(id,source,started_at) VALUES('s','cli',1);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
            " INSERT INTO messages(session_id,role,content,timestamp)"
            " SELECT 's','user',hex(randomblob(2000)),1 FROM n; DELETE FROM messages;"
        )
    )
    before = sessions.path.stat().st_size
    assert sessions("optimize", "--dry-run").out == (
        f"Would merge the search indexes and write {sessions.path} anew ({before / 2**20:.1f} MB).\n"
        "Dry run — nothing changed.\n"
    )
    assert sessions.path.stat().st_size == before
    done = sessions("optimize")
    after = sessions.path.stat().st_size
    assert after < before / 4
    reclaimed = f"{(before - after) / 2**20:.1f}"
    assert (done.status, done.out) == (
        0,
        "Optimized 2 FTS index(es).\n"
        f"Database size: {before / 2**20:.1f} MB -> {after / 2**20:.1f} MB (reclaimed {reclaimed} MB)\n",
    )
    assert sessions("optimize", "--json").json == {
        "indexes": 2,
        "before": after,
        "after": after,
        "dry_run": False,
    }


def test_optimize_storage(copy_store: CopyStore, on_store: OnStore) -> None:
    sessions = on_store(copy_store("state-v23-legacyfts.db"))
    before = sessions.path.read_bytes()
    assert sessions("optimize-storage", "--dry-run").out == (
        f"Would move the search index of {sessions.path} to the compact layout, if it is not there.\n"
        "Dry run — nothing changed.\n"
    )
    assert sessions.path.read_bytes() == before
    done = sessions("optimize-storage")
    assert done.status == 0
    assert done.out.startswith("Moved the search index to the compact layout.\nDatabase size: 0.4 MB -> ")
    with SessionDB(sessions.path, read_only=True) as db:
        assert db.info().layout == "external content"
    again = sessions("optimize-storage")
    assert (again.status, again.out) == (
        0,
        "Search index is already on the compact layout — nothing to do.\n",
    )


def test_the_freed_space_can_stay(copy_store: CopyStore, on_store: OnStore) -> None:
    sessions = on_store(copy_store("state-v23-legacyfts.db"))
    answer = sessions("optimize-storage", "--no-vacuum", "--json").json
    assert answer["changed"] is True
    assert answer["after"] >= answer["before"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("optimize",), ["Merging the search indexes …", "Writing the file anew …"]),
        (("optimize-storage",), ["Writing the file anew …"]),
        (("optimize-storage", "--no-vacuum"), ["Removing the old index …"]),
    ],
)
def test_a_person_sees_what_is_being_done(
    copy_store: CopyStore, on_store: OnStore, words: tuple[str, ...], said: list[str]
) -> None:
    done = on_store(copy_store("state-v22-0.19.0.db"))(*words, watched=True)
    assert done.err.split("\r\x1b[K") == ["", *said, ""]
    assert "\r" not in on_store(copy_store("state-v22-0.19.0.db"))(*words).err
