"""Rename: a title in an input, and under it what would become of it, checked with every letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.widgets import Input, Static

from hermes_tui.screens.dialog import Dialog
from hermes_tui.styles import STYLES
from hermes_tui.text import figures, safe_text
from hermes_tui.widgets.line_input import LineInput
from hermes_tui.widgets.shown_command import ShownCommand
from storage import Renamed, TitleCheck
from storage.conversation.titles import LONGEST


class Titles(Protocol):
    """Whoever asks the store about titles and writes them; the answers come to the dialog's methods."""

    def check(self, dialog: RenameDialog, title: str) -> None:
        """Look what a title would come to: `checked`, or `unchecked`."""

    def rename(self, dialog: RenameDialog, session_id: str, title: str) -> None:
        """Write it: `renamed` or `refused`, and `waiting` while another process holds the store."""

    def command(self, session_id: str, title: str) -> str:
        """The command that does the same."""


class TitleInput(LineInput):
    """The title. What cannot be shown of a text that is put in is left out, and counted."""

    left_out = 0
    """Characters, blanks aside, that the last text put in lost."""

    def one_line(self, text: str) -> str:
        line = safe_text.line(text)
        self.left_out = len("".join(text.split())) - len("".join(line.split()))
        return line


class RenameDialog(Dialog[Renamed | None]):
    """Ask for a title and have it written; the answer is what was written, or None where nothing was.

    Args:
        session_id: The session that gets the title.
        title: What is called so now, as stored; None asks the store.
        titles: Where questions and the title go.
        preview: What stands in the title's place where there is none.
        part: One part of a conversation is meant, not the conversation as the list shows it.
        note: A sentence about what is renamed and what is not.
    """

    CSS_PATH = STYLES / "rename.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "leave", id="rename.cancel", tooltip="Change nothing"),
        Binding("ctrl+y", "copy_command", "copy", id="rename.copy", tooltip="Copy the command that does the same"),
    ]  # fmt: skip

    def __init__(
        self,
        session_id: str,
        title: str | None,
        titles: Titles,
        *,
        preview: str = "",
        part: bool = False,
        note: str = "",
    ) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self.session_id = session_id
        self._titles = titles
        self._part = part
        self._note = note
        self._present = title
        self._check: TitleCheck | None = None
        """What is known about the text as it stands; None until the store has answered."""
        self._asked: str | None = None
        self._left_out = 0
        self._failure = ""
        self._entered = self._writing = self._waiting = False
        # Made here: a key may come before the dialog is composed.
        self._input = TitleInput(
            placeholder=safe_text.cut(safe_text.line(preview), 60), id="title", select_on_focus=False
        )
        self._input.value = self._input.one_line(title or "")
        self._untouched = self._input.value

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="rename", can_focus=False):
            yield self._input
            yield Static(id="verdict")
            yield ShownCommand(id="command")

    def on_mount(self) -> None:
        frame = self.query_one("#rename")
        frame.border_title = "rename this part" if self._part else "rename"
        frame.border_subtitle = "Enter renames · Esc cancels"
        self._input.focus()
        self._ask()

    async def on_key(self, event: Key) -> None:
        """A key that was typed behind the one that opened the dialog; none counts while the title is written."""
        if not self._writing:
            await self._input.catch_up(event)

    @property
    def text(self) -> str:
        """What is typed."""
        return self._input.value

    # --- what comes back

    def checked(self, check: TitleCheck, title: str) -> None:
        """The store has looked; an answer about a text that stands there no more is dropped."""
        if title != self.text:
            return
        self._check = check
        if self._present is None and self._take_present(check):
            return
        if self._entered:
            self._write()
        self._draw()

    def unchecked(self, why: str, title: str) -> None:
        """The store could not look; whether the title can be had is then found out by writing it."""
        if title != self.text:
            return
        self._failure = why
        if self._entered:
            self._write()
        self._draw()

    def waiting(self) -> None:
        """Another process holds the store."""
        self._waiting = True
        self._draw()

    def refused(self, why: str) -> None:
        """It was not written. The text stays as it is."""
        self._writing = self._waiting = False
        self._failure = why
        self._input.disabled = False
        self._input.focus()
        self._draw()

    def renamed(self, renamed: Renamed) -> None:
        """It was written."""
        self.dismiss(renamed)

    # --- what is typed

    @on(Input.Changed)
    def _typed(self) -> None:
        # An input announces the value that it begins with, too.
        if self.text != self._asked:
            self._ask()

    @on(Input.Submitted)
    def _enter(self) -> None:
        if self._present is not None and self.text == self._untouched:
            self.dismiss(None)
        elif self._check is None and not self._failure:
            self._entered = True
        else:
            self._write()

    def action_cancel(self) -> None:
        """Leave; what is being written already is written."""
        if self._writing:
            self.notify("The title is written as soon as the store is free.", markup=False)
        self.dismiss(None)

    def action_copy_command(self) -> None:
        """Copy the command that does the same."""
        self.copy_command(self._command())

    def _ask(self) -> None:
        self._check, self._failure, self._entered = None, "", False
        self._asked = self.text
        self._left_out, self._input.left_out = self._input.left_out, 0
        self._titles.check(self, self.text)
        self._draw()

    def _write(self) -> None:
        self._entered = False
        if self.left or self._writing or (self._check is not None and self._check.refusal is not None):
            return
        self._writing, self._failure = True, ""
        self._input.disabled = True
        self._titles.rename(self, self._target(), self.text)
        self._draw()

    def _take_present(self, check: TitleCheck) -> bool:
        """The title that the list would show, now that the store has told it.

        What was typed meanwhile stands behind it, as it would had the title been there from the beginning.

        Returns:
            Whether the text is another one now, which the store has yet to look at.
        """
        self._present = check.own or next((title for _, title in check.earlier), "")
        self._untouched = self._input.one_line(self._present)
        if not self._untouched:
            return False
        typed, entered = self.text, self._entered
        self._input.value = self._input.one_line(self._untouched + typed)
        self._input.cursor_position = len(self.text)
        if entered and not typed:
            self.dismiss(None)
        else:
            self._ask()
            self._entered = entered
        return True

    def _target(self) -> str:
        """The session whose title changes: an earlier part, where it is that one's title the list shows and it goes."""
        check = self._check
        if check is None or self._part or check.clean or check.own or not check.earlier:
            return self.session_id
        return check.earlier[0][0]

    # --- what is said

    def _command(self) -> str:
        return self._titles.command(self._target(), self.text)

    def _draw(self) -> None:
        if not self.stands:
            return
        lines = [self._first_line(), *((line, "$text-muted") for line in self._remarks())]
        verdict = Content("\n").join([Content.styled(line, style) for line, style in lines])
        self.query_one("#verdict", Static).update(verdict)
        self.query_one(ShownCommand).show(self._command())
        self._input.set_class(bool(self._refusal()), "-refused")

    def _refusal(self) -> str:
        refusal = self._check.refusal if self._check is not None else None
        return safe_text.line(self._failure or str(refusal or ""))

    def _first_line(self) -> tuple[str, str]:
        if self._waiting:
            return "Waiting for the store: another process is writing to it …", "$warning"
        if self._writing:
            return "Renaming …", "$text-muted"
        if refusal := self._refusal():
            return refusal, "$error"
        if (check := self._check) is None:
            return f"{len(self.text.strip())}/{LONGEST}", "$text-muted"
        if check.clean is None:
            return self._without(check), "$text"
        state = "unchanged" if self.text == self._untouched else "" if check.gives_way else "free"
        return f"{check.length}/{check.limit}" + (f" · {state}" if state else ""), "$text-muted"

    def _without(self, check: TitleCheck) -> str:
        """What there is to see of the conversation without the title."""
        left = () if self._part else check.earlier[not check.own :]
        instead = (
            f"“{safe_text.line(left[0][1])}”, the title of an earlier part" if left else "the first words"
        )
        if not (check.own or (check.earlier and not self._part)):
            return f"No title: {instead} stand in its place."
        where = "lineage" if self._part else "list"
        return f"The title will be removed; the {where} shows {instead}."

    def _remarks(self) -> Iterator[str]:
        if self._note:
            yield self._note
        if self._left_out:
            yield f"Left out: {figures.plural(self._left_out, 'character')} that cannot be shown."
        if (check := self._check) is None or check.clean is None or check.refusal is not None:
            return
        # A blank behind a word is only about to have another word behind it.
        if check.clean != self.text.rstrip():
            yield f"Will be stored as “{safe_text.line(check.clean)}”."
        if check.gives_way and check.holder is not None:
            part, source = map(safe_text.line, check.holder)
            yield f"The earlier part {part} ({source}) gives this title up."
