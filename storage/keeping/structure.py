"""What changes how a store is built rather than what is in it: asked for by a person, and told as it goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from storage.engine import migrations, relayout
from storage.engine.writer import WritePolicy, open_writer

if TYPE_CHECKING:
    from storage.engine.store import Store

Progress = Callable[[int, int], None]
"""Gets how many messages have been indexed anew and how many there are."""


def migrate(
    path: str | Path, progress: Progress | None = None, *, policy: WritePolicy | None = None
) -> tuple[int, int]:
    """Bring a store to schema version 23, as `SessionDB(path)` does, and say from where (spec 2).

    The releases 0.13 to 0.19 of Hermes go on working with it. A newer store is left as it is.

    Returns:
        The version before (0 for a file of 0 bytes) and after.

    Raises:
        StoreMissing: There is no file; none is made.
        NotAStore, StoreNotWritable, StoreBusy, StoreDamaged, DiskFull: with a sentence to show; what was done until
            then stays, and calling again goes on.
    """
    writer = open_writer(path, migrate=False, policy=policy)
    try:
        return migrations.migrate(writer, progress)
    finally:
        writer.close()


def optimize_storage(store: Store, progress: Progress | None = None, *, vacuum: bool = True) -> bool:
    """Move the search index from the layout of versions 11 to 22 to the compact one, which keeps no copy of the text.

    In small transactions: others read and write meanwhile, and what a killed call has done the next one goes on with.

    Args:
        vacuum: Give the freed space back at the end, which needs room for a second copy of the file.

    Returns:
        False when there was nothing to do.

    Raises:
        StoreTooNew: A newer Hermes made the store.
        NotEnoughRoom: Nothing was begun.
        StoreBusy, StoreNotWritable, StoreDamaged, DiskFull: with a sentence to show.
    """
    return relayout.optimize_storage(store.writer(), progress, vacuum=vacuum)
