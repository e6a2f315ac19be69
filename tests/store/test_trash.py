"""Deleting with a way back: what goes, what is said of it, and what taking it back makes of a store that went on."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from storage import Cancel, DeletePreview, Deletion, Restored, SessionDB, UnknownStep
from storage.locations import trash_dir
from tests.support.clock import Clock
from tests.support.raw import raw_rows
from tests.support.stores import NOW


def family(db: SessionDB, clock: Clock) -> None:
    """A chain of three with a branch, a fresh start, a subagent and its own, and one that stands alone."""
    for number, (id_, parent, source, config) in enumerate(
        [
            ("one", None, "cli", None),
            ("two", "one", "cli", None),
            ("three", "two", "cli", None),
            ("branch", "two", "cli", {"_branched_from": "two"}),
            ("fresh", "two", "cli", {"_reset_from": "two"}),
            ("worker", "three", "cli", None),
            ("helper", "worker", "subagent", None),
            ("alone", None, "telegram", None),
        ]
    ):
        clock.now = NOW + number
        db.create_session(id_, source, parent_session_id=parent, model_config=config)
        db.append_message(id_, "user", f"word{id_}")
    for id_ in ("one", "two"):
        db.end_session(id_, "compression")
    for id_ in ("branch", "fresh", "worker", "helper", "alone"):
        db.end_session(id_, "user_exit")
    db.set_session_title("three", "talk")


@pytest.fixture
def kin(db: SessionDB, clock: Clock) -> SessionDB:
    family(db, clock)
    return db


CHAIN = ("one", "two", "three")


def test_the_preview_names_all_that_goes_and_all_that_stays(kin: SessionDB) -> None:
    everything = kin.preview_delete([CHAIN, ["alone", "nobody"]])
    assert everything == DeletePreview(
        conversations=2,
        sessions=("one", "two", "three", "alone", "worker", "helper"),
        parts=4,
        subagents=2,
        messages=6,
        size=everything.size,
        oldest=NOW + 2,
        newest=NOW + 7,
        running=("three",),
        branches=2,
        continuations=0,
        missing=("nobody",),
    )
    assert 6 * len("wordone") < everything.size < 2_000
    part = kin.preview_delete([["two"]], with_subagents=False)
    assert (part.sessions, part.continuations, part.branches) == (("two",), 2, 2)
    assert (part.oldest, part.newest, part.running) == (NOW + 1, NOW + 1, ())


@pytest.mark.parametrize(
    ("part", "later"),
    [(["one"], 1), (["two"], 1), (["three"], 0), (["one", "two"], 1), (["one", "three"], 1)],
)
def test_the_preview_tells_what_loses_the_part_before_it(kin: SessionDB, part: list[str], later: int) -> None:
    preview = kin.preview_delete([part])
    assert (preview.continuations, preview.later) == (3 - len(part), later)


def test_what_has_been_quiet_for_ten_minutes_is_not_running(kin: SessionDB, clock: Clock) -> None:
    clock.now = NOW + 2 + 600
    assert kin.preview_delete([CHAIN]).running == ("three",)
    clock.now += 1
    assert kin.preview_delete([CHAIN]).running == ()
    # What claims to be of another century says nothing.
    kin.append_message("three", "user", "late", timestamp=9e12)
    assert kin.preview_delete([CHAIN]).running == ()


def test_previews_and_lists_write_nothing(kin: SessionDB) -> None:
    kin.preview_delete([CHAIN])
    assert (kin.list_trash(), kin.interrupted_deletions()) == ((), ())
    assert not trash_dir(kin.path).exists()


def test_deleting_and_taking_back(kin: SessionDB) -> None:
    before = raw_rows(kin.path)
    deletion = kin.trash_sessions([CHAIN])
    assert deletion == Deletion(
        step=deletion.step,
        conversations=1,
        deleted=("one", "two", "three", "worker", "helper"),
        messages=5,
    )
    left = {row["id"]: row["parent_session_id"] for row in kin.search_sessions()}
    assert left == {"branch": None, "fresh": None, "alone": None}
    assert kin.search_messages("wordtwo") == []
    (step,) = kin.list_trash()
    assert (step.step, step.deleted_at, step.conversations) == (deletion.step, NOW + 7, 1)
    assert (step.sessions, step.titles, step.messages) == (deletion.deleted, ("talk",), 5)
    assert (step.interrupted, step.size) == (
        False,
        (trash_dir(kin.path) / f"{step.step}.jsonl").stat().st_size,
    )

    restored = kin.restore_trash(deletion.step)
    assert restored == Restored(sessions=deletion.deleted, messages=5)
    assert raw_rows(kin.path) == before
    assert [hit["session_id"] for hit in kin.search_messages("wordtwo")] == ["two"]
    assert kin.list_trash() == ()
    with pytest.raises(UnknownStep):
        kin.restore_trash(deletion.step)


def test_subagents_that_stay_stay_hidden(kin: SessionDB) -> None:
    deletion = kin.trash_sessions([CHAIN], with_subagents=False)
    assert deletion.deleted == CHAIN
    worker = kin.get_session("worker")
    assert worker is not None
    assert (worker["parent_session_id"], worker["model_config"]) == (None, '{"_delegate_from": "three"}')
    # What somebody has done to it meanwhile stays.
    kin.write(lambda within: within.change("UPDATE sessions SET model_config = '{}' WHERE id = 'worker'"))
    kin.write(
        lambda within: within.change("UPDATE sessions SET parent_session_id = 'alone' WHERE id = 'fresh'")
    )
    kin.restore_trash(deletion.step)
    parents = {row["id"]: (row["parent_session_id"], row["model_config"]) for row in kin.search_sessions()}
    assert parents["worker"] == ("three", "{}")
    assert parents["fresh"][0] == "alone"
    assert parents["branch"][0] == "two"


def test_a_subagent_that_is_back_before_its_parent_is_hidden(kin: SessionDB) -> None:
    before = raw_rows(kin.path)
    first = kin.trash_sessions([["worker"]], with_subagents=False)
    second = kin.trash_sessions([["three"]])
    assert kin.restore_trash(first.step).detached == ("worker",)
    worker = kin.get_session("worker")
    assert worker is not None
    assert (worker["parent_session_id"], worker["model_config"]) == (None, '{"_delegate_from": "three"}')
    kin.restore_trash(second.step)
    assert raw_rows(kin.path) == before


def test_the_files_are_private(kin: SessionDB) -> None:
    step = kin.trash_sessions([["alone"]]).step
    directory = kin.path.parent / "trash"
    assert trash_dir(kin.path) == directory
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert [path.name for path in directory.iterdir()] == [f"{step}.jsonl"]
    assert stat.S_IMODE((directory / f"{step}.jsonl").stat().st_mode) == 0o600


def test_another_file_has_its_trash_beside_it(tmp_path: Path) -> None:
    with SessionDB(tmp_path / "copy.db") as db:
        db.create_session("a", "cli")
        db.trash_sessions([["a"]])
        assert len(db.list_trash()) == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["copy.db.trash"]


def test_without_a_copy_nothing_brings_it_back(kin: SessionDB) -> None:
    deletion = kin.trash_sessions([["alone"], ["gone"], CHAIN], keep_copy=False)
    assert (deletion.step, deletion.messages, deletion.missing) == ("", 6, ("gone",))
    assert deletion.deleted == ("alone", "one", "two", "three", "worker", "helper")
    assert not trash_dir(kin.path).exists()


def test_many_are_one_step_and_told_one_by_one(kin: SessionDB) -> None:
    told: list[tuple[int, int]] = []
    deletion = kin.trash_sessions(
        [["alone"], ["gone"], [], CHAIN], progress=lambda done, of: told.append((done, of))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert (deletion.conversations, deletion.missing, deletion.left) == (2, ("gone",), 0)
    assert [one.conversations for one in kin.list_trash()] == [2]


def test_cancelled_between_two_conversations(kin: SessionDB) -> None:
    cancel = Cancel()
    deletion = kin.trash_sessions(
        [["alone"], CHAIN, ["branch"]], progress=lambda done, of: cancel.cancel(), cancel=cancel
    )
    assert (deletion.cancelled, deletion.deleted, deletion.left) == (True, ("alone",), 2)
    assert kin.restore_trash(deletion.step).sessions == ("alone",)


def test_a_part_of_it_comes_back_and_the_rest_can(kin: SessionDB) -> None:
    before = raw_rows(kin.path)
    step = kin.trash_sessions([CHAIN, ["alone"]]).step
    assert kin.restore_trash(step, ["two", "nobody"]) == Restored(("two",), 1, detached=("two",))
    assert [one.sessions for one in kin.list_trash()] == [("one", "three", "worker", "helper", "alone")]
    assert kin.restore_trash(step).skipped == ()
    assert raw_rows(kin.path) == before
    assert kin.list_trash() == ()


def test_a_title_that_was_taken_meanwhile(kin: SessionDB) -> None:
    step = kin.trash_sessions([["three"]]).step
    kin.set_session_title("alone", "talk")
    assert kin.restore_trash(step).retitled == (("three", "talk", "talk #2"),)
    assert [kin.get_session_title(one) for one in ("alone", "three")] == ["talk", "talk #2"]


def test_a_session_that_is_there_again_stays_and_its_copy_too(kin: SessionDB) -> None:
    step = kin.trash_sessions([["alone"], ["branch"]]).step
    kin.create_session("alone", "cli")
    assert kin.restore_trash(step) == Restored(("branch",), 1, skipped=("alone",))
    assert kin.message_count("alone") == 0
    assert [one.sessions for one in kin.list_trash()] == [("alone",)]
    kin.delete_session("alone")
    assert kin.restore_trash(step).messages == 1
    assert [hit["session_id"] for hit in kin.search_messages("wordalone")] == ["alone"]


def test_a_parent_that_is_gone_for_good(kin: SessionDB) -> None:
    step = kin.trash_sessions([["branch"]]).step
    kin.delete_session("two")
    assert kin.restore_trash(step).detached == ("branch",)
    branch = kin.get_session("branch")
    assert branch is not None
    assert branch["parent_session_id"] is None
    assert kin.reader.rows("PRAGMA foreign_key_check") == []


def test_message_ids_that_are_taken_get_new_ones(kin: SessionDB) -> None:
    ids = [message["id"] for message in kin.get_messages("alone")]
    step = kin.trash_sessions([["alone"]]).step
    kin.write(
        lambda within: within.insert(
            "messages", {"id": ids[0], "session_id": "one", "role": "user", "content": "mine", "timestamp": 1}
        ),
        touches_messages=True,
    )
    assert kin.restore_trash(step).messages == 1
    assert [message["id"] for message in kin.get_messages("alone")] > ids
    assert [hit["session_id"] for hit in kin.search_messages("wordalone")] == ["alone"]
    assert [message["content"] for message in kin.get_messages("one")] == ["wordone", "mine"]


# --- how long copies are kept


def test_thirty_days(kin: SessionDB, clock: Clock) -> None:
    old = kin.trash_sessions([["alone"]]).step
    clock.now += 30 * 86_400
    assert kin.trash_sessions([["nobody"]]).failed is None
    new = kin.trash_sessions([["branch"]]).step
    assert [one.step for one in kin.list_trash()] == [new, old]
    clock.now += 1
    # Looking, finding nothing and restoring take nothing away.
    kin.list_trash()
    kin.trash_sessions([["nobody"]])
    kin.restore_trash(new)
    assert [one.step for one in kin.list_trash()] == [old]
    kin.trash_sessions([["branch"]])
    assert old not in [one.step for one in kin.list_trash()]


def test_of_two_steps_at_one_time_the_later_is_the_newer(kin: SessionDB) -> None:
    made = [kin.trash_sessions([[id_]]).step for id_ in ("alone", "branch", "fresh")]
    assert [one.step for one in kin.list_trash()] == made[::-1]
    assert kin.list_trash()[0].deleted_at == pytest.approx(NOW + 7, abs=0.01)


def test_emptying(kin: SessionDB) -> None:
    first, second, _ = (kin.trash_sessions([[id_]]).step for id_ in ("alone", "branch", "fresh"))
    beside = trash_dir(kin.path) / "notes.jsonl"
    beside.write_text("mine")
    assert kin.empty_trash(second) == 1
    with pytest.raises(UnknownStep):
        kin.empty_trash(second)
    assert first in [one.step for one in kin.list_trash()]
    assert kin.empty_trash() == 2
    assert (kin.list_trash(), kin.empty_trash()) == ((), 0)
    assert [path.name for path in trash_dir(kin.path).iterdir()] == [beside.name]


@pytest.mark.parametrize("step", ["", "nothing", "../trash/x", "20260101T000000000-00000000"])
def test_a_step_that_is_not_there(kin: SessionDB, step: str) -> None:
    kin.trash_sessions([["alone"]])
    for refused in (kin.restore_trash, kin.empty_trash):
        with pytest.raises(UnknownStep):
            refused(step)
    assert len(kin.list_trash()) == 1


def test_a_copy_from_another_stores_trash(kin: SessionDB, tmp_path: Path) -> None:
    step = kin.trash_sessions([["alone"]]).step
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert other.list_trash() == ()
        place = trash_dir(other.path)
        place.mkdir()
        (trash_dir(kin.path) / f"{step}.jsonl").rename(place / f"{step}.jsonl")
        assert other.restore_trash(step).sessions == ("alone",)
        assert other.message_count("alone") == 1
    assert kin.list_trash() == ()
