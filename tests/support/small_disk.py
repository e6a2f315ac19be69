"""A disk that fills up: a file system of a few megabytes where one can be mounted."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """A directory in which so many bytes fit, gone afterwards; skips the test where nothing can be mounted."""
    place.mkdir()
    options = f"size={size},uid={os.getuid()},mode=700"
    if not _as_root("mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)):
        pytest.skip("NOT TESTED: no file system can be mounted here to be filled up")
    try:
        yield place
    finally:
        assert _as_root("umount", str(place))


def grow(place: Path, size: int) -> None:
    """Make room, as somebody who has cleared up."""
    assert _as_root("mount", "-o", f"remount,size={size}", str(place))


def fill_up(place: Path, leave: int) -> Path:
    """Fill the disk with one file so that only so many bytes are left."""
    filler = place / "filler"
    filler.write_bytes(bytes(max(0, shutil.disk_usage(place).free - leave)))
    return filler


def _as_root(*command: str) -> bool:
    sudo = () if os.geteuid() == 0 else ("sudo", "-n")
    try:
        return subprocess.run([*sudo, *command], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
