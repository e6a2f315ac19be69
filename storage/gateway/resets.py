"""When a session of the messaging side begins anew by itself (seed 004, session reset policies)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Any, Self

from storage.conversation.family import readable
from storage.errors import BadPolicy


class ResetMode(StrEnum):
    """What a reset waits for."""

    IDLE = "idle"
    """Some minutes without a message."""
    DAILY = "daily"
    """An hour of the day."""
    BOTH = "both"
    """Whichever comes first."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class SessionResetPolicy:
    """When sessions reset; the default is never.

    Raises:
        BadPolicy: A mode, hour or number of minutes that does not exist.
    """

    mode: str = ResetMode.NONE
    at_hour: int = 4
    """Of the local clock, 0 to 23."""
    idle_minutes: float = 1440

    def __post_init__(self) -> None:
        modes = [str(mode) for mode in ResetMode]
        if self.mode not in modes:
            raise BadPolicy(f"{self.mode!r} is none of {', '.join(modes)}")
        if type(self.at_hour) is not int or self.at_hour not in range(24):
            raise BadPolicy(f"at_hour is {self.at_hour!r}, not an hour from 0 to 23")
        if type(self.idle_minutes) not in (int, float) or not 0 < self.idle_minutes < float("inf"):
            raise BadPolicy(f"idle_minutes is {self.idle_minutes!r}, not a number of minutes")

    @classmethod
    def from_dict(cls, config: Mapping[str, Any]) -> Self:
        """The policy of a `session_reset` section of Hermes' configuration; what it leaves out is the default."""
        known = {name: config.get(name) for name in cls.__slots__}
        return cls(**{name: value for name, value in known.items() if value is not None})

    def due(self, last_active: float, tz: tzinfo | None = None) -> tuple[float, str] | None:
        """When a session that was active at that time will be reset, and the reason: "idle" or "daily".

        Args:
            last_active: Unix seconds.
            tz: The time zone of `at_hour`; None is the system's own.

        Returns:
            Unix seconds and the reason; None for never, as for a time that is none.
        """
        if readable(last_active) is None:
            return None
        times = []
        if self.mode in (ResetMode.DAILY, ResetMode.BOTH):
            times.append((self._next_hour(last_active, tz), str(ResetMode.DAILY)))
        if self.mode in (ResetMode.IDLE, ResetMode.BOTH):
            times.append((last_active + self.idle_minutes * 60, str(ResetMode.IDLE)))
        return min(times, default=None)

    def reason(
        self, last_active: float, now: float, *, has_active_process: bool = False, tz: tzinfo | None = None
    ) -> str | None:
        """Why the session is to be reset now: the `end_reason` for `SessionDB.end_session`; None to let it go on.

        Args:
            has_active_process: Something that the session started is still running; then it is never reset.
        """
        due = None if has_active_process else self.due(last_active, tz)
        return due[1] if due and due[0] <= now else None

    def _next_hour(self, after: float, tz: tzinfo | None) -> float:
        # By the calendar, for a day on which the clocks change has 23 hours or 25.
        day = _local(after, tz).date()
        while True:
            wall = datetime(day.year, day.month, day.day, self.at_hour, tzinfo=tz)
            # An aware datetime knows its offset; a naive one is the system's own local time.
            if (moment := wall.timestamp()) > after:
                return moment
            day += timedelta(days=1)


def _local(moment: float, tz: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(moment, UTC).astimezone(tz)
