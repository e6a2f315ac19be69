"""What lies in the trash, and how it is emptied."""

from __future__ import annotations

from storage.engine.store import Store
from storage.keeping.trash_records import TrashedStep


def list_trash(store: Store) -> tuple[TrashedStep, ...]:
    """The deletions that can be taken back, the newest first; reading only."""
    raise NotImplementedError


def interrupted_deletions(store: Store) -> tuple[TrashedStep, ...]:
    """Those of `list_trash` that were cut off (by a power failure, a kill); reading only."""
    raise NotImplementedError


def empty_trash(store: Store, step: str | None = None) -> int:
    """Remove one deletion's copy, or all, for good; returns how many files went."""
    raise NotImplementedError
