"""The files of the trash: their names, the one that is being written, and how long they are kept.

A deletion writes `<step>.jsonl.pending` and renames it to `<step>.jsonl` when it is done. While its process lives it
holds a lock on the file, so a pending file without one is of a deletion that was cut off.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from storage.errors import TrashUnusable

if sys.platform != "win32":
    import fcntl

KEPT_DAYS = 30
DONE, PENDING = ".jsonl", ".jsonl.pending"

_STEP = re.compile(r"(\d{8}T\d{9})-[0-9a-f]{8}")
_STAMP = "%Y%m%dT%H%M%S%f"
_EPOCH = datetime.fromtimestamp(0, UTC)


class PendingFile:
    """The copy of a deletion that is under way: readable by its owner alone, locked as long as it is open.

    Every method raises TrashUnusable where the trash cannot be written.
    """

    def __init__(self, directory: Path, now: float) -> None:
        self._directory = directory
        self.size = 0
        """Bytes that hold what has been deleted; what comes after them is not kept."""
        with self._explained():
            with suppress(FileExistsError):
                directory.mkdir(mode=0o700)
            self.step, self._file = _create(directory, now)
            sync_directory(directory)

    @property
    def _path(self) -> Path:
        return self._directory / f"{self.step}{PENDING}"

    def write(self, data: bytes) -> None:
        with self._explained():
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]

    def rewind(self) -> None:
        """Forget what was written after `keep`."""
        with self._explained():
            self._file.seek(self.size)
            self._file.truncate()

    def sync(self) -> int:
        """Bring what was written to the medium; returns the size to `keep` once it has been deleted."""
        with self._explained():
            sync(self._file)
            if not _is_at(self._file, self._path):
                raise OSError("somebody took the file away")
            return self._file.tell()

    def keep(self, size: int) -> None:
        self.size = size

    def leave(self) -> None:
        """Let go of it as it is, as a kill would."""
        with suppress(OSError):
            self._file.close()

    def close(self, *, wanted: bool) -> None:
        """End the step: it can be taken back from now on, or leaves nothing behind if it is not wanted."""
        with suppress(OSError):
            # What cannot be done here is done by the next deletion, as after a kill.
            if wanted:
                self._file.truncate(self.size)
                os.replace(self._path, self._directory / f"{self.step}{DONE}")
            else:
                self._path.unlink()
            sync_directory(self._directory)
        self.leave()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TrashUnusable(self._directory, error.strerror or str(error)) from error


def steps(directory: Path) -> list[tuple[str, Path]]:
    """Step and file of each copy in the trash, the newest first; of what else lies there, nothing.

    A directory, a pipe or a link is no copy, whatever it is called: opening one may wait for ever.
    """
    names: list[str] = []
    with suppress(OSError), os.scandir(directory) as entries:
        names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    found = [
        (name[: -len(suffix)], directory / name)
        for name in names
        for suffix in (DONE, PENDING)
        if name.endswith(suffix) and _STEP.fullmatch(name[: -len(suffix)])
    ]
    return sorted(found, reverse=True)


def is_pending(path: Path) -> bool:
    return path.name.endswith(PENDING)


def deleted_at(step: str) -> float:
    """When the step was, in Unix seconds."""
    found = _STEP.fullmatch(step)
    moment = datetime.strptime(found[1], _STAMP).replace(tzinfo=UTC) if found else _EPOCH
    return (moment - _EPOCH) / timedelta(seconds=1)


def forget_old(directory: Path, now: float) -> None:
    """Remove the copies that have been kept for their time."""
    for step, path in steps(directory):
        if now - deleted_at(step) > KEPT_DAYS * 86_400 and not is_pending(path):
            with suppress(OSError):
                path.unlink()


@contextmanager
def abandoned(path: Path, *, only_look: bool = False) -> Iterator[BinaryIO | None]:
    """A pending file, held as its own deletion would hold it; None if that is still under way, or it is gone.

    Args:
        only_look: Others may look too.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file if _lock(file, wait=False, shared=only_look) and _is_at(file, path) else None


def replace(path: Path, target: Path, chunks: Iterable[bytes]) -> None:
    """Write a file anew in one piece: after a kill it is the old one or the new one.

    Raises:
        OSError: It cannot be written; then it is the old one.
    """
    fresh = target.with_name(f"{target.name}.{secrets.token_hex(4)}.new")
    try:
        with open(fresh, "xb", opener=_privately) as file:
            file.writelines(chunks)
            sync(file)
        os.replace(fresh, target)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    if path != target:
        path.unlink()
    sync_directory(target.parent)


def sync(file: BinaryIO | FileIO) -> None:
    """Bring what was written to the medium."""
    file.flush()
    if sys.platform == "darwin":
        # There fsync alone does not.
        with suppress(OSError):
            fcntl.fcntl(file.fileno(), fcntl.F_FULLFSYNC)
            return
    os.fsync(file.fileno())


def sync_directory(directory: Path) -> None:
    """Bring the names in a directory to the medium."""
    if os.name == "nt":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _create(directory: Path, now: float) -> tuple[str, FileIO]:
    while True:
        step = _new_step(directory, now)
        path = directory / f"{step}{PENDING}"
        # Unbuffered: what a full disk refused would be tried again by every later call.
        file = open(path, "x+b", buffering=0, opener=_privately)  # noqa: SIM115
        _lock(file, wait=True)
        # Between the two somebody may have taken it for one that was left behind.
        if _is_at(file, path):
            return step, file
        file.close()


def _new_step(directory: Path, now: float) -> str:
    """A name that sorts by time, even where two steps are made within a millisecond."""
    taken = {step.partition("-")[0] for step, _ in steps(directory)}
    moment = _EPOCH + timedelta(milliseconds=int(now * 1000))
    while (stamp := moment.strftime(_STAMP)[:-3]) in taken:
        moment += timedelta(milliseconds=1)
    return f"{stamp}-{secrets.token_hex(4)}"


def _lock(file: BinaryIO | FileIO, *, wait: bool, shared: bool = False) -> bool:
    if sys.platform == "win32":
        # Nobody else can remove a file there that is open.
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        # No locks on this file system: a deletion looks before each commit whether its file is still there.
        return True
    return True


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_at(file: BinaryIO | FileIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False
