"""The browser in a real terminal of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.cli.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent.parent

DOWN = b"\x1b[B"
QUIT = b"\x11"


def browser_in_terminal(
    store: Path, *words: str, size: tuple[int, int] = (120, 40), stdout: int | None = None
) -> PseudoTerminal:
    """`hermes-tui browse --db store`, in the store's directory, with a clock that runs."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "TZ": "UTC"}
    argv = [sys.executable, "-m", "hermes_tui", "browse", "--db", str(store), *words]
    return PseudoTerminal(argv, env=env, cwd=store.parent, size=size, stdout=stdout)
