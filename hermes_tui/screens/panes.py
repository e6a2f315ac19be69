"""The panes of the browser and the keys that live in them. Every binding has an id, so that a user can remap it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical

ANYWHERE: list[BindingType] = [
    Binding(
        "escape", "escape", "clear", key_display="esc", id="browser.escape", tooltip="Clear, leave, quit"
    ),
    Binding(
        "tab", "next_pane(1)", "next pane", key_display="tab", id="browser.next_pane",
        tooltip="Next pane",
    ),
    Binding(
        "shift+tab", "next_pane(-1)", "pane", show=False, id="browser.previous_pane",
        tooltip="Previous pane",
    ),
    Binding("f1", "help", "help", key_display="F1", id="browser.help", tooltip="The keys of this pane"),
    Binding("f2", "rename", "rename", show=False, id="browser.rename", tooltip="Give it another title"),
    Binding("f5", "refresh", "refresh", show=False, id="browser.refresh", tooltip="Read the store again"),
    Binding("f8", "delete", "delete", show=False, id="browser.delete", tooltip="Delete, with a way back"),
    Binding("D", "demo", "demo", id="browser.demo", tooltip="Open the demo store"),
]  # fmt: skip
"""Keys of the whole browser."""


class ListPane(Vertical):
    """The session list, or the notice in its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "screen.search", "search", id="list.search", tooltip="Go to the search box"),
        Binding("space", "screen.mark", "mark", id="list.mark", tooltip="Mark it for the next action, and move on"),
        Binding(
            "shift+down", "screen.extend(1)", "mark", show=False, id="list.mark_down", tooltip="Mark it, and move down"
        ),
        Binding("shift+up", "screen.extend(-1)", "mark", show=False, id="list.mark_up", tooltip="Mark it, and move up"),
        Binding(
            "A", "screen.mark_all", "mark all", show=False, id="list.mark_all",
            tooltip="Mark all that match, or take their marks back",
        ),
        Binding("r", "screen.rename", "rename", id="list.rename", tooltip="Give it another title"),
        Binding("d", "screen.delete", "delete", id="list.delete", tooltip="Delete, with a way back"),
        Binding("u", "screen.undo", "undo", show=False, id="list.undo", tooltip="Undo the last step"),
        Binding("a", "screen.archive", "archive", id="list.archive", tooltip="Archive, or take it back"),
        Binding("question_mark", "screen.help", "help", id="list.help", tooltip="The keys of this pane"),
        Binding("e", "screen.export", "export", id="list.export", tooltip="Write it to a file"),
        Binding("p", "screen.pin", "pin", id="list.pin", tooltip="Pin to the top, or let it go"),
        Binding("t", "screen.lineage", "lineage", id="list.lineage", tooltip="Show what it grew from"),
        Binding("y", "screen.copy_command", "copy command", id="list.copy_command", tooltip="Copy the resume command"),
        Binding("Y", "screen.copy_id", "copy id", show=False, id="list.copy_id", tooltip="Copy the session id"),
        Binding("h", "screen.hidden", "hidden", id="list.hidden", tooltip="Show or hide classes of conversations"),
        Binding("s", "screen.sort", "sort", id="list.sort", tooltip="Sort by the next order"),
        Binding(
            "R", "screen.resume_and_return", "resume & return", id="list.resume_return",
            tooltip="Resume in Hermes and come back here", show=False,
        ),
        Binding("q", "app.quit", "quit", id="list.quit", tooltip="Leave"),
    ]  # fmt: skip


class ReadingPane(Container):
    """The transcript."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash", "screen.search", "search", id="transcript.search",
            tooltip="Go to the search box",
        ),
        Binding(
            "R", "screen.resume_and_return", "resume & return", id="transcript.resume_return",
            tooltip="Resume in Hermes and come back here",
        ),
        Binding("y", "screen.copy_message", "copy message", id="transcript.copy_message", tooltip="Copy the message"),
        Binding("e", "screen.export", "export", id="transcript.export", tooltip="Write it to a file"),
        Binding("t", "screen.lineage", "lineage", id="transcript.lineage", tooltip="Show what it grew from"),
        # On a small screen a part that the lineage shows takes its place: the key for back works there, too.
        Binding(
            "backspace", "screen.lineage", "lineage", show=False, id="transcript.back",
            tooltip="Show what it grew from",
        ),
        Binding("question_mark", "screen.help", "help", id="transcript.help", tooltip="The keys of this pane"),
        Binding("q", "screen.leave_pane", "back", show=False, id="transcript.leave", tooltip="Back to the list"),
    ]  # fmt: skip


class LineagePane(Container):
    """The family tree."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "R", "screen.resume_and_return", "resume & return", id="lineage.resume_return",
            tooltip="Resume this part in Hermes and come back here",
        ),
        Binding(
            "y", "screen.copy_command", "copy command", id="lineage.copy_command",
            tooltip="Copy its resume command",
        ),
        Binding("Y", "screen.copy_id", "copy id", show=False, id="lineage.copy_id", tooltip="Copy its session id"),
        Binding("r", "screen.rename", "rename", id="lineage.rename", tooltip="Give this part another title"),
        Binding("e", "screen.export", "export", id="lineage.export", tooltip="Write this part to a file"),
        Binding("d", "screen.delete", "delete", id="lineage.delete", tooltip="Delete this part alone"),
        Binding("u", "screen.undo", "undo", show=False, id="lineage.undo", tooltip="Undo the last step"),
        Binding(
            "slash", "screen.search", "search", show=False, id="lineage.search",
            tooltip="Go to the search box",
        ),
        Binding("t,q", "screen.leave_pane", "list", show=False, id="lineage.leave", tooltip="Back to the list"),
        Binding("question_mark", "screen.help", "help", id="lineage.help", tooltip="The keys of this pane"),
    ]  # fmt: skip
