"""Tokens and cost: what is added, what is set, what stays."""

from __future__ import annotations

from typing import Any

import pytest

from storage import SessionDB
from tests.support.clock import Clock
from tests.support.stores import NOW, CopyStore


def figures(db: SessionDB, session: str = "s") -> dict[str, Any]:
    """What has been accounted of a session."""
    row = db.get_session(session)
    assert row is not None
    names = ("token", "cost", "billing", "pricing", "api_call", "model")
    return {
        name: value
        for name, value in row.items()
        if any(part in name for part in names) and value not in (None, 0)
    }


def usage(db: SessionDB, session: str = "s") -> list[dict[str, Any]]:
    """The rows by model, without what is empty."""
    rows = db.reader.dicts(
        "SELECT * FROM session_model_usage WHERE session_id = ? ORDER BY first_seen, model, task", (session,)
    )
    return [
        {name: value for name, value in row.items() if value not in ("", 0, None, session)} for row in rows
    ]


def test_counts_are_added(db: SessionDB, clock: Clock) -> None:
    db.create_session("s", "cli")
    db.update_token_counts("s", 10, 5, "m", 1, 2, 3, 0.5, api_call_count=1, billing_provider="p")
    clock.sleep(60)
    db.update_token_counts("s", 10, 5, "m", 1, 2, 3, 0.25, 0.125, api_call_count=1, billing_provider="p")
    assert figures(db) == {
        "model": "m",
        "input_tokens": 20,
        "output_tokens": 10,
        "cache_read_tokens": 2,
        "cache_write_tokens": 4,
        "reasoning_tokens": 6,
        "estimated_cost_usd": 0.75,
        "actual_cost_usd": 0.125,
        "api_call_count": 2,
        "billing_provider": "p",
    }
    assert usage(db) == [
        {
            "model": "m",
            "billing_provider": "p",
            "api_call_count": 2,
            "input_tokens": 20,
            "output_tokens": 10,
            "cache_read_tokens": 2,
            "cache_write_tokens": 4,
            "reasoning_tokens": 6,
            "estimated_cost_usd": 0.75,
            "actual_cost_usd": 0.125,
            "first_seen": NOW,
            "last_seen": NOW + 60,
        }
    ]


