"""Esc: clears the search, then leaves the pane, then asks once, then quits; and takes it back for a torn arrow key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_tui.services.broken_arrows import WITHIN_SECONDS

if TYPE_CHECKING:
    from textual.timer import Timer

    from hermes_tui.screens.browser import BrowserScreen

QUIT_AGAIN_SECONDS = 2.0
"""How long the second Esc may take."""


class WayOut:
    """One step towards the exit at a time.

    Args:
        screen: The screen that is left.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen
        self._asked: Timer | None = None
        self._leaving: Timer | None = None

    def escape(self) -> None:
        """Take the next step."""
        screen = self._screen
        if (acting := screen.acting_so_far) is not None and acting.marking.forget_waiting():
            return
        if screen.box.value and not screen.panes.full:
            screen.box.value = ""
        elif screen.panes.full or not screen.box.has_focus:
            screen.action_leave_pane()
        elif self._asked is not None:
            # Unless it was half an arrow key: such a one never quits.
            self._leaving = screen.set_timer(WITHIN_SECONDS, screen.app.exit)
        else:
            screen.keys.note = "Esc again to quit"
            self._asked = screen.set_timer(QUIT_AGAIN_SECONDS, self._forget)

    @property
    def next_quits(self) -> bool:
        """There is nothing to clear and no pane to leave: the next step is the last one, or asks for it."""
        screen = self._screen
        return screen.box.has_focus and not screen.box.value and not screen.panes.full

    def remember(self) -> Callable[[], None]:
        """Note words, what they found, and the pane; calling the answer brings them back."""
        screen = self._screen
        words, pane, entry = screen.box.value, screen.panes.focused, screen.sessions.cursor_entry
        bring_back_found = screen.finder.remember() if screen.furnished else None

        def bring_back() -> None:
            self._forget()
            if self._leaving is not None:
                self._leaving.stop()
            if screen.box.value != words:
                screen.box.value = words
                if bring_back_found is not None:
                    bring_back_found()
                    screen.picture.draw_list(keep=entry.id if entry is not None else "")
            if pane is not None:
                screen.panes.go(pane)

        return bring_back

    def _forget(self) -> None:
        if self._asked is not None:
            self._asked.stop()
        self._asked = None
        self._screen.draw_note()
