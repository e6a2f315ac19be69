"""The keys that act on conversations: each is one call of the rooms in `screens/actions`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.screens.actions.acting import Acting


class ActingKeys:
    """Actions of the browser, by the names that `screens/panes.py` binds."""

    if TYPE_CHECKING:

        @property
        def acting(self) -> Acting:
            """The rooms."""

    def action_mark(self) -> None:
        """Mark the conversation under the cursor, or take its mark away, and move on."""
        self.acting.marking.toggle_and_move()

    def action_extend(self, by: int) -> None:
        """Mark the conversation under the cursor, and move on."""
        self.acting.marking.extend(by)

    def action_mark_all(self) -> None:
        """Mark all that match, or take their marks away."""
        self.acting.marking.toggle_all()

    def action_rename(self) -> None:
        """Give what is under the cursor another title; marks make no difference."""
        self.acting.rename()

    def action_export(self) -> None:
        """Write what is marked or pointed at to a file."""
        self.acting.export()

    def action_delete(self) -> None:
        """Delete what is marked or pointed at, once the person says so."""
        self.acting.delete()

    def action_undo(self) -> None:
        """Take back the last step."""
        self.acting.undoing.undo()

    def action_archive(self) -> None:
        """Put what is marked or pointed at out of the list, or back."""
        from hermes_tui.services.write_lane import Flag

        self.acting.toggle(Flag.ARCHIVED)

    def action_pin(self) -> None:
        """Pin what is marked or pointed at, or let it go."""
        from hermes_tui.services.write_lane import Flag

        self.acting.toggle(Flag.PINNED)
