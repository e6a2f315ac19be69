"""Opens a file read-only, in the one way that neither changes it nor shows what is out of date."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from storage.engine.failures import decoded, named
from storage.errors import NotAStore, StoreError, StoreMissing, StoreUnreadable

BUSY_TIMEOUT = 5.0
"""Seconds that a statement waits for another process's lock: in DELETE mode a crowd of writers leaves few gaps."""

_DISK_RETRIES = 2
_DISK_PAUSE = 0.05


@dataclass(frozen=True)
class Opened:
    """A connection that has proved that it can read."""

    connection: sqlite3.Connection
    immutable: bool
    file: Path
    """The file itself, links resolved: SQLite keeps the side files beside it."""


def connect(path: Path) -> Opened:
    """Open an existing file read-only and read its schema once.

    `immutable=1` is the way into a WAL file on media that cannot be written, where SQLite cannot make the
    side files that it needs. It sees neither a `-wal` nor another writer, so it is taken only when there can
    be neither. That the file is a WAL file is known from how the probe fails, not from its header: closing a
    plain file handle would drop the locks that other connections of this process hold on the file.

    Raises:
        StoreMissing, NotAStore, StoreUnreadable, StoreBusy: with a sentence to show.
    """
    file = _regular_file(path)
    try:
        return Opened(_patiently_probed(file), False, file)
    except sqlite3.DatabaseError as error:
        if not _nobody_can_be_writing(error, file):
            raise _explained(error, path, file) from error
    try:
        return Opened(_probed(file, "mode=ro&immutable=1"), True, file)
    except sqlite3.DatabaseError as error:
        raise named(error, path) from error


def text(stored: bytes) -> str:
    """A TEXT value, for `text_factory`: bytes that are no UTF-8 are replaced, for anything may be stored."""
    return stored.decode("utf-8", "replace")


def side_file(file: Path, suffix: str) -> bool:
    """Whether there is a `-wal`, `-shm` or `-journal` beside the file; it is never opened to find out."""
    return os.path.lexists(f"{file}{suffix}")


def _regular_file(path: Path) -> Path:
    try:
        file = Path(os.path.realpath(path))
        mode = file.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: no file can have this name.
        raise StoreMissing(path) from None
    except OSError as error:
        raise StoreUnreadable(path, error.strerror or str(error)) from error
    if stat.S_ISDIR(mode):
        raise NotAStore(path, "is a directory, not a database")
    if not stat.S_ISREG(mode):
        raise NotAStore(path, "is not a file")
    return file


def _patiently_probed(file: Path) -> sqlite3.Connection:
    # A last writer that closes takes the side files away under the feet of whoever is just opening.
    for _ in range(_DISK_RETRIES):
        try:
            return _probed(file, "mode=ro")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
                raise
            time.sleep(_DISK_PAUSE)
    return _probed(file, "mode=ro")


def _probed(file: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{file.as_uri()}?{mode}",
        uri=True,
        timeout=BUSY_TIMEOUT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # Connecting reads nothing; these two do.
        with decoded():
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _nobody_can_be_writing(error: sqlite3.DatabaseError, file: Path) -> bool:
    """Whether the probe failed because no side file can be made for a WAL file, and none is there."""
    wanted_a_wal = error.sqlite_errorcode == sqlite3.SQLITE_READONLY_DIRECTORY or (
        error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN and _read_only_media(file.parent)
    )
    return (
        wanted_a_wal
        and os.access(file, os.R_OK)
        and not _writable(file.parent)
        and not side_file(file, "-wal")
        and not side_file(file, "-journal")
    )


def _read_only_media(directory: Path) -> bool:
    with suppress(OSError, AttributeError):
        return bool(os.statvfs(directory).f_flag & os.ST_RDONLY)
    return False


def _writable(directory: Path) -> bool:
    return os.access(directory, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _explained(error: sqlite3.DatabaseError, path: Path, file: Path) -> StoreError:
    for suffix in ("", "-wal", "-shm", "-journal"):
        if side_file(file, suffix) and not os.access(f"{file}{suffix}", os.R_OK):
            return StoreUnreadable(path, f"permission denied for {file.name}{suffix}")
    if side_file(file, "-wal") and not side_file(file, "-shm") and not _writable(file.parent):
        wal = f"{file.name}-wal"
        return StoreUnreadable(
            path,
            f"{wal} holds changes, its {file.name}-shm is missing, and the directory cannot be written;"
            f" copy both {file.name} and {wal} to a directory of your own",
        )
    return named(error, path)
