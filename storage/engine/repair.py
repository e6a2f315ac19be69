"""Repairs a damaged schema or index in place: a copy of the store first, then one means after the other.

Each means works in one transaction, which is committed only if the store is whole afterwards.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from storage import locations
from storage.engine import fts
from storage.engine.creation import SCHEMA_VERSION, claim, statements
from storage.engine.failures import decoded, is_damage, refused, words
from storage.engine.health import problem
from storage.engine.layout import look
from storage.engine.opening import text
from storage.engine.reconcile import make_titles_single
from storage.engine.writer import WritePolicy
from storage.errors import CannotRepair, NotAStore, StoreError, StoreMissing

_UNREADABLE = re.compile(r"malformed database schema \((.*?)\)")

Means = Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Repaired:
    """What helped."""

    strategy: str
    """"already_healthy", or the name of the means: rebuild_fts, reindex, dedup_schema, drop_unreadable,
    drop_fts_rebuild."""
    backup: Path | None
    """The copy of the store as it was before; None when nothing was changed."""


def repair(path: str | Path, policy: WritePolicy | None = None) -> Repaired:
    """Make a damaged store usable again without losing a row; a healthy one is not touched.

    The copy is beside the store, `<name>.malformed-backup-YYYYMMDD_HHMMSS`, readable by its owner alone.

    Raises:
        CannotRepair: Nothing helped, or no copy could be made; the store is as it was.
        StoreMissing, NotAStore, StoreBusy, StoreNotWritable, DiskFull: with a sentence to show.
    """
    place = locations.absolute(path)
    file = Path(os.path.realpath(place))
    if not file.is_file():
        raise NotAStore(place, "is not a file") if file.exists() else StoreMissing(place)
    wait = (policy or WritePolicy()).budget
    found = _attempt(place, file, wait, None)
    if found is None:
        return Repaired("already_healthy", None)
    backup = _back_up(place, file, found)
    for name, means in _STRATEGIES.items():
        if _attempt(place, file, wait, means) is None:
            with closing(_connect(file, wait)) as connection, suppress(sqlite3.DatabaseError):
                # Gives back pages that nothing uses any more; without room for it they do no harm.
                connection.execute("VACUUM")
            return Repaired(name, backup)
    raise CannotRepair(place, found, backup)


def _attempt(place: Path, file: Path, wait: float, means: Means | None) -> str | None:
    """Try one means, or only look; what is still wrong then (and nothing was changed), or None."""
    try:
        with decoded(), closing(_connect(file, wait)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if means is not None:
                means(connection)
            wrong = problem(connection)
            connection.execute("ROLLBACK" if wrong or means is None else "COMMIT")
            return wrong
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return words(error)
        raise refused(error, place) from error


def _connect(file: Path, wait: float) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=wait, isolation_level=None)
    connection.text_factory = text
    return connection


def _back_up(place: Path, file: Path, found: str) -> Path:
    """Copy the store as it is, with what its WAL holds, or else byte by byte with its side files."""
    backup = file.with_name(f"{file.name}.malformed-backup-{time.strftime('%Y%m%d_%H%M%S')}")
    while os.path.lexists(backup):
        backup = backup.with_name(f"{backup.name}_")
    try:
        claim(backup)
        try:
            with closing(_connect(file, 1.0)) as source, closing(sqlite3.connect(backup)) as copy:
                source.backup(copy)
        except sqlite3.DatabaseError:
            _copy_bytes(file, backup)
    except (OSError, subprocess.CalledProcessError, StoreError) as error:
        backup.unlink(missing_ok=True)
        raise CannotRepair(place, f"{found}; copying it failed: {error}", None) from error
    return backup


def _copy_bytes(file: Path, backup: Path) -> None:
    for suffix in ("", "-wal", "-journal"):
        if os.path.lexists(f"{file}{suffix}"):
            claim(Path(f"{backup}{suffix}"))
            # In a process of its own: closing a handle to the file would drop the locks that this one has on it.
            copy = "import shutil, sys; shutil.copyfile(*sys.argv[1:])"
            subprocess.run(
                [sys.executable, "-c", copy, f"{file}{suffix}", f"{backup}{suffix}"],
                check=True,
                capture_output=True,
            )


# --- the means, from the mildest on
# With writable_schema on, SQLite reads a schema that contradicts itself, and lets its rows be deleted. RESET reads the
# schema anew; once FTS5 has written in the transaction it would forget what FTS5 still keeps in memory.


def _rebuild_fts(connection: sqlite3.Connection) -> None:
    fts.rebuild(connection, look(lambda sql: connection.execute(sql).fetchall()))


def _reindex(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("REINDEX")
    except sqlite3.IntegrityError:
        make_titles_single(connection)
        connection.execute("REINDEX")


def _dedup_schema(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA writable_schema=ON")
    connection.execute(
        "DELETE FROM sqlite_master WHERE rowid NOT IN (SELECT min(rowid) FROM sqlite_master GROUP BY type, name)"
    )
    connection.execute("PRAGMA writable_schema=RESET")


def _drop_unreadable(connection: sqlite3.Connection) -> None:
    """Delete the indexes, triggers and views that SQLite cannot read, and make those of them that are ours anew."""
    dropped = set()
    while unreadable := _unreadable(connection):
        connection.execute("PRAGMA writable_schema=ON")
        # By their rows: a name that is no UTF-8 cannot be asked for.
        named = connection.execute(
            "SELECT rowid, name FROM sqlite_master WHERE type IN ('index', 'trigger', 'view')"
        ).fetchall()
        rowids = [(rowid,) for rowid, name in named if name == unreadable]
        connection.executemany("DELETE FROM sqlite_master WHERE rowid = ?", rowids)
        if not rowids:
            # What is left is to be seen as it is, not as a writable schema shows it.
            connection.execute("PRAGMA writable_schema=RESET")
            return
        dropped.add(unreadable)
    for statement in (*statements("indexes"), *statements("deferred_indexes")):
        if any(f" {name} " in statement.replace("\n", " ") for name in dropped):
            connection.execute(statement)
    layout = look(lambda sql: connection.execute(sql).fetchall())
    if fts.kind_of(layout) == "inline" or fts.is_ours(layout):
        fts.complete(connection, layout)
    elif fts.kind_of(layout) == "one column" and fts.incomplete(connection, layout):
        _drop_fts_rebuild(connection)


def _unreadable(connection: sqlite3.Connection) -> str | None:
    """The name of something in the schema that SQLite cannot read."""
    connection.execute("PRAGMA writable_schema=RESET")
    try:
        with decoded():
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        found = _UNREADABLE.search(str(error))
        if found is None:
            raise
        return found[1]
    return None


def _drop_fts_rebuild(connection: sqlite3.Connection) -> None:
    """Take the search index out of the schema, however broken, and build it anew in its own layout."""
    connection.execute("PRAGMA writable_schema=ON")
    layout = look(lambda sql: connection.execute(sql).fetchall())
    if (layout.version or 0) > SCHEMA_VERSION:
        # It indexes otherwise; its own Hermes can build it.
        return
    inline = fts.kind_of(layout) == "inline"
    connection.execute("DELETE FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)", fts.TABLES)
    connection.execute(
        "DELETE FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'messages_fts_*' AND name NOT GLOB '*_cjk_*'"
    )
    connection.execute("PRAGMA writable_schema=RESET")
    for table in fts.TABLES:
        for part in ("data", "idx", "content", "docsize", "config"):
            connection.execute(f"DROP TABLE IF EXISTS {table}_{part}")
    fts.create(connection, inline=inline)
    fts.forget(connection, fts.HIGH_WATER, fts.PROGRESS)
    for table in fts.TABLES:
        fts.refill(connection, table, inline=inline)


_STRATEGIES = {
    "rebuild_fts": _rebuild_fts,
    "reindex": _reindex,
    "dedup_schema": _dedup_schema,
    "drop_unreadable": _drop_unreadable,
    "drop_fts_rebuild": _drop_fts_rebuild,
}
