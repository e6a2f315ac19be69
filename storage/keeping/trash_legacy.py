"""The files that a session left beside the store (spec 4.6): copied, removed, put back."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from storage import locations
from storage.conversation.deleting import files_of
from storage.engine.within import Reading
from storage.keeping.trash_files import sync


@dataclass(frozen=True, slots=True)
class LegacyFile:
    """A file as it was when it was read."""

    session: str
    name: str
    mode: int
    mtime_ns: int
    size: int
    content: bytes = b""

    def stub(self) -> LegacyFile:
        """The same without what it holds."""
        return replace(self, content=b"")


def to_record(file: LegacyFile) -> dict[str, Any]:
    """The file as a line of a copy."""
    return {
        "kind": "file",
        "session": file.session,
        "name": file.name,
        "mode": file.mode,
        "mtime_ns": file.mtime_ns,
        "content": base64.b64encode(file.content).decode("ascii"),
    }


def of_record(record: Mapping[str, Any]) -> LegacyFile:
    """The file that was written as this line."""
    content = base64.b64decode(record["content"])
    return LegacyFile(
        record["session"], record["name"], record["mode"], record["mtime_ns"], len(content), content
    )


def directory_of(store_path: Path) -> Path | None:
    """Where sessions of this store leave files; None for a store that is no home's."""
    home = locations.home_of(store_path)
    return home / "sessions" if home else None


def own_files(reading: Reading, directory: Path, session_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Session and name of each file of these sessions, while they and the others are in the store."""
    for session, name in files_of(directory, session_ids):
        if not _is_anothers(reading, session, name):
            yield session, name


def read_files(reading: Reading, directory: Path, session_ids: Sequence[str]) -> Iterator[LegacyFile]:
    """The files of these sessions that can be read; any other is left where it is."""
    for session, name in own_files(reading, directory, session_ids):
        with suppress(OSError, ValueError), open(directory / name, "rb", opener=_warily) as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                mode, content = stat.S_IMODE(status.st_mode), file.read()
                yield LegacyFile(session, name, mode, status.st_mtime_ns, len(content), content)


def remove_file(directory: Path, copied: LegacyFile) -> None:
    """Remove the file, unless somebody has written to it since it was read."""
    path = directory / copied.name
    with suppress(OSError, ValueError):
        status = os.lstat(path)
        if (status.st_mtime_ns, status.st_size) == (copied.mtime_ns, copied.size):
            os.unlink(path)


def purge_file(directory: Path, name: str) -> None:
    """Remove a file of which no copy is wanted."""
    with suppress(OSError, ValueError):
        os.unlink(directory / name)


def put_back(directory: Path, copied: LegacyFile) -> None:
    """Write the file as it was; one that is there stays.

    Raises:
        OSError: It cannot be written.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    path = directory / copied.name
    try:
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, copied.mode))  # noqa: SIM115
    except FileExistsError:
        return
    try:
        with file:
            file.write(copied.content)
            sync(file)
        os.utime(path, ns=(copied.mtime_ns, copied.mtime_ns))
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _warily(path: str, flags: int) -> int:
    # A pipe would be waited for, and a link leads to what is nobody's to delete.
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_anothers(reading: Reading, session: str, name: str) -> bool:
    """Whether it belongs to a session whose id goes on where this one ends: "a_b" and "a"."""
    prefix = f"request_dump_{session}_"
    if not name.startswith(prefix):
        return False
    longer = reading.rows("SELECT id FROM sessions WHERE id > ? AND id < ?", (f"{session}_", f"{session}`"))
    return any(name.startswith(f"request_dump_{id_}_") for (id_,) in longer)
