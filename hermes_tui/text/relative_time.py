"""Times as people say them (spec 5.2)."""

from __future__ import annotations

import math
import time

UNKNOWN = "?"

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def relative(ts: float | None, now: float) -> str:
    """Say how long ago `ts` was; both in Unix seconds. A time still to come is "just now"."""
    if not ts or not math.isfinite(ts):
        return UNKNOWN
    age = int(now - ts)
    if age < _MINUTE:
        return "just now"
    if age < _HOUR:
        return f"{age // _MINUTE}m ago"
    if age < _DAY:
        return f"{age // _HOUR}h ago"
    if age < 2 * _DAY:
        return "yesterday"
    if age < 7 * _DAY:
        return f"{age // _DAY}d ago"
    return _local(ts, "%Y-%m-%d")


def clock_time(ts: float | None) -> str:
    """The local time of day: "14:02"."""
    return _local(ts, "%H:%M")


def day(ts: float | None) -> str:
    """The local date: "2026-11-29"."""
    return _local(ts, "%Y-%m-%d")


def minute(ts: float | None) -> str:
    """The local date and time of day: "2026-11-29 14:02"."""
    return _local(ts, "%Y-%m-%d %H:%M")


def _local(ts: float | None, layout: str) -> str:
    if ts is None:
        return UNKNOWN
    try:
        return time.strftime(layout, time.localtime(ts))
    except (OverflowError, ValueError, OSError):  # no calendar reaches that far
        return UNKNOWN
