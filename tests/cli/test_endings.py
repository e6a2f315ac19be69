"""However the browser ends, the terminal is as it was and the exit status says how it went."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.cli.pseudo_terminal import PATIENCE, PseudoTerminal
from tests.support.stores import BuildV11

ROOT = Path(__file__).parent.parent.parent
ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES ('one','cli',1780000000,'Fix Docker Build');
INSERT INTO messages(session_id,role,content,timestamp) VALUES ('one','user','the build fails',1780000000);
"""
MODES = (b"1049", b"1000", b"1003", b"1004", b"1006", b"2004")
"""The other screen, the mouse, the focus, pasting: what must be off again."""


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(ROWS)


@pytest.fixture
def env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


def browser(store: Path, env: dict[str, str], *, code: str = "", before: str = "") -> PseudoTerminal:
    """The browser on a store; `code` changes it first, `before` runs it."""
    start = f"import sys\nfrom hermes_tui.__main__ import main\n{code}\nsys.exit(main(sys.argv[1:]))"
    argv = [*before.split(), sys.executable, "-c", start, "--db", str(store)]
    return PseudoTerminal(argv, env=env, cwd=store.parent)


def is_as_before(terminal: PseudoTerminal) -> bool:
    off = (
        terminal.raw.rfind(b"\x1b[?%bl" % mode) > terminal.raw.rfind(b"\x1b[?%bh" % mode) for mode in MODES
    )
    shows_cursor = terminal.raw.rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l")
    return all(off) and shows_cursor and terminal.attributes_now == terminal.attributes


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM])
def test_told_to_end(number: signal.Signals, store: Path, env: dict[str, str]) -> None:
    with browser(store, env) as terminal:
        terminal.wait_for("Fix Docker Build")
        os.kill(terminal.process.pid, number)
        assert terminal.wait() == 128 + number
        assert is_as_before(terminal)
        after = terminal.raw[terminal.raw.rindex(b"\x1b[?1049l") :]
        assert not re.sub(rb"\x1b\[\?\d+[hl]", b"", after), "nothing is said"


def test_told_to_end_over_a_dialog(store: Path, env: dict[str, str]) -> None:
    with browser(store, env) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\x10")
        terminal.wait_for("Search for commands")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert is_as_before(terminal)


def test_a_signal_that_is_ignored_stays_so(store: Path, env: dict[str, str]) -> None:
    with browser(store, env, before="env --ignore-signal=HUP") as terminal:
        terminal.wait_for("Fix Docker Build")
        os.kill(terminal.process.pid, signal.SIGHUP)
        terminal.type(b"docker")
        terminal.wait_for("1 of 1 conversations")
        terminal.type(b"\x11")
        assert terminal.wait() == 0


@pytest.mark.parametrize("before", ["", "env --ignore-signal=HUP"], ids=["told", "not told"])
def test_the_terminal_is_gone(before: str, store: Path, env: dict[str, str]) -> None:
    with browser(store, env, before=before) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP


@pytest.mark.parametrize(
    "typed", [b"\xff", b"\xfcber", b"\xc3", b"\x1b[M \xe0\xff", b"\x1b[200~na\xefve\x1b[201~"], ids=repr
)
def test_bytes_that_are_no_utf8(typed: bytes, store: Path, env: dict[str, str]) -> None:
    with browser(store, env) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(typed)
        terminal.type(b"\x7f" * 8 + "é".encode()[:1])
        terminal.type("é".encode()[1:] + b"\x7f" * 8 + b"docker")
        terminal.wait_for("docker")
        terminal.type(b"\x11")
        assert terminal.wait() == 0
        assert is_as_before(terminal)


@pytest.mark.parametrize(
    "code",
    [
        "from hermes_tui.app import BrowserApp; BrowserApp.on_ready = lambda self: 1 / 0",
        "from textual._xterm_parser import XTermParser; XTermParser.tick = lambda self: 1 / 0",
        "from storage import SessionDB; SessionDB.info = lambda self: 1 / 0",
    ],
    ids=["a handler", "the input thread", "a store call"],
)
def test_a_defect_ends_with_3(code: str, store: Path, env: dict[str, str]) -> None:
    with browser(store, env, code=code) as terminal:
        assert terminal.wait() == 3
        assert is_as_before(terminal)
        assert b"ZeroDivisionError" in terminal.raw
        assert terminal.raw.endswith(b"hermes-tui: The browser broke down.\r\n")


def test_a_program_that_cannot_be_started_gives_the_screen_back(store: Path, env: dict[str, str]) -> None:
    program = store.parent / "no-program"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(0o755)
    with browser(store, {**env, "HERMES_TUI_RESUME_COMMAND": str(program)}) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\tR")
        terminal.wait_for("could not be started: Exec format error")
        terminal.type(b"/docker")
        terminal.wait_for("1 of 1 conversations")
        terminal.type(b"\x11")
        assert terminal.wait() == 0
        assert is_as_before(terminal)
