"""Files that appear when they are complete, and directories for them."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from hermes_tui.export.formats import ExportRefused

_LEFT = re.compile(r"\.export-[a-z0-9_]{8}\.part")
_LEFT_SECONDS = 86_400
"""No export writes nothing for so long."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def appearing(path: Path, *, overwrite: bool) -> Iterator[TextIO]:
    """A file to write, of UTF-8; what was written is at `path` once the block has ended, and nothing if it fails.

    Only its owner can read it: it holds what was said in private.

    Raises:
        ExportRefused
    """
    with _refusing(path):
        # What a link leads to is replaced, not the link.
        path = Path(os.path.realpath(path))
        check(path, overwrite=overwrite)
        descriptor, name = tempfile.mkstemp(prefix=".export-", suffix=".part", dir=path.parent)
    unfinished = Path(name)
    try:
        with (
            _refusing(path),
            open(descriptor, "w", encoding="utf-8", newline="\n") as file,
        ):
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _refusing(path):
            _put(unfinished, path, overwrite=overwrite)
            _sync(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def sweep(directory: Path) -> None:
    """Remove what exports left unfinished there more than a day ago, when they were killed."""
    before = time.time() - _LEFT_SECONDS
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _LEFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < before:
                        os.unlink(entry.path)


def check(path: Path, *, overwrite: bool) -> None:
    """Refuse a place where a file must not be put.

    Raises:
        ExportRefused
    """
    with _refusing(path):
        try:
            found = path.lstat()
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise ExportRefused(f"Nothing was exported: there is no directory {path.parent}.") from None
            return
        if not stat.S_ISREG(found.st_mode):
            raise ExportRefused(f"Nothing was exported: {path} is no file that could be replaced.")
        if not overwrite:
            raise ExportRefused(f"Nothing was exported: {path} exists already.")


def is_directory(path: Path) -> bool:
    """Whether it is one.

    Raises:
        ExportRefused: The path can be none of anything.
    """
    with _refusing(path):
        return path.is_dir()


def make_directory(path: Path) -> bool:
    """Make a directory that only its owner can enter; False if it was there.

    Raises:
        ExportRefused
    """
    with _refusing(path):
        if path.is_dir():
            return False
        if not path.parent.is_dir():
            raise ExportRefused(f"Nothing was exported: there is no directory {path.parent}.")
        path.mkdir(mode=0o700)
        return True


def names_in(directory: Path) -> set[str]:
    """The names that a directory holds, in lower case.

    Raises:
        ExportRefused
    """
    with _refusing(directory):
        return {name.lower() for name in os.listdir(directory)}


def _put(unfinished: Path, path: Path, *, overwrite: bool) -> None:
    if not overwrite:
        # Unlike a rename, a link replaces nothing that came meanwhile; not every file system has links.
        try:
            os.link(unfinished, path)
        except FileExistsError:
            check(path, overwrite=False)
            raise
        except OSError:
            check(path, overwrite=False)
        else:
            return
    os.replace(unfinished, path)


def _sync(directory: Path) -> None:
    # Some file systems sync no directory; the file itself is on the disk.
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Say in one sentence what the system says of a path."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            sentence = f"Nothing was exported: no space is left where {path} lies; free some and try again."
        else:
            sentence = f"Nothing was exported: {path} cannot be written ({error.strerror or error})."
        raise ExportRefused(sentence) from error
    except ValueError as error:
        raise ExportRefused(f"Nothing was exported: {path!r} is no path ({error}).") from error
