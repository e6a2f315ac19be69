"""What a prune takes and what it spares; the automatic one; the room given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB
from storage.engine import upkeep
from storage.errors import BadFilter, StoreBusy, StoreError
from storage.keeping import retention, selection
from storage.readings import PrunePreview
from tests.support.clock import Clock
from tests.support.stores import NOW, BuildV11, CopyStore

DAY = 86400


def add(
    db: SessionDB,
    session: str,
    *,
    age: float = 100,
    ended: bool = True,
    parent: str | None = None,
    **row: Any,
) -> None:
    """A session that was started and spoke last so many days ago."""
    given = {"started_at": NOW - age * DAY, "ended_at": NOW if ended else None, **row}
    db.create_session(session, "cli", parent_session_id=parent)
    db.append_message(session, "user", f"word{session}", timestamp=given["started_at"])
    columns = ", ".join(f"{name} = ?" for name in given)
    db.write(
        lambda within: within.change(
            f"UPDATE sessions SET {columns} WHERE id = ?", (*given.values(), session)
        )
    )


def left(db: SessionDB) -> list[str]:
    return sorted(row["id"] for row in db.search_sessions(limit=-1))


def test_the_age_is_that_of_the_last_activity(db: SessionDB) -> None:
    add(db, "old")
    add(db, "spoke lately")
    db.append_message("spoke lately", "user", "x", timestamp=NOW - 5 * DAY)
    add(db, "open", ended=False)
    add(db, "young", age=10)
    db.create_session("silent", "cli")
    db.write(
        lambda within: within.change("UPDATE sessions SET started_at = 1, ended_at = 2 WHERE id = 'silent'")
    )
    assert db.prune_sessions() == 2
    assert left(db) == ["open", "spoke lately", "young"]
    assert db.search_messages("wordold") == []
    assert db.prune_sessions(older_than_days=7) == 1
    assert db.prune_sessions(older_than_days=None) == 1
    assert left(db) == ["open"]


def test_a_time_that_cannot_be_read_is_no_age(build_v11: BuildV11) -> None:
    path = build_v11("INSERT INTO sessions(id,source,started_at,ended_at) VALUES('s','cli','not-a-time',5);")
    with SessionDB(path, clock=lambda: NOW) as db:
        assert db.prune_sessions(older_than_days=0) == 0
        assert db.prune_sessions(older_than_days=None) == 1


FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["a", "b"]),
    ({"source": "telegram"}, ["b"]),
    ({"title_like": "DOCK"}, ["a"]),
    ({"title_like": "%"}, []),
    ({"model_like": "opus"}, ["a"]),
    ({"branch_like": "feature"}, ["b"]),
    ({"end_reason": "cli_close"}, ["a"]),
    ({"cwd_prefix": "/work/"}, ["a"]),
    ({"cwd_prefix": "/work/one"}, ["a"]),
    ({"cwd_prefix": "/wor"}, []),
    ({"provider": "OpenRouter"}, ["b"]),
    ({"user_id": "u"}, ["a"]),
    ({"chat_id": "c"}, ["b"]),
    ({"chat_type": "dm"}, ["b"]),
    ({"min_messages": 1}, ["a", "b"]),
    ({"min_messages": 2}, ["b"]),
    ({"max_messages": 1}, ["a"]),
    ({"min_tool_calls": 3}, ["a"]),
    ({"max_tool_calls": 2}, ["b"]),
    ({"min_tokens": 30}, ["a"]),
    ({"max_tokens": 29}, ["b"]),
    ({"min_cost": 0.5}, ["a"]),
    ({"max_cost": 0.4}, ["b"]),
    ({"started_before": NOW - 100 * DAY}, ["a"]),
    ({"started_after": NOW - 100 * DAY}, ["b"]),
    ({"archived": True}, ["b"]),
    ({"archived": False}, ["a"]),
    ({"source": "cli", "archived": True}, []),
    ({"include_pinned": True}, ["a", "b", "pinned"]),
    ({"pinned": True}, ["pinned"]),
    ({"pinned": False, "include_pinned": True}, ["a", "b"]),
    ({"active_before": NOW - 100 * DAY}, ["a"]),
    ({"active_after": NOW - 100 * DAY}, ["b"]),
]


@pytest.mark.parametrize(("filters", "chosen"), FILTERS, ids=[str(case[0]) for case in FILTERS])
def test_filters(db: SessionDB, filters: dict[str, Any], chosen: list[str]) -> None:
    facts: dict[str, Any] = {
        "model": "opus-5",
        "title": "Docker",
        "cwd": "/work/one",
        "end_reason": "cli_close",
        "user_id": "u",
    }
    add(
        db,
        "a",
        age=101,
        tool_call_count=3,
        input_tokens=10,
        output_tokens=20,
        estimated_cost_usd=0.5,
        **facts,
    )
    peer: dict[str, Any] = {
        "source": "telegram",
        "chat_id": "c",
        "chat_type": "dm",
        "git_branch": "my-feature",
    }
    add(
        db,
        "b",
        message_count=2,
        billing_provider="openrouter",
        estimated_cost_usd=9,
        actual_cost_usd=0.25,
        **peer,
    )
    db.set_session_archived("b", True)
    add(db, "pinned", pinned=1, model="opus", message_count=0, input_tokens="many")
    candidates = db.list_prune_candidates(older_than_days=90, **filters)
    assert sorted(row["id"] for row in candidates) == chosen
    assert db.prune_sessions(90, **filters) == len(chosen)
    assert left(db) == sorted({"a", "b", "pinned"} - set(chosen))


def test_open_ones_are_listed_on_request(db: SessionDB) -> None:
    add(db, "ended")
    add(db, "open", ended=False)
    add(db, "root", end_reason="compression")
    add(db, "tip", parent="root", ended=False)
    assert [row["id"] for row in db.list_prune_candidates()] == ["ended"]
    listed = [(row["id"], row["conversation"]) for row in db.list_prune_candidates(include_open=True)]
    assert sorted(listed) == [("ended", "ended"), ("open", "open"), ("root", "tip"), ("tip", "tip")]


def test_what_is_said_of_a_candidate(db: SessionDB) -> None:
    add(db, "root", age=101, end_reason="compression")
    add(db, "tip", age=100, parent="root", title="t", model="m")
    add(db, "older", age=200)
    rows = db.list_prune_candidates(older_than_days=90)
    assert [(row["id"], row["conversation"], row["last_active"]) for row in rows] == [
        ("older", "older", NOW - 200 * DAY),
        ("root", "tip", NOW - 100 * DAY),
        ("tip", "tip", NOW - 100 * DAY),
    ]
    assert rows[2] == {
        "id": "tip",
        "source": "cli",
        "model": "m",
        "title": "t",
        "started_at": NOW - 100 * DAY,
        "ended_at": NOW,
        "message_count": 1,
        "archived": 0,
        "last_active": NOW - 100 * DAY,
        "conversation": "tip",
    }


def test_a_chain_is_filtered_as_one(db: SessionDB) -> None:
    add(db, "root", end_reason="compression", title="first", message_count=30)
    add(db, "tip", parent="root", title="second", message_count=30)
    assert db.preview_prune(90, title_like="first").conversations == 0
    assert db.preview_prune(90, min_messages=61).conversations == 0
    assert db.preview_prune(90, title_like="second", min_messages=60) == PrunePreview(
        session_ids=("root", "tip"),
        conversations=1,
        oldest=NOW - 100 * DAY,
        newest=NOW - 100 * DAY,
        open_conversations=0,
    )
    assert db.prune_sessions(90, title_like="second") == 2


def test_a_preview_of_nothing(db: SessionDB) -> None:
    assert db.preview_prune() == PrunePreview((), 0, None, None, 0)


def test_children_stay(db: SessionDB) -> None:
    add(db, "boss")
    add(db, "worker", age=1, parent="boss")
    assert db.prune_sessions() == 1
    worker = db.get_session("worker")
    assert worker is not None
    assert (worker["parent_session_id"], worker["model_config"]) == (None, '{"_delegate_from": "boss"}')


def test_many_go_in_several_steps(db: SessionDB, tmp_path: Path) -> None:
    for place in range(120):
        add(db, f"s{place}")
    (tmp_path / "s7.json").touch()
    assert db.prune_sessions(sessions_dir=tmp_path) == 120
    assert left(db) == []
    assert not (tmp_path / "s7.json").exists()


def test_what_came_to_life_meanwhile_stays(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("dead", "reopened", "spoke", "continued"):
        add(db, name, end_reason="compression" if name == "continued" else None)

    def slowly(*arguments: Any) -> Any:
        selected = selection.select(*arguments)
        with SessionDB(db.path, migrate=False, clock=lambda: NOW) as another:
            another.reopen_session("reopened")
            another.append_message("spoke", "user", "again")
            another.create_session("goes on", "cli", parent_session_id="continued")
        return selected

    monkeypatch.setattr(retention, "select", slowly)
    assert db.prune_sessions() == 1
    assert left(db) == ["continued", "goes on", "reopened", "spoke"]


@pytest.mark.parametrize(
    ("days", "filters", "why"),
    [
        (-1, {}, "older_than_days must be a number of days, 0 or more, not -1"),
        (float("nan"), {}, "older_than_days must be a number of days, 0 or more, not nan"),
        ("90", {}, "older_than_days must be a number of days, 0 or more, not '90'"),
        (90, {"colour": "red"}, "there is no filter named 'colour'"),
        (90, {"title_like": 5}, "title_like cannot be 5"),
        (90, {"min_messages": "2"}, "min_messages cannot be '2'"),
        (90, {"archived": "no"}, "archived cannot be 'no'"),
    ],
)
def test_a_filter_that_means_nothing_deletes_nothing(
    db: SessionDB, days: Any, filters: dict[str, Any], why: str
) -> None:
    add(db, "old")
    for ask in (db.prune_sessions, db.list_prune_candidates, db.preview_prune, db.archive_sessions):
        with pytest.raises(BadFilter) as error:
            ask(days, **filters)
        assert str(error.value) == f"Nothing was selected: {why}."
        assert isinstance(error.value, ValueError)
    assert left(db) == ["old"]


def test_archived_instead(db: SessionDB) -> None:
    add(db, "root", end_reason="compression")
    add(db, "tip", parent="root")
    add(db, "young", age=1)
    add(db, "open", ended=False)
    assert db.archive_sessions(90) == 2
    assert sorted(row["id"] for row in db.search_sessions() if row["archived"]) == ["root", "tip"]
    assert db.archive_sessions(90) == 0
    assert db.archive_sessions(90, archived=True) == 2
    assert db.archive_sessions(0, title_like="nobody's") == 0


# --- on its own


def test_it_runs_once_a_day_for_everybody(db: SessionDB, clock: Clock) -> None:
    add(db, "old")
    assert db.maybe_auto_prune_and_vacuum() == {"skipped": False, "pruned": 1, "vacuumed": True}
    assert db.get_meta("last_auto_prune") == str(NOW)
    clock.sleep(23 * 3600)
    with SessionDB(db.path, migrate=False, clock=clock) as another:
        assert another.maybe_auto_prune_and_vacuum() == {"skipped": True, "pruned": 0, "vacuumed": False}
    clock.sleep(3600)
    assert db.maybe_auto_prune_and_vacuum() == {"skipped": False, "pruned": 0, "vacuumed": False}


@pytest.mark.parametrize("last", ["rubbish", "", str(NOW + 10 * DAY), "nan"])
def test_a_mark_that_means_nothing_stops_nothing(db: SessionDB, last: str) -> None:
    add(db, "old")
    db.set_meta("last_auto_prune", last)
    assert db.maybe_auto_prune_and_vacuum(vacuum=False) == {"skipped": False, "pruned": 1, "vacuumed": False}


def test_it_never_raises(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    add(db, "old")
    assert db.maybe_auto_prune_and_vacuum(retention_days=-1)["error"] == (
        "Nothing was selected: older_than_days must be a number of days, 0 or more, not -1."
    )

    def busy(_: object) -> None:
        raise StoreBusy(db.path)

    monkeypatch.setattr(upkeep, "vacuum", busy)
    done = db.maybe_auto_prune_and_vacuum()
    assert (done["pruned"], done["vacuumed"]) == (1, False)
    assert "is busy" in done["error"]


def test_read_only_it_says_so(copy_store: CopyStore) -> None:
    with SessionDB(copy_store("state-v22-0.19.0.db"), read_only=True, clock=lambda: NOW + 1000 * DAY) as db:
        assert "read_only=True" in db.maybe_auto_prune_and_vacuum()["error"]


# --- room


def test_the_room_is_given_back(db: SessionDB) -> None:
    db.create_session("big", "cli")
    db.append_message("big", "user", "x " * 500_000)
    db.end_session("big", "x")
    assert db.prune_sessions(older_than_days=None) == 1
    db.writer().outside(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
    shrunk = db.vacuum()
    assert shrunk.before > 2_000_000
    assert shrunk.after < 300_000
    assert db.path.stat().st_size == shrunk.after
    assert db.optimize_fts() == 2
    assert db.reader.rows("PRAGMA integrity_check") == [("ok",)]


def test_what_the_store_remembers(db: SessionDB) -> None:
    assert db.get_meta("key") is None
    db.set_meta("key", "one")
    db.set_meta("key", 2)
    db.set_meta("other", "")
    assert (db.get_meta("key"), db.get_meta("other")) == ("2", "")
    assert db.get_meta("fts_storage_version") == "1"


def test_every_refusal_is_a_store_error() -> None:
    assert issubclass(BadFilter, StoreError)
