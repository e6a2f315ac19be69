"""What a deletion would do, for whoever has to confirm it."""

from __future__ import annotations

from collections.abc import Sequence

from storage.engine.store import Store
from storage.keeping.trash_records import DeletePreview


def preview_delete(
    store: Store, conversations: Sequence[Sequence[str]], *, with_subagents: bool = True
) -> DeletePreview:
    """What `trash_sessions` would do with the same arguments; reading only."""
    raise NotImplementedError
