"""Delete: what goes, what stays, whether it can be undone; and nothing before a key says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hermes_tui.screens.dialog import Dialog
from hermes_tui.styles import STYLES
from hermes_tui.text import delete_text, safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.widgets.shown_command import ShownCommand
from hermes_tui.widgets.tick import Tick

if TYPE_CHECKING:
    from storage import DeletePreview


@dataclass(frozen=True, slots=True)
class DeleteAnswer:
    """How to delete."""

    with_subagents: bool
    keep_copy: bool


class DeleteDialog(Dialog["DeleteAnswer | None"]):
    """Shows what would go, and asks; the answer is how, or None when nothing is to be deleted.

    Args:
        name: Of the conversation or part, or how many there are; safe to print.
        part: It is one part of a conversation.
        marks: The glyphs in use.
        look: Asks what would go, with or without subagents; to be answered by `show`.
        command: The command that does the same as an answer: whole, or short enough to be shown.
    """

    CSS_PATH = STYLES / "delete_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "delete", "delete", id="delete.yes", tooltip="Delete"),
        Binding("n,escape,q", "cancel", "leave", id="delete.no", tooltip="Delete nothing"),
        Binding("enter", "press", "press", id="delete.press", tooltip="Do what is chosen", show=False),
        Binding("down,right,j", "app.focus_next", "next", show=False, id="delete.next", tooltip="The next choice"),
        Binding("up,left,k", "app.focus_previous", "back", show=False, id="delete.back", tooltip="The choice before"),
        Binding("ctrl+y", "copy_command", "copy", id="delete.copy", tooltip="Copy the command that does the same"),
    ]  # fmt: skip

    def __init__(
        self,
        name: str,
        marks: Marks,
        look: Callable[[bool], None],
        command: Callable[[DeleteAnswer, bool], str],
        *,
        part: bool = False,
    ) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self._what = name
        self._part = part
        self._look = look
        self._command = command
        self._preview: DeletePreview | None = None
        self._subagents = 0
        """As many as would go along."""
        self._asked_twice = False
        self._composed = False
        """There is something to draw on: answers may come earlier."""
        # Made here: a key may come before the dialog is composed.
        self._along = Tick("", marks, on=True, id="along")
        self._copy = Tick("", marks, on=True, id="copy")
        self._yes = Button("Delete", id="yes", compact=True)
        self._no = Button("Cancel", id="no", compact=True)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="delete", can_focus=False):
            yield Static(id="name")
            yield Static(id="going")
            yield Static(id="active")
            yield Static(id="staying")
            yield Static(id="running")
            yield Static(id="rule")
            yield self._along
            yield self._copy
            with Horizontal(id="buttons"):
                yield self._yes
                yield self._no
            yield ShownCommand(id="command")

    def on_mount(self) -> None:
        # An app that is leaving composes nothing any more.
        self._composed = bool(self.children)
        self._yes.focus()
        self._draw()

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    @property
    def answer(self) -> DeleteAnswer:
        """How it would be deleted as things are ticked."""
        return DeleteAnswer(with_subagents=self._along.on, keep_copy=self._copy.on)

    # --- what comes back

    def show(self, preview: DeletePreview) -> None:
        """What would go."""
        self._preview = preview
        self._subagents = max(self._subagents, preview.subagents)
        self._draw()

    def fail(self) -> None:
        """Nobody could say what would go."""
        self.dismiss(None)

    # --- what is chosen

    @on(Tick.Changed, "#along")
    def _along_ticked(self) -> None:
        # Until the new figures are here, there is nothing to say yes to.
        self._preview, self._asked_twice = None, False
        self._look(self._along.on)
        self._draw()

    @on(Tick.Changed, "#copy")
    def _copy_ticked(self) -> None:
        self._draw()

    @on(Button.Pressed, "#yes")
    def action_delete(self) -> None:
        """Delete; what is running only when asked for twice."""
        if self._preview is None:
            return
        if not self._preview.conversations:
            self.dismiss(None)
        elif self._preview.running and not self._asked_twice:
            self._asked_twice = True
            self._no.focus()
            self._draw()
        else:
            self.dismiss(self.answer)

    @on(Button.Pressed, "#no")
    def action_cancel(self) -> None:
        """Delete nothing."""
        self.dismiss(None)

    def action_press(self) -> None:
        """Enter on a tick box goes on to the button: that is where the question is answered."""
        (self._yes if self._copy.on else self._no).focus()

    def action_copy_command(self) -> None:
        """Copy the command that does the same."""
        self.copy_command(self._command(self.answer, True))

    # --- drawing

    def _draw(self) -> None:
        if not (self._composed and self.stands):
            return
        preview = self._preview
        title = "delete this part" if self._part else "delete"
        # On a low screen the name stands where nothing scrolls it away.
        low = self.has_class("-short")
        self.query_one("#delete").border_title = Content(f"{title}: {self._what}" if low else title)
        self._put("name", self._what)
        self._along.set_class(not self._subagents, "-none")
        self._copy.label = "a copy in the trash for 30 days" if self._copy.on else "no copy in the trash"
        self._copy.why = "u undoes it" if self._copy.on else "cannot be undone"
        self._copy.set_class(not self._copy.on, "-for-good")
        self._yes.set_class(preview is None, "-not-yet")
        self._yes.label = Content(self._on_the_button())
        self._yes.set_class(self._asked_twice or not self._copy.on, "-for-good")
        self._yes.refresh(layout=True)
        self.query_one("#delete").border_subtitle = f"y {'again ' * self._asked_twice}deletes · Esc cancels"
        if preview is None:
            self._put("going", "looking what goes …")
        elif not preview.conversations:
            self._put("going", "It is gone already.")
            self._put("staying", "")
        else:
            self._along.label = delete_text.along(self._subagents, preview.conversations)
            self._put("going", delete_text.going(preview))
            self._put("active", delete_text.active(preview))
            left = 0 if self._along.on else self._subagents
            self._put("staying", delete_text.staying(preview, part=self._part, subagents=left))
            self._put("running", delete_text.running(preview))
        self.query_one(ShownCommand).show(self._command(self.answer, False))

    def _on_the_button(self) -> str:
        if self._asked_twice:
            return "Delete all the same"
        return "Delete" if self._copy.on else "Delete for good"

    def _put(self, id: str, text: str) -> None:
        widget = self.query_one(f"#{id}", Static)
        widget.update(Content(safe_text.line(text)))
        widget.set_class(not text, "-none")
