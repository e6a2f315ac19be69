"""The whole real program, installed beside ours: Enter in our browser really goes on in it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import CopyStore

ROOT = Path(__file__).parent.parent.parent
RELEASE = "0.19.0"
TIP, TITLE = "20261106_120000_fe1472", "my project #3"
"""The live end of a conversation of three parts, in every stored store of that version."""
PATIENCE = 120.0
"""Seconds: it imports for a few, and on a loaded machine for many."""


@pytest.fixture(scope="session")
def programs() -> Path:
    """A directory with the real `hermes` in it; installed once, kept beside the system's other temporary files."""
    cache = Path(os.environ.get("HERMES_TUI_RELEASES") or Path(tempfile.gettempdir()) / "hermes-tui-releases")
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = cache / f"whole-{RELEASE}-{sys.version_info[0]}.{sys.version_info[1]}"
    with (cache / "whole.lock").open("w") as lock:
        # Environments do not move, so it is made where it stays, by one test run at a time.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "complete").exists():
            _install(place)
            (place / "complete").touch()
    return place / "bin"


def _install(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True, timeout=120)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-q", f"hermes-agent=={RELEASE}"]
    try:
        done = subprocess.run(pip, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"NOT TESTED: the whole hermes-agent {RELEASE} could not be downloaded in time")
    if done.returncode:
        pytest.skip(f"NOT TESTED: no network to install the whole hermes-agent {RELEASE} from")


def environment(programs: Path, user: Path) -> Mapping[str, str]:
    return {
        "HOME": str(user),
        "HERMES_HOME": str(user / ".hermes"),
        "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        # It asks to be set up where it finds no key at all; nothing is ever sent with this one.
        "OPENROUTER_API_KEY": "none",
    }


def copied(copy_store: CopyStore, store: Path) -> None:
    store.parent.mkdir(parents=True)
    shutil.copyfile(copy_store("state-v22-0.19.0.db"), store)


@pytest.mark.parametrize("profile", [None, "office"], ids=["root", "profile"])
def test_enter_goes_on_in_hermes_on_that_session_of_that_profile(
    profile: str | None, programs: Path, copy_store: CopyStore, tmp_path: Path
) -> None:
    root = tmp_path / ".hermes"
    store = (root / "profiles" / profile if profile else root) / "state.db"
    copied(copy_store, store)
    words = ["--profile", profile] if profile else []
    argv = [sys.executable, "-m", "hermes_tui", *words]
    with PseudoTerminal(argv, env=environment(programs, tmp_path), cwd=tmp_path, size=(120, 60)) as terminal:
        terminal.wait_for("conversations", PATIENCE)
        terminal.type(b"title:project")
        terminal.wait_for("1 conversation ", PATIENCE)
        terminal.type(b"\r")
        terminal.wait_for(f'Resumed session {TIP} "{TITLE}"', PATIENCE)
        if profile:
            # The other home was never made: it works in the profile's.
            assert not (root / "state.db").exists()
