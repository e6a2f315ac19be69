"""What acting on conversations asks of the store before it writes: reading only, in lanes of their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from hermes_tui.services.store_worker import StoreWorker
from storage.errors import Interrupted, StoreError

if TYPE_CHECKING:
    from storage import Cancel, DeletePreview, Entry, SessionDB, TitleCheck, TrashedStep

PREVIEW, MARKED, INTERRUPTED, TITLE = "preview", "marked", "interrupted", "title"
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
    class TitleChecked(StoreWorker.Answer):
        """What would come of a title, or why the store could not say."""

        serial: int
        title: str
        check: TitleCheck | StoreError

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

    def check_title(self, session_id: str, title: str) -> int:
        """What would come of giving a session this title."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message:
            try:
                return self.TitleChecked(serial, title, db.check_title(session_id, title))
            except Interrupted:
                raise
            except StoreError as error:
                # No news for the screen: the dialog says it beside the title.
                return self.TitleChecked(serial, title, error)

        return self._worker.submit(TITLE, job)

    def interrupted(self) -> int:
        """Whether a deletion was cut off."""

        def job(db: SessionDB, cancel: Cancel, serial: int) -> Message | None:
            steps = db.interrupted_deletions()
            return self.Interrupted(steps) if steps else None

        return self._worker.submit(INTERRUPTED, job)
