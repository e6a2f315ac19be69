"""The way to the family tree, for whoever asks before the family is known, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen


class ToLineage:
    """Goes there once there is something to see, or says that there is nothing.

    Args:
        screen: The screen that the tree is on.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen

    def go(self) -> None:
        """Go to the relatives of the conversation under the cursor."""
        # The cursor may have come there with the key before: what is on show belongs to another one.
        self._screen.follow()
        self._screen.detail.when_family_known(self._arrive)

    def _arrive(self) -> None:
        if self._screen.has_class("-relatives"):
            self._screen.panes.go("lineage")
        else:
            self._screen.app.say("This conversation has no relatives.")
