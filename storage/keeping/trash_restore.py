"""Deletions taken back."""

from __future__ import annotations

from collections.abc import Sequence

from storage.engine.store import Store
from storage.keeping.trash_records import Restored


def restore_trash(store: Store, step: str, session_ids: Sequence[str] | None = None) -> Restored:
    """Bring back what a deletion took, exactly: ids, titles, parents, counters, search, files.

    A session that is there already is skipped. A title that another one has by now comes back numbered.

    Args:
        step: As `list_trash` and `trash_sessions` name it.
        session_ids: Only these of it; the others stay restorable.
    """
    raise NotImplementedError
