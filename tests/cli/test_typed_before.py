"""Nobody waits for a program to type: what is pressed before the first frame is in the search box with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import BuildV11

ROOT = Path(__file__).parent.parent.parent
ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES
    ('one','cli',1780000000,'Fix Docker Build'), ('two','cli',1780000001,'Sketch the logo');
"""
PROGRAM = """
import sys
from hermes_tui.__main__ import main
from hermes_tui.services.terminal_driver import TerminalDriver

start = TerminalDriver.start_application_mode
def start_and_wait(driver):
    start(driver)
    # The keys are read by a thread of their own, and nothing is drawn until this one goes on.
    import time
    time.sleep({seconds})

TerminalDriver.start_application_mode = start_and_wait
sys.exit(main(sys.argv[1:]))
"""


def test_letters_before_the_first_frame_are_searched(build_v11: BuildV11) -> None:
    store = build_v11(ROWS)
    argv = [sys.executable, "-c", PROGRAM.format(seconds=0.2), "--db", str(store), "--print"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    with PseudoTerminal(argv, env=env, cwd=store.parent) as terminal:
        terminal.type(b"dock")
        terminal.wait_until(lambda: terminal.is_raw, "the screen")
        terminal.type(b"er")
        terminal.wait_for("1 of 2 conversations")
        assert "│ docker " in terminal.screen
        terminal.type(b"\r")
        assert terminal.wait() == 0
        assert terminal.raw.rstrip().endswith(b"one")
