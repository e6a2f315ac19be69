"""What stands behind a filter's colon: numbers, dates, and what is none."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from storage.finding.query import Filter


@pytest.mark.parametrize(
    ("value", "holds", "fails"),
    [
        (">50", 51, 50),
        (">=50", 50, 49.9),
        ("<50", 49, 50),
        ("<=50", 50, 51),
        ("50", 50, 51),
        ("=1.5k", 1500, 1501),
        (">10k", 10_001, 10_000),
        ("<2M", 1_999_999, 2_000_000),
        ("10..20", 20, 21),
        ("1.5..2k", 1.5, 1.4),
        (">$1", 1.01, 1),
    ],
)
def test_comparisons(value: str, holds: float, fails: float) -> None:
    one = Filter("tokens", value)
    assert (one.problem, one.holds(holds), one.holds(fails), one.holds(None)) == ("", True, False, False)


@pytest.mark.parametrize("value", [">", "k", "ten", "1..", "..", ">1..2", "1e5", "-5", "0x1", "1..>2"])
def test_no_numbers(value: str) -> None:
    assert Filter("msgs", value).problem == "not a number like >50 or 10k"


NOON = datetime(2026, 11, 29, 12, 0).timestamp()


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("7d", datetime(2026, 11, 22, 12, 0)),
        ("12h", datetime(2026, 11, 29, 0, 0)),
        ("90min", datetime(2026, 11, 29, 10, 30)),
        ("90m", datetime(2026, 11, 29, 10, 30)),
        ("7D", datetime(2026, 11, 22, 12, 0)),
        ("7days", datetime(2026, 11, 22, 12, 0)),
        ("1Week", datetime(2026, 11, 22, 12, 0)),
        ("1month", datetime(2026, 10, 30, 12, 0)),
        ("Yesterday", datetime(2026, 11, 28)),
        ("2026-10-01t08:30", datetime(2026, 10, 1, 8, 30)),
        ("2w", datetime(2026, 11, 15, 12, 0)),
        ("1mo", datetime(2026, 10, 30, 12, 0)),
        ("1y", datetime(2025, 11, 29, 12, 0)),
        ("today", datetime(2026, 11, 29)),
        ("yesterday", datetime(2026, 11, 28)),
        ("2026-10-01", datetime(2026, 10, 1)),
        ("2026-10", datetime(2026, 10, 1)),
        ("2026", datetime(2026, 1, 1)),
        ("2026-10-01T08:30", datetime(2026, 10, 1, 8, 30)),
    ],
)
def test_dates(value: str, moment: datetime) -> None:
    one = Filter("after", value)
    assert one.problem == ""
    assert one.moment(NOON) == moment.timestamp()


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "2026-10-01", "3000-01-01", "9999-12-31"])
def test_a_day_that_exists_is_a_date_wherever_the_clock_stands(
    day: str, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        moment = Filter("before", day).moment(NOON)
    finally:
        monkeypatch.undo()
        time.tzset()
    utc = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    assert abs(moment - utc) <= 14 * 3_600


@pytest.mark.parametrize(
    "value",
    [
        "soon",
        "7",
        "7x",
        "7ms",
        "2026-13",
        "2026-13-45",
        "2026-02-29",
        "0000",
        "2026-1-1-1",
        "99999999d",
        "7d7d",
        "12:30",
    ],
)
def test_no_dates(value: str) -> None:
    assert Filter("before", value).problem == "not a date like 7d or 2026-10-01"