def test_totals_replace_and_are_nobodys_usage(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.update_token_counts(
        "s", 10, 5, estimated_cost_usd=0.5, actual_cost_usd=0.25, api_call_count=3, model="m"
    )
    db.update_token_counts("s", 100, 50, absolute=True)
    assert figures(db) == {"model": "m", "input_tokens": 100, "output_tokens": 50, "actual_cost_usd": 0.25}
    row = db.get_session("s")
    assert row is not None
    assert (row["estimated_cost_usd"], row["api_call_count"]) == (0, 0)
    db.update_token_counts(
        "s", 1, 1, estimated_cost_usd=2, actual_cost_usd=3, api_call_count=7, absolute=True
    )
    assert figures(db)["actual_cost_usd"] == 3
    assert figures(db)["api_call_count"] == 7
    assert [row["input_tokens"] for row in usage(db)] == [10]


def test_an_actual_cost_of_nothing_is_known(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.update_token_counts("s", 1)
    assert db.get_session("s") is not None
    assert (db.get_session("s") or {})["actual_cost_usd"] is None
    db.update_token_counts("s", actual_cost_usd=0.0)
    assert (db.get_session("s") or {})["actual_cost_usd"] == 0.0


def test_the_first_route_stays_and_the_last_status(db: SessionDB) -> None:
    db.create_session("s", "cli")
    first = {"model": "m1", "billing_provider": "p1", "cost_status": "estimated", "cost_source": "list"}
    db.update_token_counts("s", 1, 1, api_call_count=1, **first)  # type: ignore[arg-type]
    second = {"model": "m2", "billing_provider": "p2", "billing_mode": "api", "cost_status": "final"}
    db.update_token_counts("s", 1, 1, api_call_count=1, pricing_version="v2", **second)  # type: ignore[arg-type]
    found = figures(db)
    assert (found["model"], found["billing_provider"], found["billing_mode"]) == ("m1", "p1", "api")
    assert (found["cost_status"], found["cost_source"], found["pricing_version"]) == ("final", "list", "v2")
    assert [(row["model"], row["billing_provider"]) for row in usage(db)] == [("m1", "p1"), ("m2", "p2")]


def test_the_first_call_corrects_the_plan(db: SessionDB) -> None:
    db.create_session("s", "cli", model="planned")
    db.update_token_counts("s", 1, model="real", billing_provider="p", api_call_count=1)
    assert (figures(db)["model"], figures(db)["billing_provider"]) == ("real", "p")
    db.update_token_counts("s", 1, model="later", billing_provider="q", api_call_count=1)
    assert figures(db)["model"] == "real"


@pytest.mark.parametrize("given", [{"model": "real"}, {"billing_provider": "p"}])
def test_half_a_route_corrects_nothing(db: SessionDB, given: dict[str, Any]) -> None:
    db.create_session("s", "cli", model="planned")
    db.update_token_counts("s", 1, api_call_count=1, **given)
    assert figures(db)["model"] == "planned"


def test_a_call_without_usage_changes_no_route(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.update_token_counts("s", model="m", billing_provider="p", cost_status="none", pricing_version="v")
    assert figures(db) == {"cost_status": "none", "pricing_version": "v"}
    assert usage(db) == []


def test_who_is_not_there_is_made(db: SessionDB) -> None:
    db.update_token_counts("new", 1, 2)
    row = db.get_session("new")
    assert row is not None
    assert (row["source"], row["started_at"], row["input_tokens"]) == ("unknown", NOW, 1)
    assert [(row["model"], row["output_tokens"]) for row in usage(db, "new")] == [("unknown", 2)]


def test_the_usage_is_the_sessions_route_where_none_is_said(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.update_token_counts("s", 1, model="m", billing_provider="p", billing_base_url="u", billing_mode="api")
    db.update_token_counts("s", 1)
    assert [(row["model"], row["input_tokens"]) for row in usage(db)] == [("m", 2)]


def test_auxiliary_calls_stand_apart(db: SessionDB, clock: Clock) -> None:
    db.create_session("s", "cli", model="m")
    db.record_auxiliary_usage(
        "s", "title", model="small", input_tokens=3, output_tokens=1, estimated_cost_usd=0.5
    )
    clock.sleep(5)
    db.record_auxiliary_usage("s", "title", model="small", input_tokens=3)
    db.record_auxiliary_usage("s", "compress", input_tokens=9)
    assert figures(db) == {"model": "m"}
    assert usage(db) == [
        {
            "model": "small",
            "task": "title",
            "api_call_count": 2,
            "input_tokens": 6,
            "output_tokens": 1,
            "estimated_cost_usd": 0.5,
            "first_seen": NOW,
            "last_seen": NOW + 5,
        },
        {
            "model": "unknown",
            "task": "compress",
            "api_call_count": 1,
            "input_tokens": 9,
            "first_seen": NOW + 5,
            "last_seen": NOW + 5,
        },
    ]


def test_an_auxiliary_call_needs_its_task_and_makes_its_session(db: SessionDB) -> None:
    db.record_auxiliary_usage("new", "", input_tokens=1)
    assert db.get_session("new") is None
    db.record_auxiliary_usage("new", "title", input_tokens=1)
    assert (db.get_session("new") or {})["source"] == "unknown"


def test_an_older_store_counts_what_it_can(copy_store: CopyStore) -> None:
    with SessionDB(copy_store("state-v4.db"), migrate=False) as db:
        session = db.search_sessions()[0]["id"]
        before = (db.get_session(session) or {})["input_tokens"]
        db.update_token_counts(session, 10, 5)
        assert (db.get_session(session) or {})["input_tokens"] == before + 10
        db.record_auxiliary_usage(session, "title", input_tokens=1)


def test_a_counter_that_is_no_number_starts_again(db: SessionDB) -> None:
    db.create_session("s", "cli")
    db.write(lambda within: within.change("UPDATE sessions SET input_tokens = 'many', output_tokens = NULL"))
    db.update_token_counts("s", 10, 5)
    assert (figures(db)["input_tokens"], figures(db)["output_tokens"]) == (10, 5)
