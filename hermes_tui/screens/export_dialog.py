"""Export: as what, of what, with which secrets, and where to; then it is written while the dialog shows how far."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, ProgressBar, Static
from textual.widgets.option_list import Option

from hermes_tui.export import Exported, Format, suggested_name
from hermes_tui.screens.dialog import Dialog
from hermes_tui.services.export_job import ExportJob, Order
from hermes_tui.styles import STYLES
from hermes_tui.text import figures, safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.widgets.choices import Choices
from hermes_tui.widgets.line_input import LineInput
from hermes_tui.widgets.shown_command import ShownCommand
from hermes_tui.widgets.tick import Tick
from storage import SessionDB

FORMATS = {
    Format.MARKDOWN: ("Markdown", "to read, anywhere"),
    Format.HTML: ("HTML", "to read in a browser and to print: one file with all in it"),
    Format.JSON: ("JSON", "a backup, for `sessions import` and for programs"),
    Format.JSONL: ("JSONL", "the same, a line for each conversation"),
}


@dataclass(frozen=True, slots=True)
class Exportable:
    """What is on offer: conversations, or in the lineage one part of one."""

    conversations: tuple[tuple[str, ...], ...]
    """The session ids of each, part after part."""
    title: str
    """Of the only one; exactly as stored."""
    part: str | None = None
    """The session that is pointed at in the lineage."""
    day: str = ""
    """Today, as YYYY-MM-DD: names a directory of several."""


class PathInput(LineInput):
    """A path: its blanks stay as they are."""

    def one_line(self, text: str) -> str:
        return safe_text.block(text).strip("\n").replace("\n", " ")


class ExportDialog(Dialog[Exported | None]):
    """Ask how to export, and do it; the answer is what was written, or None where nothing was.

    Args:
        what: The conversations.
        marks: The glyphs in use.
        open_store: Opens the store for reading; called on a thread.
        command: The command that does the same as an order: whole, or short enough to be shown.
    """

    CSS_PATH = STYLES / "export_dialog.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "leave", id="export.cancel", tooltip="Stop, or leave"),
        Binding("enter", "export", "export", id="export.start", tooltip="Write it"),
        Binding("ctrl+y", "copy_command", "copy", id="export.copy", tooltip="Copy the command that does the same"),
    ]  # fmt: skip

    def __init__(
        self,
        what: Exportable,
        marks: Marks,
        open_store: Callable[[], SessionDB],
        command: Callable[[Order, bool], str],
    ) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
        self._what = what
        self._marks = marks
        self._job = ExportJob(self, open_store)
        self._command = command
        self._form = Format.MARKDOWN
        self._refusal = ""
        self._in_the_way: Order | None = None
        """What was not written because there is such a file; to be asked for once more."""
        self._writing = self._stopping = False
        # Made here: a key may come before the dialog is composed.
        self._formats = Choices(*(Option(self._line(form), id=form) for form in Format), id="formats")
        self._formats.highlighted = 0
        self._only_part = Tick("only this part", marks, on=what.part is not None, id="part")
        self._masked = Tick("secrets masked", marks, on=True, id="masked")
        self._to = PathInput(id="to", select_on_focus=False)
        self._to.border_title = "to"
        self._to.border_subtitle = Content(_here())
        self._to.value = self._suggested = self._suggestion()

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="export", can_focus=False):
            yield Static(id="what")
            yield self._formats
            if self._what.part is not None and len(self._what.conversations[0]) > 1:
                yield self._only_part
            yield self._masked
            yield self._to
            yield Static(id="verdict")
            yield ProgressBar(id="progress", show_eta=False)
            yield ShownCommand(id="command")

    def on_mount(self) -> None:
        frame = self.query_one("#export")
        frame.border_title = "export"
        self._formats.focus()
        self._draw()

    def on_unmount(self) -> None:
        self._job.stop()

    # --- what is chosen

    @on(OptionList.OptionHighlighted)
    def _chosen(self) -> None:
        if self._formats.highlighted is None:
            return
        before, self._form = self._form, list(Format)[self._formats.highlighted]
        if before is self._form:
            return
        if before.is_document != self._form.is_document:
            self._masked.on = self._form.is_document
        path = self._to.value
        if path == self._suggested:
            self._suggest()
        elif path.endswith(f".{before}"):
            self._put(path.removesuffix(before) + self._form)
        self._draw_formats()
        self._changed()

    @on(Tick.Changed)
    def _ticked(self) -> None:
        if self._to.value == self._suggested:
            self._suggest()
        self._changed()

    @on(Input.Changed)
    def _changed(self) -> None:
        # Whoever asked to replace a file asked for that very file.
        if self._in_the_way is not None and self._in_the_way != self._order():
            self._in_the_way = None
        self._refusal = ""
        self._draw()

    @on(OptionList.OptionSelected)
    @on(Input.Submitted)
    def action_export(self) -> None:
        """Write it; a file that is there only when asked for once more."""
        if self._writing or self.left:
            return
        order = self._order()
        if not self._to.value.strip():
            self._refuse("Say where to: a file, or a directory.")
            return
        self._writing = True
        self._refusal = ""
        again, self._in_the_way = order == self._in_the_way, None
        self.query_one("#progress", ProgressBar).update(total=None, progress=0)
        self._job.start(replace(order, overwrite=again))
        self._draw()

    def action_cancel(self) -> None:
        """Stop what is being written, else leave."""
        if not self._writing:
            self.dismiss(None)
        elif not self._stopping:
            self._stopping = True
            self._job.stop()
            self._draw()

    def action_copy_command(self) -> None:
        """Copy the command that does the same."""
        self.copy_command(self._command(self._order(), True))

    # --- what comes back

    @on(ExportJob.Progressed)
    def _progressed(self, answer: ExportJob.Progressed) -> None:
        # One conversation is done when all is: until then there is no telling how far it is.
        if answer.total > 1 and self.stands:
            self.query_one("#progress", ProgressBar).update(total=answer.total, progress=answer.done)

    @on(ExportJob.Exists)
    def _exists(self, answer: ExportJob.Exists) -> None:
        self._writing = self._stopping = False
        self._in_the_way = replace(answer.order, overwrite=False)
        self._draw()
        self._to.focus()

    @on(ExportJob.Failed)
    def _failed(self, answer: ExportJob.Failed) -> None:
        self._writing = self._stopping = False
        self._refuse(str(answer.error))

    @on(ExportJob.Finished)
    def _finished(self, answer: ExportJob.Finished) -> None:
        self.dismiss(answer.exported)

    # --- what that makes

    def _order(self) -> Order:
        return Order(
            conversations=self._conversations(),
            to=self._file(),
            form=self._form,
            redact=self._masked.on,
        )

    def _file(self) -> Path:
        """The file, or for several documents the directory; in a directory that is there it gets a name."""
        path = _path(self._to.value)
        if self._makes_directory or not os.path.isdir(path):
            return path
        one = len(self._conversations()) == 1
        return path / (self._suggestion() if one else f"conversations.{self._form}")

    @property
    def _makes_directory(self) -> bool:
        return len(self._conversations()) > 1 and self._form.is_document

    def _conversations(self) -> tuple[tuple[str, ...], ...]:
        if self._what.part is not None and self._only_part.on:
            return ((self._what.part,),)
        return self._what.conversations

    def _suggestion(self) -> str:
        if len(self._what.conversations) == 1:
            return suggested_name(self._what.title, self._conversations()[0][-1], self._form)
        name = f"hermes-{self._what.day}"
        return name if self._form.is_document else f"{name}.{self._form}"

    def _suggest(self) -> None:
        self._suggested = self._suggestion()
        self._put(self._suggested)

    def _put(self, path: str) -> None:
        self._to.value = path
        self._to.cursor_position = len(path)

    # --- drawing

    def _refuse(self, why: str) -> None:
        self._refusal = why
        self._draw()
        self._to.focus()

    def _draw(self) -> None:
        if not self.stands:
            return
        self._masked.why = self._about_secrets()
        self.set_class(self._writing, "-running")
        for widget in (self._formats, self._only_part, self._masked, self._to):
            widget.disabled = self._writing
        self._to.set_class(bool(self._refusal), "-refused")
        keys = "Esc stops" if self._writing else "Enter exports · Esc cancels"
        self.query_one("#export").border_subtitle = keys
        self.query_one("#what", Static).update(Content(self._count()))
        words, style = self._verdict()
        self.query_one("#verdict", Static).update(Content.styled(safe_text.line(words), style))
        self.query_one(ShownCommand).show(self._command(self._order(), False))

    def _draw_formats(self) -> None:
        for form in Format:
            self._formats.replace_option_prompt(form, self._line(form))

    def _line(self, form: Format) -> Content:
        name, what_for = FORMATS[form]
        cursor = self._marks.marked if form is self._form else self._marks.empty
        return Content.assemble((f"{cursor} ", "$accent bold"), f"{name:<10}", (what_for, "$text-muted"))

    def _count(self) -> str:
        conversations = self._conversations()
        parts = sum(map(len, conversations))
        if self._what.part is not None and self._only_part.on:
            # A session that worked for others is a conversation of its own.
            whole = len(self._what.conversations[0])
            return f"1 part of {whole}" if whole > 1 else "1 session"
        count = figures.plural(len(conversations), "conversation")
        return f"{count}, {figures.plural(parts, 'part')} in all" if parts > len(conversations) else count

    def _about_secrets(self) -> str:
        if self._form.is_document:
            return (
                "so that it can be passed on"
                if self._masked.on
                else "no: keys and passwords stand there as they are"
            )
        return "then it is no exact backup" if self._masked.on else "no: a backup is exact"

    def _verdict(self) -> tuple[str, str]:
        if self._stopping:
            return "Stopping …", "$text-muted"
        if self._writing:
            return "Writing …", "$text-muted"
        if self._refusal:
            return self._refusal, "$error"
        if self._in_the_way is not None:
            return f"{self._in_the_way.to.name} is there already. Enter again replaces it.", "$warning"
        if self._makes_directory:
            return "A directory, with one file for each conversation.", "$text-muted"
        if self._to.value.strip() and (file := self._file()) != _path(self._to.value):
            return f"{self._marks.arrow} {file}", "$text-muted"
        return "", ""


def _here() -> str:
    """Where a path begins that does not begin at the root."""
    try:
        here = Path.cwd()
    except OSError:
        return ""
    home = Path.home()
    return safe_text.line(f"in {Path('~') / here.relative_to(home) if here.is_relative_to(home) else here}")


def _path(text: str) -> Path:
    """The path that was typed; one that names nobody's home is taken as it stands."""
    path = Path(text.strip())
    try:
        return path.expanduser()
    except RuntimeError:
        return path
