"""Conversations written into files, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from hermes_tui.export.formats import Exported, ExportRefused, Format
from hermes_tui.export.names import suggested_name, unique
from hermes_tui.export.writing import appearing, is_directory, make_directory, names_in, sweep
from hermes_tui.text.figures import plural
from storage.errors import StoreError

if TYPE_CHECKING:
    from hermes_tui.export.document import Document
    from storage import Cancel, SessionDB

Progress = Callable[[int, int], None]
"""Called with the conversations that are done and all of them."""


def export(
    db: SessionDB,
    conversations: Sequence[Sequence[str]],
    to: Path | TextIO,
    form: Format,
    *,
    redact: bool | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Exported:
    """Write conversations into a file, a directory or a stream. Calls the store: not for the thread of the screen.

    One conversation, and any number as JSON or JSONL, makes one file; several as Markdown or HTML make one file each
    in the directory `to`, which is made where it is missing. A directory that is given for one file gets it under
    its suggested name. A file appears when it is complete, and only its owner can read it.

    Args:
        conversations: The session ids of each one, part after part. One id alone is exported as that session.
        redact: Mask what looks like a secret; None: in Markdown and HTML, not in JSON and JSONL, which are backups.
        overwrite: Replace what is there.
        progress: Called with the conversations that are done and all of them, on this thread.
        cancel: Cancelling it from another thread stops the export: see `Exported.cancelled`.

    Raises:
        ExportRefused: There is such a file already, or nothing can be written there, or none of the sessions exists.
        StoreError: The store cannot be read.
    """
    if not conversations:
        raise ExportRefused("There is nothing to export.")
    redacting = form.is_document if redact is None else redact
    run = _Run(db, conversations, form, redacting, progress, cancel)
    if not isinstance(to, Path):
        return run.into_stream(to)
    if form.is_document and len(conversations) > 1:
        return run.into_directory(to, overwrite=overwrite)
    return run.into_file(to, overwrite=overwrite)


class _Stopped(Exception):
    """The export was cancelled."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A conversation, ready to be written."""

    name: str
    """Of a file for it alone."""
    pieces: Iterable[str]
    messages: int
    masked: int
    missing: tuple[str, ...]


class _Run:
    """One export: what is asked for, and what is done of it."""

    def __init__(
        self,
        db: SessionDB,
        conversations: Sequence[Sequence[str]],
        form: Format,
        redacting: bool,
        progress: Progress | None,
        cancel: Cancel | None,
    ) -> None:
        self._db = db
        self._conversations = conversations
        self._form = form
        self._redacting = redacting
        self._progress = progress
        self._cancel = cancel
        self._written: list[_Told] = []
        self._missing: list[str] = []

    def into_stream(self, stream: TextIO) -> Exported:
        if self._form.is_document and len(self._conversations) > 1:
            raise ExportRefused(
                "Several conversations need a directory; only JSON and JSONL hold more than one."
            )
        carried = _Carried(stream)
        try:
            self._write(carried.write, self._told(ascii_only=carried.ascii_only))
        except _Stopped:
            return self._exported("", cancelled=True)
        return self._exported("")

    def into_file(self, to: Path, *, overwrite: bool) -> Exported:
        try:
            told = self._told()
            first = next(told)
            path = to / (first.name if len(self._conversations) == 1 else f"conversations.{self._form}")
            path = path if is_directory(to) else to
            self._spare_the_store(path)
            sweep(Path(os.path.realpath(path)).parent)
            with appearing(path, overwrite=overwrite) as file:
                self._write(file.write, chain([first], told))
        except _Stopped:
            self._written.clear()
            return self._exported("", cancelled=True)
        return self._exported(str(path))

    def into_directory(self, to: Path, *, overwrite: bool) -> Exported:
        made = make_directory(to)
        sweep(to)
        # With `overwrite`, only what this export wrote itself is not written over.
        taken = set() if overwrite else names_in(to)
        cancelled = False
        try:
            for told in self._told():
                name = unique(told.name, taken)
                taken.add(name.lower())
                self._spare_the_store(to / name)
                with appearing(to / name, overwrite=overwrite) as file:
                    self._write(file.write, [told])
        except _Stopped:
            cancelled = True
        except StoreError as error:
            if not self._written:
                raise
            done = f"{len(self._written)} of {plural(len(self._conversations), 'conversation')}"
            raise ExportRefused(f"Only {done} were exported to {to}. {error}") from error
        finally:
            if made and not self._written:
                to.rmdir()
        return self._exported(str(to), cancelled=cancelled)

    def _exported(self, path: str, *, cancelled: bool = False) -> Exported:
        return Exported(
            path,
            conversations=len(self._written),
            messages=sum(told.messages for told in self._written),
            masked=sum(told.masked for told in self._written),
            missing=tuple(self._missing),
            cancelled=cancelled,
        )

    def _told(self, *, ascii_only: bool = False) -> Iterator[_Told]:
        """Each conversation that exists; one at a time is in memory."""
        found = False
        for parts in self._conversations:
            self._go_on()
            told = self._composed(parts, ascii_only=ascii_only)
            if told is None:
                self._missing += parts
                continue
            found = True
            self._missing += told.missing
            yield told
        if not found:
            raise ExportRefused("Nothing was exported: the store does not hold this any more.")

    def _composed(self, parts: Sequence[str], *, ascii_only: bool) -> _Told | None:
        if not self._form.is_document:
            from hermes_tui.export import backup

            kept = backup.compose(self._db, parts, redacting=self._redacting)
            if kept is None:
                return None
            name = suggested_name(kept.title, parts[-1], self._form)
            return _Told(name, [kept.text(ascii_only=ascii_only)], kept.messages, kept.masked, kept.missing)
        from hermes_tui.export import document

        page = document.compose(self._db, parts, redacting=self._redacting)
        if page is None:
            return None
        name = suggested_name(page.title, page.id, self._form)
        return _Told(name, self._pages(page), len(page.messages), page.masked, page.missing)

    def _pages(self, page: Document) -> Iterator[str]:
        if self._form is Format.HTML:
            from hermes_tui.export import html

            return html.pages(page)
        from hermes_tui.export import markdown

        return markdown.pages(page)

    def _write(self, write: Callable[[str], object], conversations: Iterable[_Told]) -> None:
        between, end = {Format.JSON: (",\n", "\n]\n"), Format.JSONL: ("\n", "\n")}.get(self._form, ("", ""))
        before = "[\n" if self._form is Format.JSON else ""
        for told in conversations:
            write(before)
            before = between
            for piece in told.pieces:
                self._go_on()
                write(piece)
            self._written.append(replace(told, pieces=()))
            if self._progress is not None:
                self._progress(len(self._written), len(self._conversations))
        write(end)

    def _go_on(self) -> None:
        if self._cancel is not None and self._cancel.cancelled:
            raise _Stopped

    def _spare_the_store(self, path: Path) -> None:
        store = os.path.realpath(self._db.path)
        if os.path.realpath(path) in (store, f"{store}-wal", f"{store}-shm", f"{store}-journal"):
            raise ExportRefused(f"Nothing was exported: {path} belongs to the store.")


class _Carried:
    """A stream that takes any text: what an encoding lacks is written in the way of the format."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        encoding = (stream.encoding or "utf-8").lower().replace("-", "").replace("_", "")
        self.ascii_only = encoding != "utf8"

    def write(self, text: str) -> None:
        if self.ascii_only:
            # JSON is ASCII already; HTML and Markdown know characters by their number.
            text = text.encode("ascii", "xmlcharrefreplace").decode()
        self._stream.write(text)
