"""Conversations written into files, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from hermes_tui.export.formats import Exported, Format

if TYPE_CHECKING:
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
    raise NotImplementedError
