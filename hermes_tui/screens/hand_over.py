"""Handing a session over: leaving with it, running Hermes and coming back, copying what does the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.errors import BrowserError
from hermes_tui.text import figures

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen
    from hermes_tui.services.resume import ResumeCommand
    from storage import LineageNode


class HandOver:
    """What becomes of the chosen session.

    Args:
        screen: Whose options say how to resume, and whose app is left or suspended.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen

    @property
    def relative(self) -> LineageNode | None:
        """The relative under the tree's cursor while the tree has the focus."""
        focused = self._screen.panes.focused == "lineage"
        return self._screen.detail.relatives.node if focused else None

    @property
    def pointed_at(self) -> str | None:
        """The session that R and y are about: a relative, what the transcript shows, or the list's cursor."""
        if (node := self.relative) is not None:
            return node.id
        if self._screen.panes.focused == "transcript":
            return self._screen.detail.reading.target
        entry = self._screen.sessions.cursor_entry
        return entry.id if entry is not None else None

    def leave_with(self, session_id: str) -> None:
        """End the browser with this session, unless Hermes could not resume it."""
        from hermes_tui.services.resume import Choice

        if self._screen.options.print_only or self._command(session_id) is not None:
            self._screen.app.exit(Choice(session_id))

    def and_return(self, session_id: str) -> bool:
        """Run Hermes on it with the screen put aside. Returns whether it ran."""
        app = self._screen.app
        if (command := self._command(session_id)) is None:
            return False
        if self._screen.options.demo:
            app.say(f"The demo only shows the command: {command.shell_line}")
        elif why := command.why_not():
            app.say(f"{why} {command.shell_line}", severity="warning", timeout=15)
        else:
            try:
                if status := app.run_outside(command):
                    app.say(f"{command.argv[0]} ended with status {status}.", severity="warning")
            except BrowserError as error:
                app.say(str(error), severity="error")
            return True
        return False

    def copy_command(self, session_id: str) -> None:
        """Copy the shell command that resumes it."""
        if (command := self._command(session_id)) is not None:
            self._screen.app.copy(command.shell_line)

    def copy_id(self, session_id: str) -> None:
        """Copy its id."""
        self._screen.app.copy(session_id)

    def copy_message(self, text: str) -> None:
        """Copy the text of a message, or say that it has none."""
        if text:
            self._screen.app.copy(text, f"the message, {figures.plural(len(text), 'character')}")
        else:
            self._screen.app.say("No text to copy here: go to a message that has some.", severity="warning")

    def _command(self, session_id: str) -> ResumeCommand | None:
        try:
            return self._screen.options.resume(session_id)
        except BrowserError as error:
            self._screen.app.say(str(error), severity="warning")
            return None
