"""Drawing on the terminal while the streams of the process lead elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import PseudoTerminal

ROOT = Path(__file__).parent.parent.parent
APP = """
import sys
from hermes_tui.services.terminal import drawing_on_terminal
from textual.app import App
from textual.widgets import Static

class Asking(App[str]):
    def compose(self):
        yield Static("How big?")
    def on_key(self, event):
        self.exit(f"{event.key} {self.size.width}x{self.size.height}")

print("before")
with drawing_on_terminal():
    answer = Asking().run()
print("answer", answer)
print("remark", file=sys.stderr)
"""


@pytest.fixture
def env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


@pytest.mark.parametrize("elsewhere", [(), (1,), (2,), (1, 2), (0, 1, 2)], ids=str)
def test_the_screen_is_on_the_terminal_and_the_answer_is_not(
    elsewhere: tuple[int, ...], env: dict[str, str], tmp_path: Path
) -> None:
    output, remarks = tmp_path / "output", tmp_path / "remarks"
    with (
        output.open("wb") as stdout,
        remarks.open("wb") as stderr,
        open(os.devnull, "rb") as stdin,
        PseudoTerminal(
            [sys.executable, "-c", APP],
            env=env,
            cwd=tmp_path,
            size=(70, 20),
            stdin=stdin.fileno() if 0 in elsewhere else None,
            stdout=stdout.fileno() if 1 in elsewhere else None,
            stderr=stderr.fileno() if 2 in elsewhere else None,
        ) as terminal,
    ):
        terminal.wait_for("How big?")
        terminal.type(b"x")
        assert terminal.wait() == 0
        assert terminal.attributes_now == terminal.attributes
        shown = terminal.raw.decode()
    assert output.read_text() == ("before\nanswer x 70x20\n" if 1 in elsewhere else "")
    assert remarks.read_text() == ("remark\n" if 2 in elsewhere else "")
    assert ("answer x 70x20" in shown) == (1 not in elsewhere)
    assert ("remark" in shown) == (2 not in elsewhere)
    # The alternate screen was left before anything was said.
    assert "remark" not in shown[: shown.rindex("\x1b[?1049l")]


def test_no_terminal_at_all(env: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", APP],
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "hermes_tui.services.terminal.NoTerminal: "
        "There is no terminal to draw on (/dev/tty: No such device or address)."
    )


def test_a_closed_stream(env: dict[str, str]) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$1" <&-', sys.executable, APP],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1].endswith("(a standard stream is closed).")
