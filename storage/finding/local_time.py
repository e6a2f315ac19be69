"""Days and hours as the clock on the wall shows them, whatever it does in spring and autumn."""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo

QUARTER = 900
"""Seconds in which nearly every clock of the world stays within one hour."""

Place = tuple[date, int]
"""A day of the local calendar, and an hour of the local clock."""


class LocalTime:
    """Tells where on the local calendar a time lies.

    Args:
        tz: The time zone; None is the system's own.
    """

    def __init__(self, tz: tzinfo | None) -> None:
        self._tz = tz
        self._quarters: dict[int, Place | None] = {}

    def place(self, moment: float) -> Place:
        """The day and the hour of a Unix time from 1970 to the year 3000."""
        local = datetime.fromtimestamp(moment, UTC).astimezone(self._tz)
        return local.date(), local.hour

    def of_quarter(self, quarter: int) -> Place | None:
        """The day and the hour of the QUARTER with this number since 1970; None where it lies in two hours."""
        if quarter not in self._quarters:
            start = quarter * QUARTER
            first, last = self.place(start), self.place(start + QUARTER - 1)
            self._quarters[quarter] = first if first == last else None
        return self._quarters[quarter]
