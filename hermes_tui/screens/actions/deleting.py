"""Delete: asks, with all that goes in figures, and does it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.screens.actions.writing import Sent
from hermes_tui.services.lookups import Lookups
from hermes_tui.services.own_command import NAMED, and_more, own_command
from hermes_tui.text import delete_text

if TYPE_CHECKING:
    from hermes_tui.screens.actions.acting import Acting
    from hermes_tui.screens.actions.delete_dialog import DeleteAnswer, DeleteDialog
    from hermes_tui.screens.actions.targets import Targets
    from hermes_tui.screens.browser import BrowserScreen
    from storage import Deletion


class Deleting:
    """Deletes what is pointed at.

    Args:
        screen: Over which it asks.
        acting: The rooms beside this one.
    """

    def __init__(self, screen: BrowserScreen, acting: Acting) -> None:
        self._screen = screen
        self._acting = acting
        self._dialog: DeleteDialog | None = None

    def ask(self, targets: Targets) -> None:
        """Show what would go, and delete it when the person says so."""
        from hermes_tui.screens.actions.delete_dialog import DeleteDialog

        conversations = targets.conversations

        def look(with_subagents: bool) -> None:
            self._acting.lookups.preview_delete(conversations, with_subagents=with_subagents)

        self._dialog = DeleteDialog(
            targets.name,
            self._screen.app.marks,
            look,
            partial(self._command, targets),
            part=targets.part is not None,
        )
        self._screen.app.push_screen(self._dialog, partial(self._answered, targets))
        look(True)

    def previewed(self, answer: Lookups.Previewed) -> None:
        """What would go is known."""
        if self._dialog is not None:
            self._dialog.show(answer.preview)

    def failed(self) -> None:
        """What would go could not be found out."""
        if self._dialog is not None:
            self._dialog.fail()

    def _answered(self, targets: Targets, answer: DeleteAnswer | None) -> None:
        self._dialog = None
        if answer is None:
            return
        serial = self._acting.writing.lane.delete(
            targets.conversations, with_subagents=answer.with_subagents, keep_copy=answer.keep_copy
        )
        many = len(targets.conversations)
        self._acting.writing.send(
            serial, Sent(f"Deleting {targets.name}", partial(self._deleted, targets), many=many)
        )

    def _deleted(self, targets: Targets, deletion: Deletion) -> None:
        acting, reading = self._acting, self._screen.detail.reading
        gone = frozenset(deletion.deleted)
        self._screen.app.say(
            delete_text.deleted(deletion, targets.quoted),
            severity="information" if deletion.failed is None else "error",
            timeout=12,
        )
        if acting.writing.is_leaving:
            way_back = own_command(self._screen.options, "trash", "restore", deletion.step)
            acting.writing.say_at_last(delete_text.deleted(deletion, targets.quoted, way_back))
        if deletion.conversations:
            acting.undoing.remember(deletion, delete_text.gone(deletion, targets.quoted))
        while reading.part in gone and reading.back():
            pass
        whole = frozenset(entry.id for entry in targets.entries if gone.issuperset(entry.parts))
        acting.marking.drop(whole)
        acting.writing.refresh(whole, keep=self._rest_of(targets, gone))

    def _rest_of(self, targets: Targets, gone: AbstractSet[str]) -> str | None:
        """A session that is left of the conversation whose part went: the cursor stays with it."""
        if targets.part is None:
            return None
        for entry in self._screen.finder.entries:
            if targets.part.id in entry.parts:
                return next((part for part in entry.parts if part not in gone), None)
        return None

    def _command(self, targets: Targets, answer: DeleteAnswer, whole: bool) -> str:
        flags = [
            *(["--chain"] if targets.part is None else []),
            *(["--with-subagents"] if answer.with_subagents else []),
            *([] if answer.keep_copy else ["--purge"]),
        ]
        ids = targets.ids if whole else targets.ids[:NAMED]
        command = own_command(self._screen.options, "delete", *ids, flags=flags)
        return command + and_more(len(targets.ids) - len(ids))
