"""A clock that stands still."""

from __future__ import annotations


class Clock:
    """Called, it tells the time in Unix seconds that it was set to."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
