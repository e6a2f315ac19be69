"""What stands between a command line and the first frame: only what that frame shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from hermes_tui.themes import LIGHT

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import contextlib, json, sys
from hermes_tui.__main__ import main
from hermes_tui.services import terminal
terminal.drawing_on_terminal = contextlib.nullcontext
from textual.css.stylesheet import Stylesheet
from hermes_tui.screens.browser import BrowserScreen

reparsed = []
Stylesheet.reparse = lambda self, reparse=Stylesheet.reparse: (reparsed.append(1), reparse(self))

def furnish(screen):
    colour = screen.app.styles.background.hex
    json.dump([sorted(sys.modules), len(reparsed), colour], sys.__stdout__)
    screen.app.exit()

BrowserScreen._furnish = furnish
main(sys.argv[1:])
"""


def test_the_first_frame_waits_for_nothing_that_it_does_not_show(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--db", str(tmp_path / "state.db")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
            "HERMES_TUI_THEME": "light",
        },
    )
    modules, reparsed, colour = json.loads(done.stdout)
    ours = [name for name in modules if name.startswith(("storage", "hermes_tui.services."))]
    assert ours == [
        "hermes_tui.services.answer",
        "hermes_tui.services.broken_arrows",
        "hermes_tui.services.terminal",
        "storage",
        "storage.errors",
        "storage.locations",
    ]
    later = ("sqlite3", "hermes_tui.export", "hermes_tui.screens.actions", "hermes_tui.screens.answers")
    assert [name for name in modules if name.startswith(later)] == []
    assert reparsed == 0
    assert colour == LIGHT.background
