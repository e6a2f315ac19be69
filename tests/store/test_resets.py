"""Reset policies: idle, daily, both, none; by the local clock; never under a running process (seed 004)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import BadPolicy, ResetMode, SessionDB, SessionResetPolicy
from storage.conversation.family import RESET_REASONS
from tests.support.clock import Clock

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3600.0


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


IDLE = SessionResetPolicy("idle", idle_minutes=30)
DAILY = SessionResetPolicy("daily", at_hour=4)
BOTH = SessionResetPolicy("both", at_hour=4, idle_minutes=120)


def test_idle_counts_from_the_last_activity() -> None:
    spoken = at("2026-03-02 10:00")
    assert IDLE.due(spoken, BERLIN) == (at("2026-03-02 10:30"), "idle")
    assert IDLE.reason(spoken, at("2026-03-02 10:29"), tz=BERLIN) is None
    assert IDLE.reason(spoken, at("2026-03-02 10:30"), tz=BERLIN) == "idle"


def test_daily_is_the_next_time_that_the_clock_shows_the_hour() -> None:
    assert DAILY.due(at("2026-03-02 03:59"), BERLIN) == (at("2026-03-02 04:00"), "daily")
    assert DAILY.due(at("2026-03-02 04:00"), BERLIN) == (at("2026-03-03 04:00"), "daily")
    assert DAILY.reason(at("2026-03-02 05:00"), at("2026-03-03 03:59"), tz=BERLIN) is None
    assert DAILY.reason(at("2026-03-02 05:00"), at("2026-03-03 04:00"), tz=BERLIN) == "daily"


def test_both_is_whichever_comes_first() -> None:
    assert BOTH.due(at("2026-03-02 10:00"), BERLIN) == (at("2026-03-02 12:00"), "idle")
    assert BOTH.due(at("2026-03-02 03:00"), BERLIN) == (at("2026-03-02 04:00"), "daily")


def test_none_never_resets_and_is_the_default() -> None:
    assert SessionResetPolicy() == SessionResetPolicy(ResetMode.NONE)
    assert SessionResetPolicy().due(1.0) is None
    assert SessionResetPolicy().reason(1.0, 4e9) is None


@pytest.mark.parametrize("policy", [IDLE, DAILY, BOTH])
def test_never_while_a_process_of_the_session_runs(policy: SessionResetPolicy) -> None:
    assert policy.reason(at("2026-03-02 10:00"), at("2026-04-02 10:00"), tz=BERLIN) is not None
    assert (
        policy.reason(at("2026-03-02 10:00"), at("2026-04-02 10:00"), has_active_process=True, tz=BERLIN)
        is None
    )


def test_the_hour_is_kept_where_the_clocks_change() -> None:
    spring, autumn = at("2026-03-28 12:00"), at("2026-10-24 12:00")
    assert DAILY.due(spring, BERLIN) == (at("2026-03-29 04:00"), "daily")
    assert at("2026-03-29 04:00") - spring == 15 * HOUR
    assert DAILY.due(autumn, BERLIN) == (at("2026-10-25 04:00"), "daily")
    assert at("2026-10-25 04:00") - autumn == 17 * HOUR
    skipped = SessionResetPolicy("daily", at_hour=2).due(spring, BERLIN)
    assert skipped == (at("2026-03-29 03:00"), "daily")
    twice = SessionResetPolicy("daily", at_hour=2)
    first = at("2026-10-25 02:00")
    assert twice.due(autumn, BERLIN) == (first, "daily")
    assert twice.due(first, BERLIN) == (at("2026-10-26 02:00"), "daily")


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, 0.0, 1e15, "soon", None], ids=repr)
def test_a_time_that_is_none_resets_nothing(odd: Any) -> None:
    assert BOTH.due(odd) is None
    assert BOTH.reason(odd, 4e9) is None


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"mode": "weekly"}, "Not a reset policy: 'weekly' is none of idle, daily, both, none."),
        ({"mode": "daily", "at_hour": 24}, "Not a reset policy: at_hour is 24, not an hour from 0 to 23."),
        ({"at_hour": 4.5}, "Not a reset policy: at_hour is 4.5, not an hour from 0 to 23."),
        ({"at_hour": True}, "Not a reset policy: at_hour is True, not an hour from 0 to 23."),
        ({"idle_minutes": 0}, "Not a reset policy: idle_minutes is 0, not a number of minutes."),
        ({"idle_minutes": float("nan")}, "Not a reset policy: idle_minutes is nan, not a number of minutes."),
        ({"idle_minutes": "60"}, "Not a reset policy: idle_minutes is '60', not a number of minutes."),
    ],
)
def test_what_cannot_be_followed_is_refused(config: dict[str, Any], why: str) -> None:
    with pytest.raises(BadPolicy) as refused:
        SessionResetPolicy.from_dict(config)
    assert str(refused.value) == why


def test_a_configuration_may_leave_out_what_it_likes() -> None:
    assert SessionResetPolicy.from_dict({}) == SessionResetPolicy()
    config = {"mode": "both", "at_hour": None, "idle_minutes": 90, "notify": True}
    assert SessionResetPolicy.from_dict(config) == SessionResetPolicy("both", 4, 90)


def test_the_reason_is_one_that_makes_the_next_session_a_fresh_start(db: SessionDB, clock: Clock) -> None:
    assert {"idle", "daily"} <= RESET_REASONS
    db.create_session("one", "telegram", session_key="agent:main:telegram:dm:1")
    db.append_message("one", "user", "hello", timestamp=clock())
    reason = IDLE.reason(clock(), clock() + 1800)
    assert reason == "idle"
    db.end_session("one", reason)
    db.create_session("two", "telegram", parent_session_id="one", session_key="agent:main:telegram:dm:1")
    found = db.find("two")
    assert found is not None
    assert (found.parts, found.edge) == (("two",), "reset")


MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))
ZONES = st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])


@given(moment=MOMENTS, hour=st.integers(0, 23), zone=ZONES)
def test_a_daily_reset_comes_within_a_day_and_never_in_the_past(
    moment: datetime, hour: int, zone: str
) -> None:
    spoken = moment.timestamp()
    due = SessionResetPolicy("daily", at_hour=hour).due(spoken, ZoneInfo(zone))
    assert due is not None
    # A day of the calendar that was skipped (Samoa, 2011) makes it two.
    assert 0 < due[0] - spoken <= timedelta(hours=50 if zone == "Pacific/Apia" else 25).total_seconds()
    assert SessionResetPolicy("daily", at_hour=hour).reason(spoken, due[0], tz=ZoneInfo(zone)) == "daily"
