"""Which pane has the focus, and which one fills a small screen."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

FULL = {"transcript": "-reading", "lineage": "-family"}
"""Pane → class of the screen while it fills a small one (or takes the transcript's place)."""


class PaneOrder:
    """Moves the focus from pane to pane of one screen.

    Args:
        screen: The screen whose classes say what is on show.
    """

    ORDER = ("search", "sessions", "transcript", "lineage")

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen

    @property
    def small(self) -> bool:
        """The list has the screen to itself."""
        return self._screen.has_class("-narrow") or self._screen.has_class("-short")

    @property
    def full(self) -> bool:
        """A pane fills the screen in place of the list."""
        return self.small and any(self._screen.has_class(name) for name in FULL.values())

    @property
    def focused(self) -> str | None:
        """Id of the pane that has the focus."""
        widget = self._screen.focused
        if widget is None:
            return None
        return "sessions" if widget.id == "notice" else widget.id

    def go(self, pane: str) -> None:
        """Give a pane the focus, bringing it on show first."""
        for name, class_name in FULL.items():
            # Beside a transcript there is no room for the tree under 100 columns: they take turns.
            self._screen.set_class(pane == name, class_name)
        if pane == "sessions" and self._screen.has_class("-notice"):
            pane = "notice"
        # At once: the next key, which may be here already, belongs to this pane.
        self._screen.set_focus(self._screen.query_one(f"#{pane}", Widget))

    def step(self, by: int) -> None:
        """Go to the next pane (1) or the one before (-1) of those there are."""
        panes = [pane for pane in self.ORDER if self._reachable(pane)]
        here = panes.index(self.focused) if self.focused in panes else 0
        self.go(panes[(here + by) % len(panes)])

    def _reachable(self, pane: str) -> bool:
        if pane == "lineage":
            return self._screen.has_class("-relatives")
        if pane == "transcript":
            return not self._screen.has_class("-notice") and bool(self._screen.query("#transcript"))
        return not (pane == "search" and self._screen.query_one("#search").disabled)
