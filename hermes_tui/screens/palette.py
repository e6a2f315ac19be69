"""The command palette: how its commands are found; and for keys that come before it is laid out and behind its end."""

from __future__ import annotations

from textual import on
from textual.command import CommandList, CommandPalette
from textual.message import Message
from textual.widgets import Input, OptionList

from hermes_tui.screens.dialog import LeftOnce


def title(word: str, what: str) -> str:
    """What a command is found by: what it does, behind the footer's word for it where that is not in it."""
    words = what.casefold().replace(",", "").split()
    if all(part in words for part in word.casefold().split()):
        return what
    return f"{word.capitalize()}: {what[:1].lower()}{what[1:]}"


class Palette(LeftOnce[None], CommandPalette):
    """Textual's, left once, with one command."""

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _chosen(self, message: Message) -> None:
        # Textual 8.2 runs the command once more for every Enter that was typed behind the first.
        if self.left:
            message.stop().prevent_default()

    def _action_command_list(self, action: str) -> None:
        # Textual 8.2 fails at turning a page that is not laid out yet.
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
