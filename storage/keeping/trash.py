"""Deleting with a way back: a copy first, on the disk before anything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from storage.engine.connection import Cancel
from storage.engine.store import Store
from storage.keeping.trash_records import Deletion


def trash_sessions(
    store: Store,
    conversations: Sequence[Sequence[str]],
    *,
    with_subagents: bool = True,
    keep_copy: bool = True,
    progress: Callable[[int, int], None] | None = None,
    cancel: Cancel | None = None,
) -> Deletion:
    """Delete conversations, one transaction each, all of them one step that `restore_trash` takes back.

    Exactly the named sessions go, and those that worked for them; children of another kind stay without a parent.

    Args:
        conversations: For each the ids of its sessions that are to go.
        with_subagents: Also deletes the sessions that worked for them, as `delete_session` does.
        keep_copy: False leaves no copy: nothing brings them back.
        progress: Told how many conversations are done, of how many; from the calling thread.
        cancel: Cancelling it stops before the next conversation.

    Returns:
        What was done. What stops it half-way is in `failed` and raised nowhere.
    """
    raise NotImplementedError
