"""The hand-over protocol: request, claim, complete, fail, state (seed 004)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from storage import OpenedReadOnly, SessionDB, VersionTooOld
from tests.support.clock import Clock
from tests.support.other_process import other_process
from tests.support.stores import CopyStore

NONE = {"state": None, "platform": None, "error": None}


@pytest.fixture
def one(db: SessionDB) -> SessionDB:
    db.create_session("one", "cli")
    return db


def test_from_request_to_completion(one: SessionDB) -> None:
    assert one.get_handoff_state("one") == NONE
    assert one.request_handoff("one", "telegram") is True
    assert one.get_handoff_state("one") == {"state": "pending", "platform": "telegram", "error": None}
    assert [session["id"] for session in one.list_pending_handoffs()] == ["one"]
    assert one.claim_handoff("one") is True
    assert one.get_handoff_state("one") == {"state": "running", "platform": "telegram", "error": None}
    assert one.list_pending_handoffs() == []
    assert one.complete_handoff("one") is True
    assert one.get_handoff_state("one") == {"state": "completed", "platform": "telegram", "error": None}


def test_a_second_request_is_refused_while_one_is_under_way(one: SessionDB) -> None:
    assert one.request_handoff("one", "telegram")
    assert one.request_handoff("one", "discord") is False
    assert one.claim_handoff("one")
    assert one.request_handoff("one", "discord") is False
    assert one.get_handoff_state("one") == {"state": "running", "platform": "telegram", "error": None}
    assert one.complete_handoff("one")
    assert one.request_handoff("one", "discord") is True
    assert one.get_handoff_state("one") == {"state": "pending", "platform": "discord", "error": None}


def test_one_that_failed_says_why_and_can_be_tried_again(one: SessionDB) -> None:
    one.request_handoff("one", "slack")
    one.claim_handoff("one")
    assert one.fail_handoff("one", "rate limited \ud800" + "x" * 600) is True
    state = one.get_handoff_state("one")
    assert state is not None
    assert (state["state"], len(state["error"]), state["error"][:15]) == (
        "failed",
        500,
        "rate limited \ufffdx",
    )
    assert one.request_handoff("one", "slack") is True
    assert one.get_handoff_state("one") == {"state": "pending", "platform": "slack", "error": None}


def test_whoever_waited_too_long_gives_an_unclaimed_request_up(one: SessionDB) -> None:
    one.request_handoff("one", "telegram")
    assert one.fail_handoff("one", "no gateway answered within 60 s") is True
    assert one.claim_handoff("one") is False
    assert one.complete_handoff("one") is False
    assert one.get_handoff_state("one") == {
        "state": "failed",
        "platform": "telegram",
        "error": "no gateway answered within 60 s",
    }


def test_no_step_without_the_one_before_it(one: SessionDB) -> None:
    assert one.claim_handoff("one") is False
    assert one.complete_handoff("one") is False
    assert one.fail_handoff("one", "why") is False
    one.request_handoff("one", "telegram")
    assert one.complete_handoff("one") is False
    one.claim_handoff("one")
    assert one.claim_handoff("one") is False
    one.complete_handoff("one")
    assert one.fail_handoff("one", "too late") is False
    assert one.get_handoff_state("one") == {"state": "completed", "platform": "telegram", "error": None}


def test_an_unknown_session_has_none(one: SessionDB) -> None:
    assert one.get_handoff_state("nobody") is None
    assert [
        one.request_handoff("nobody", "x"),
        one.claim_handoff("nobody"),
        one.complete_handoff("nobody"),
    ] == [
        False,
        False,
        False,
    ]


def test_pending_ones_come_in_the_order_of_their_start(db: SessionDB, clock: Clock) -> None:
    for name in ("b", "a", "c"):
        db.create_session(name, "cli")
        clock.now += 10
    for name in ("c", "b", "a"):
        db.request_handoff(name, "telegram")
    assert [session["id"] for session in db.list_pending_handoffs()] == ["b", "a", "c"]


CLAIM = """
import sys
from storage import SessionDB
with SessionDB(sys.argv[1]) as db:
    print("ready", flush=True)
    sys.stdin.readline()
    print([name for name in sys.argv[2:] if db.claim_handoff(name)])
"""


def test_of_eight_processes_one_claims_each(one: SessionDB) -> None:
    names = [f"s{number}" for number in range(12)]
    for name in names:
        one.create_session(name, "cli")
        assert one.request_handoff(name, "telegram")
    gateways = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM, str(one.path), *names],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for gateway in gateways:
        assert gateway.stdout is not None
        assert gateway.stdout.readline() == "ready\n"
    for gateway in gateways:
        assert gateway.stdin is not None
        gateway.stdin.write("go\n")
        gateway.stdin.flush()
    claimed: list[str] = []
    for gateway in gateways:
        out, _ = gateway.communicate(timeout=120)
        assert gateway.returncode == 0
        claimed += [name for name in names if f"'{name}'" in out]
    assert sorted(claimed) == sorted(names)
    assert one.list_pending_handoffs() == []


def test_two_requests_at_once_are_one(one: SessionDB) -> None:
    code = (
        "import sys; from storage import SessionDB\n"
        "with SessionDB(sys.argv[1]) as db: print(db.request_handoff('one', sys.argv[2]))"
    )
    asking = [
        subprocess.Popen([sys.executable, "-c", code, str(one.path), name], stdout=subprocess.PIPE, text=True)
        for name in ("telegram", "discord", "slack", "signal")
    ]
    assert sorted(process.communicate(timeout=120)[0] for process in asking) == ["False\n"] * 3 + ["True\n"]


@pytest.mark.parametrize("state", ["''", "'odd'", "7", "x'00ff'"])
def test_what_is_no_state_stops_nobody(one: SessionDB, state: str) -> None:
    with other_process(one.path) as other:
        other.run(f"UPDATE sessions SET handoff_state = {state}, started_at = 'soon'")
    assert one.claim_handoff("one") is False
    assert one.get_handoff_state("one") is not None
    assert one.request_handoff("one", "telegram") is True
    assert [session["id"] for session in one.list_pending_handoffs()] == ["one"]


def test_a_store_from_before_the_columns_has_none_and_says_so(copy_store: CopyStore) -> None:
    path = copy_store("state-v6.db")
    with SessionDB(path, migrate=False) as db:
        session = db.search_sessions(limit=1)[0]["id"]
        assert db.get_handoff_state(session) == NONE
        assert db.list_pending_handoffs() == []
        with pytest.raises(VersionTooOld, match="handoff_state"):
            db.request_handoff(session, "telegram")
    with SessionDB(path) as db:
        assert db.request_handoff(session, "telegram") is True


def test_reading_only_refuses_to_claim(one: SessionDB) -> None:
    with SessionDB(Path(one.path), read_only=True) as reading:
        assert reading.get_handoff_state("one") == NONE
        with pytest.raises(OpenedReadOnly):
            reading.claim_handoff("one")
