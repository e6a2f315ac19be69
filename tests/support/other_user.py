"""Running a test's step as somebody whom file rights bind."""

from __future__ import annotations

import importlib
import os
import pickle
import pkgutil
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

import hermes_tui
import storage

NOBODY = 65534

T = TypeVar("T")


def as_somebody_else(step: Callable[[], T]) -> T:
    """The result of `step`, run in a child process that is not root; what it returns must be picklable."""
    if not hasattr(os, "fork"):
        pytest.skip("NOT TESTED: this platform cannot fork a process with another user id")
    # What is imported late may lie where only the caller may read.
    for package in (storage, hermes_tui):
        for room in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not room.name.endswith("__main__"):
                importlib.import_module(room.name)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = pickle.dumps((True, _unprivileged(step)))
        except BaseException:
            answer = pickle.dumps((False, traceback.format_exc()))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    succeeded, value = pickle.loads(answer)
    assert succeeded, value
    result: T = value
    return result


def _unprivileged(step: Callable[[], T]) -> T:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    return step()


@contextmanager
def public_directory() -> Iterator[Path]:
    """A directory that another user can reach (pytest's own are private), gone afterwards whatever its rights."""
    directory = Path(tempfile.mkdtemp(prefix="hermes-tui-test-"))
    directory.chmod(0o755)
    try:
        if not as_somebody_else(lambda: os.access(directory, os.X_OK | os.R_OK)):
            pytest.skip(f"NOT TESTED: another user cannot reach {directory}")
        yield directory
    finally:
        for path in [directory, *directory.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
        shutil.rmtree(directory)
