"""Which actions work now: the footer, the help and the palette offer no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen

NEEDS_STORE = frozenset({"search", "hidden", "sort", "next_pane", "leave_pane", "undo"})
NEEDS_CONVERSATION = frozenset(
    {"lineage", "copy_command", "copy_id", "copy_message", "resume_and_return", "mark", "extend", "mark_all"}
)
NEEDS_TARGET = frozenset({"delete", "archive", "pin", "rename", "export"})


def works(screen: BrowserScreen, action: str) -> bool:
    """Whether an action of the screen has something to act on."""
    if action == "demo":
        return not screen.opened
    if action == "resume_and_return" and screen.options.print_only:
        return False
    if action in NEEDS_STORE:
        return screen.opened
    if action in NEEDS_TARGET:
        return screen.opened and (screen.sessions.cursor_entry is not None or bool(screen.sessions.marked))
    return action not in NEEDS_CONVERSATION or screen.sessions.cursor_entry is not None
