"""What keeps a store small and quick: merging its indexes, giving free pages back."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from storage.errors import NotEnoughRoom

if TYPE_CHECKING:
    from storage.engine.writer import Writer


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The size of the store before and after, in bytes."""

    before: int
    after: int


def optimize(writer: Writer) -> int:
    """Merge each search index into one segment; returns how many indexes there were. Nothing is lost by a kill.

    Raises:
        What `Writer.write` raises.
    """
    tables = [table.name for table in (writer.layout.fts, writer.layout.trigram) if table is not None]
    for name in tables:
        # One transaction each, so that other writers get between them.
        writer.write(partial(_merge, name))
    return len(tables)


def _merge(table: str, connection: sqlite3.Connection) -> None:
    connection.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def vacuum(writer: Writer) -> Shrunk:
    """Write the store anew without its free pages; a kill leaves it as it was. Waits like any write.

    Raises:
        NotEnoughRoom: There is no room for a second copy beside the first; nothing was begun.
        What `Writer.write` raises.
    """
    before = writer.outside(lambda connection: _size(writer))
    require_room(writer, 1.0)
    writer.outside(lambda connection: connection.execute("VACUUM"))
    # The new pages lie in the WAL until they are taken over; a reader that is just reading puts that off.
    writer.outside(lambda connection: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())
    return Shrunk(before, _size(writer))


def require_room(writer: Writer, share: float) -> None:
    """See that so many times the size of the store is free where it lies.

    Raises:
        NotEnoughRoom
    """
    needed = int(_size(writer) * share)
    free = shutil.disk_usage(writer.path.parent).free
    if free < needed:
        raise NotEnoughRoom(writer.path, needed, free)


def _size(writer: Writer) -> int:
    return writer.path.stat().st_size
