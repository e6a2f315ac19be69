"""Rename: opens the dialog over the row or the part, and carries its questions and its title to the store."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.screens.actions.too_old import why_not
from hermes_tui.screens.actions.writing import Sent
from hermes_tui.screens.rename import RenameDialog
from hermes_tui.services.lookups import Lookups
from hermes_tui.services.own_command import own_command
from hermes_tui.text import safe_text
from hermes_tui.text.figures import plural
from storage import TitleCheck

if TYPE_CHECKING:
    from hermes_tui.screens.actions.acting import Acting
    from hermes_tui.screens.browser import BrowserScreen
    from storage import LineageNode, Renamed, StoreError

HOLDS = "titles"
_NAME_CELLS = 48


class Renaming:
    """Renames one conversation, or one part of it; marks make no difference.

    Args:
        screen: Over which it asks.
        acting: The rooms beside this one.
    """

    def __init__(self, screen: BrowserScreen, acting: Acting) -> None:
        self._screen = screen
        self._acting = acting
        self._dialog: RenameDialog | None = None

    def ask(self) -> None:
        """Ask for the title of what is under the cursor."""
        if (dialog := self._dialog_here()) is not None:
            self._dialog = dialog
            self._screen.app.push_screen(dialog)

    def checked(self, answer: Lookups.TitleChecked) -> None:
        """The store has looked at a title."""
        if self._dialog is None:
            return
        if isinstance(answer.check, TitleCheck):
            self._dialog.checked(answer.check, answer.title)
        else:
            self._dialog.unchecked(why_not(self._screen, answer.check, HOLDS), answer.title)

    # --- what the dialog asks for

    def check(self, dialog: RenameDialog, title: str) -> None:
        """Look what a title would come to."""
        self._acting.lookups.check_title(dialog.session_id, title)

    def rename(self, dialog: RenameDialog, session_id: str, title: str) -> None:
        """Write it."""
        writing = self._acting.writing
        writing.send(
            writing.lane.rename(session_id, title),
            Sent("Renaming", partial(self._renamed, dialog), partial(self._refused, dialog), dialog.waiting),
        )

    def command(self, session_id: str, title: str) -> str:
        """The command that does the same."""
        return own_command(self._screen.options, "rename", session_id, title)

    # --- what comes of it

    def _renamed(self, dialog: RenameDialog, renamed: Renamed) -> None:
        dialog.renamed(renamed)
        title = safe_text.cut(safe_text.line(renamed.title or ""), _NAME_CELLS)
        said = f"Renamed to “{title}”." if title else "The title is removed."
        if renamed.gave_way is not None:
            said += " An earlier part gave it up."
        self._screen.app.say(f"{said} u undoes it.")
        self._acting.undoing.remember(renamed, f"renaming to “{title}”" if title else "removing a title")
        self._acting.writing.refresh()

    def _refused(self, dialog: RenameDialog, error: StoreError) -> None:
        why = why_not(self._screen, error, HOLDS)
        if dialog.left:
            self._screen.app.say(f"Not renamed: {why}", severity="error", timeout=12)
        else:
            dialog.refused(why)

    def _dialog_here(self) -> RenameDialog | None:
        screen = self._screen
        if (node := self._part()) is not None:
            return RenameDialog(node.id, node.title, self, preview=node.preview, part=True)
        if (entry := screen.sessions.cursor_entry) is None:
            return None
        row = screen.sessions.known.details(entry)
        marked = [one.id for one in self._acting.marking.entries]
        note = f"{plural(len(marked), 'conversation')} marked; this is the one under the cursor."
        return RenameDialog(
            entry.id,
            row.title if row is not None else None,
            self,
            preview=row.preview if row is not None else "",
            note=note if marked not in ([], [entry.id]) else "",
        )

    def _part(self) -> LineageNode | None:
        screen = self._screen
        if (node := screen.hand_over.relative) is not None:
            return node
        return screen.detail.reading.node if screen.panes.focused == "transcript" else None
