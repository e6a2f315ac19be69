"""Export: opens the dialog on what is pointed at, and says what was written."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from hermes_tui.export import Exported
from hermes_tui.screens.export_dialog import Exportable, ExportDialog
from hermes_tui.services.export_job import Order
from hermes_tui.services.own_command import NAMED, and_more, option, own_command
from hermes_tui.text.figures import plural

if TYPE_CHECKING:
    from hermes_tui.screens.actions.targets import Targets
    from hermes_tui.screens.browser import BrowserScreen
    from storage import SessionDB


class Exporting:
    """Exports what is pointed at.

    Args:
        screen: Over which it asks.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen

    def ask(self, targets: Targets) -> None:
        """Ask how, and write it."""
        options = self._screen.options
        what = Exportable(
            conversations=self._conversations(targets),
            title=self._title(targets),
            part=targets.part.id if targets.part is not None else None,
            day=datetime.fromtimestamp(options.clock()).strftime("%Y-%m-%d"),
        )
        dialog = ExportDialog(what, self._screen.app.marks, self._open, self._command)
        self._screen.app.push_screen(dialog, self._written)

    def _open(self) -> SessionDB:
        from storage import SessionDB

        return SessionDB(self._screen.options.db_path, read_only=True, clock=self._screen.options.clock)

    def _conversations(self, targets: Targets) -> tuple[tuple[str, ...], ...]:
        """A part stands with its conversation, which may be wanted whole."""
        entry = self._screen.detail.reading.entry
        if targets.part is not None and entry is not None and targets.part.id in entry.parts:
            return (entry.parts,)
        return targets.conversations

    def _title(self, targets: Targets) -> str:
        if targets.part is not None:
            return targets.part.title
        row = self._screen.sessions.known.details(targets.entries[0])
        return row.title if row is not None else ""

    def _command(self, order: Order, whole: bool) -> str:
        flags = ["--format", order.form.value]
        conversations = order.conversations if whole else order.conversations[:NAMED]
        for parts in conversations:
            flags += option("--session-id", parts[-1])
        if any(len(parts) > 1 for parts in order.conversations):
            flags += ["--lineage", "logical"]
        if order.redact != order.form.is_document:
            flags.append("--redact" if order.redact else "--no-redact")
        command = own_command(self._screen.options, "export", str(order.to), flags=flags)
        return command + and_more(len(order.conversations) - len(conversations))

    def _written(self, exported: Exported | None) -> None:
        if exported is not None:
            self._screen.app.say(
                told(exported), severity="warning" if exported.cancelled or exported.missing else "information",
                timeout=12,
            )  # fmt: skip


def told(exported: Exported) -> str:
    """What was written, in a sentence or two; not safe to print."""
    conversations = plural(exported.conversations, "conversation")
    if exported.cancelled:
        return (
            f"Stopped: {conversations} written to {exported.path}."
            if exported.conversations
            else "Stopped: nothing was written."
        )
    said = f"Exported {conversations}, {plural(exported.messages, 'message')}, to {exported.path}."
    if exported.masked:
        said += f" {plural(exported.masked, 'secret')} masked."
    if exported.missing:
        said += f" {plural(len(exported.missing), 'session')} had gone meanwhile."
    return said
