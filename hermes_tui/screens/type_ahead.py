"""Moving and Enter in the list, also when they are typed before the list that they mean is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen


class TypeAhead:
    """Acts at once, and again on what the letters typed before will bring.

    Args:
        screen: Whose list is moved in, and whose conversation is resumed.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen
        self._steps: list[str] = []
        self._entered = False
        self._top = self._came = False
        """What was typed brings another list, which begins at its top; and some of it came."""

    @property
    def _is_early(self) -> bool:
        """The list on show is not the one that was asked for."""
        return not self._screen.furnished or self._screen.finder.pending

    def step(self, step: str) -> None:
        """Move the list's cursor: up, down, page_up, page_down."""
        self._move(step)
        # What a search brings begins at its top; any other list keeps the cursor where this step has put it.
        if self._is_early and (
            self._screen.sessions.cursor_entry is None or self._screen.finder.searching or self._top
        ):
            self._steps.append(step)

    def enter(self) -> None:
        """Resume what is under the cursor; right behind the last letter, what this letter will bring."""
        if self._is_early:
            self._entered = True
        else:
            self._screen.leave()

    def typed(self, *, keep: bool) -> None:
        """Another list was asked for, if it was; `keep`: the cursor stays where it is."""
        self._top, self._came = not keep and self._screen.finder.pending, False

    def begins_at_top(self, *, complete: bool) -> bool:
        """Whether the cursor belongs at the top of an answer: until all of it is here, or the person has moved it."""
        self._top = self._top and not (self._came and self._screen.sessions.cursor)
        self._came, top = True, self._top
        self._top = top and not complete
        return top

    def forget(self) -> None:
        """Something else was typed, or nothing will come."""
        self._steps.clear()
        self._entered = self._top = False

    def catch_up(self) -> None:
        """The list is here: do what was meant for it."""
        steps, entered = self._steps, self._entered
        self._steps, self._entered = [], False
        for step in steps:
            self._move(step)
        if entered:
            self._screen.leave()

    def _move(self, step: str) -> None:
        sessions = self._screen.sessions
        {
            "up": sessions.cursor_up,
            "down": sessions.cursor_down,
            "page_up": sessions.page_up,
            "page_down": sessions.page_down,
        }[step]()
