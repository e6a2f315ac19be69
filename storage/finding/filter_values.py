"""What stands behind a filter's colon: `after:7d`, `tokens:>10k`, `is:pinned`, `dir:~/proj`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

STATES = (
    "pinned",
    "archived",
    "hidden",
    "running",
    "complete",
    "interrupted",
    "error",
    "empty",
    "untitled",
    "branch",
    "subagent",
    "cron",
    "tool",
)
"""What a conversation can be."""

CHOICES = {"is": STATES, "has": ("children", "parent"), "role": ("user", "assistant", "tool")}
"""Keys that know their values."""

DATES = ("after", "before")
AMOUNTS = ("msgs", "tokens", "cost")
TEXTS = ("source", "model", "dir", "branch", "title", "id", "tool")

KEYS = ("source", "model", "dir", "branch", "title", "id", "role", "tool", *DATES, *AMOUNTS, "is", "has")
"""Every filter there is; `key:value` with any other key is text."""

OF_MESSAGES = frozenset({"role", "tool"})
"""Keys that speak of a message, not of its conversation."""

_SPANS = {"mo": 30 * 86_400.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0, "y": 365 * 86_400.0}
"""Seconds, by how a unit begins: a month does so like a minute, which Hermes calls m as well (spec 5.1)."""
_AGO = re.compile(r"(\d{1,5})(mo|[mhdwy]|(?:min|minute|hour|day|week|month|year)s?)", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2}))?)?)?", re.IGNORECASE)
_AMOUNT = re.compile(r"(>=|<=|>|<|=)?\$?(\d+(?:\.\d+)?|\.\d+)([kKmM]?)")
_RANGE = re.compile(r"([^.]+(?:\.\d+)?)\.\.([^.]+(?:\.\d+)?)")
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}


class Bound(NamedTuple):
    """One comparison with a number."""

    sign: str
    """One of > >= < <= =."""
    number: float


@dataclass(frozen=True)
class Filter:
    """One filter of the line. Positive ones of the same key are alternatives; everything else must hold."""

    key: str
    """One of KEYS."""
    value: str
    """As typed, without its quotes."""
    negated: bool = False

    @cached_property
    def problem(self) -> str:
        """Why it means nothing, in a few words; empty where it is understood."""
        if not self.value:
            return "nothing after it"
        if self.key in CHOICES and self.value not in CHOICES[self.key]:
            return f"not one of {', '.join(CHOICES[self.key])}"
        if self.key in DATES and not _is_date(self.value):
            return "not a date like 7d or 2026-10-01"
        if self.key in AMOUNTS and not self.bounds:
            return "not a number like >50 or 10k"
        return ""

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """What its number must satisfy (`>50`, `10k`, `10..20`); empty for a key that is not one of AMOUNTS."""
        if self.key not in AMOUNTS:
            return ()
        if both := _RANGE.fullmatch(self.value):
            low, high = (_amount(end) for end in both.groups())
            if low is None or high is None or (low.sign, high.sign) != ("=", "="):
                return ()
            return (Bound(">=", low.number), Bound("<=", high.number))
        bound = _amount(self.value)
        return (bound,) if bound is not None else ()

    def holds(self, number: float | None) -> bool:
        """Whether this number is within its bounds; an unknown one never is."""
        if number is None:
            return False
        if len(self.bounds) == 1:  # asked of every conversation, and a generator takes three times as long
            ((sign, bound),) = self.bounds
            return _COMPARE[sign](number, bound)
        return all(_COMPARE[sign](number, bound) for sign, bound in self.bounds)

    def moment(self, now: float) -> float:
        """The point in time that its date means, in Unix seconds; nan for a key that is not one of DATES.

        A day, a month or a year means its first moment in local time; `7d` is seven days before `now`, the
        current time in Unix seconds; units are m, h, d, w, mo (30 days) and y (365 days), or their names.
        """
        return _moment(self.value, now) if self.key in DATES else math.nan

    def __str__(self) -> str:
        value = f'"{self.value}"' if not self.value or re.search(r"\s", self.value) else self.value
        return f"{'-' * self.negated}{self.key}:{value}"


def groups(filters: Iterable[Filter], keys: Iterable[str]) -> list[list[Filter]]:
    """The filters of these keys that must hold together; within a group any may: positive ones of one key."""
    wanted = [one for one in filters if one.key in keys]
    together: dict[str, list[Filter]] = {}
    for one in wanted:
        if not one.negated:
            together.setdefault(one.key, []).append(one)
    return [*together.values(), *([one] for one in wanted if one.negated)]


def _is_date(value: str) -> bool:
    return not math.isnan(_moment(value, 1e9))


def _moment(value: str, now: float) -> float:
    if ago := _AGO.fullmatch(value):
        unit = next(span for name, span in _SPANS.items() if ago[2].lower().startswith(name))
        return now - int(ago[1]) * unit
    try:
        if value.lower() in ("today", "yesterday"):
            today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
            return (today - timedelta(days=value.lower() == "yesterday")).timestamp()
        if day := _DAY.fullmatch(value):
            year, month, date, hour, minute = (int(part) if part else None for part in day.groups())
            return _timestamp(datetime(year or 0, month or 1, date or 1, hour or 0, minute or 0))
    except ValueError:
        pass  # the 31st of February: no date
    return math.nan


def _timestamp(local: datetime) -> float:
    try:
        return local.timestamp()
    except (ValueError, OverflowError, OSError):
        # At both ends of the calendar, where no clock tells the local time, a day more or less says the same.
        return local.replace(tzinfo=UTC).timestamp()


def _amount(value: str) -> Bound | None:
    match = _AMOUNT.fullmatch(value)
    return Bound(match[1] or "=", float(match[2]) * _TIMES[match[3].lower()]) if match else None
