"""What acting on conversations asks of the store before it writes: reading only, in lanes of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from hermes_tui.services.store_worker import StoreWorker

if TYPE_CHECKING:
    from storage import Cancel, DeletePreview, Entry, SessionDB, TrashedStep

PREVIEW, MARKED, INTERRUPTED = "preview", "marked", "interrupted"
"""Lanes."""


class Lookups:
    """Questions to a worker; the answers come to its screen.

    Args:
        worker: Whose threads ask.
    """

    @dataclass
    class Previewed(StoreWorker.Answer):
        """What a deletion would take."""

        serial: int
        preview: DeletePreview

    @dataclass
    class Resolved(StoreWorker.Answer):
        """The conversation that each of these sessions is a part of now; those that are gone are left out."""

        serial: int
        asked: frozenset[str]
        entries: dict[str, Entry]

    @dataclass
    class Interrupted(StoreWorker.Answer):
        """Deletions that were cut off before this start."""

        steps: tuple[TrashedStep, ...]

    def __init__(self, worker: StoreWorker) -> None:
        self._worker = worker

    def preview_delete(self, conversations: Sequence[Sequence[str]], *, with_subagents: bool) -> int:
        """What deleting these sessions of each conversation would take."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            return self.Previewed(serial, db.preview_delete(conversations, with_subagents=with_subagents))

        return self._worker.submit(PREVIEW, job)

    def resolve(self, session_ids: Collection[str]) -> int:
        """What has become of the conversations of these sessions."""
        asked = frozenset(session_ids)

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            return self.Resolved(serial, asked, db.entries_of(asked, cancel))

        return self._worker.submit(MARKED, job)

    def interrupted(self) -> int:
        """Whether a deletion was cut off."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message | None:
            steps = db.interrupted_deletions()
            return self.Interrupted(steps) if steps else None

        return self._worker.submit(INTERRUPTED, job)
