"""Real releases of Hermes Agent, unpacked without their dependencies and driven from outside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RELEASES = ("0.13.0", "0.16.0", "0.18.2", "0.19.0")
DRIVER = Path(__file__).parent / "drive.py"

Drive = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="session")
def releases() -> dict[str, Path]:
    """Where each release is unpacked; downloaded once, kept beside the system's other temporary files."""
    return {version: _unpacked(version) for version in RELEASES}


@pytest.fixture
def drive(releases: dict[str, Path], tmp_path: Path) -> Drive:
    """`drive(version, what, stores)`: that release does it to each store; what it says of each."""

    def run(version: str, what: str, stores: list[Path]) -> list[dict[str, Any]]:
        home = tmp_path / "hermes-home"
        done = subprocess.run(
            [sys.executable, "-I", str(DRIVER), str(releases[version]), what, *map(str, stores)],
            env={"HOME": str(tmp_path), "HERMES_HOME": str(home), "PATH": os.environ.get("PATH", "")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answers: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
        return answers

    return run


def _unpacked(version: str) -> Path:
    cache = Path(os.environ.get("HERMES_TUI_RELEASES") or Path(tempfile.gettempdir()) / "hermes-tui-releases")
    place = cache / version
    if not place.exists():
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=cache))
        try:
            _install(version, fresh)
            fresh.rename(place)
        except OSError:
            # Another run was quicker.
            shutil.rmtree(fresh, ignore_errors=True)
    return place


def _install(version: str, target: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-compile",
        "--target",
        str(target),
    ]
    try:
        done = subprocess.run(
            [*command, f"hermes-agent=={version}"], capture_output=True, text=True, timeout=120, check=False
        )
    except subprocess.TimeoutExpired:
        shutil.rmtree(target, ignore_errors=True)
        pytest.skip(f"NOT TESTED: hermes-agent {version} could not be downloaded in time")
    if done.returncode != 0:
        shutil.rmtree(target, ignore_errors=True)
        pytest.skip(f"NOT TESTED: no network to download hermes-agent {version} from")
