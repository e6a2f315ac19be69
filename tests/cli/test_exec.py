"""From the screen to Hermes, in a real terminal, with a `hermes` that only writes down how it was called."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.pseudo_terminal import PseudoTerminal
from tests.support.stores import BuildV11

ROOT = Path(__file__).parent.parent.parent
FAKE_HERMES = f"""#!{sys.executable}
import json, os, subprocess, sys
with open(os.environ["SAID"], "w") as said:
    json.dump({{
        "argv": sys.argv[1:],
        "HERMES_HOME": os.environ.get("HERMES_HOME"),
        "cwd": os.getcwd(),
        "stty": subprocess.run(["stty", "-a"], capture_output=True, text=True).stdout,
        "pid": os.getpid(),
    }}, said)
print("this is hermes")
sys.exit(9)
"""
ROWS = """
INSERT INTO sessions(id,source,started_at,title) VALUES
  ('20260101_000007_abcdef','cli',1780000000,'Fix Docker Build'),('other','cli',1770000000,'Older one');
INSERT INTO messages(session_id,role,content,timestamp) VALUES
  ('20260101_000007_abcdef','user','the build fails',1780000000),('other','user','hello',1770000000);
"""


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(ROWS, home="home")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "SAID": str(tmp_path / "said.json"),
    }


@pytest.fixture
def with_hermes(tmp_path: Path, env: dict[str, str]) -> dict[str, str]:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "hermes").write_text(FAKE_HERMES)
    (programs / "hermes").chmod(0o755)
    return {**env, "PATH": f"{programs}{os.pathsep}{env['PATH']}"}


def browser(*words: str, env: Mapping[str, str], cwd: Path, stdout: int | None = None) -> PseudoTerminal:
    return PseudoTerminal([sys.executable, "-m", "hermes_tui", *words], env=env, cwd=cwd, stdout=stdout)


def said(env: Mapping[str, str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(Path(env["SAID"]).read_text())
    return answer


def stty_of(terminal: PseudoTerminal) -> str:
    return subprocess.run(
        ["stty", "-a"], stdin=terminal.slave, capture_output=True, text=True, check=True
    ).stdout


def test_enter_becomes_hermes(store: Path, with_hermes: dict[str, str], tmp_path: Path) -> None:
    directory = tmp_path / "somewhere"
    directory.mkdir()
    with browser("--db", str(store), env=with_hermes, cwd=directory) as terminal:
        sane = stty_of(terminal)
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\r")
        assert terminal.wait() == 9
        terminal.wait_for("this is hermes")
        hermes = said(with_hermes)
        assert hermes["argv"] == ["-p", "default", "--resume", "20260101_000007_abcdef"]
        assert hermes["HERMES_HOME"] == str(store.parent)
        assert hermes["cwd"] == str(directory)
        assert hermes["stty"] == sane
        # It took the place of the browser, in the same process.
        assert hermes["pid"] == terminal.process.pid
        assert terminal.raw.rindex(b"this is hermes") > terminal.raw.rindex(b"\x1b[?1049l")


def test_coming_back(store: Path, with_hermes: dict[str, str], tmp_path: Path) -> None:
    with browser("--db", str(store), env=with_hermes, cwd=tmp_path) as terminal:
        sane = stty_of(terminal)
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\t")
        terminal.wait_for("/ search")
        terminal.type(b"R")
        terminal.wait_until(Path(with_hermes["SAID"]).exists, "hermes")
        terminal.wait_until(lambda: terminal.is_raw, "the browser")
        hermes = said(with_hermes)
        assert hermes["argv"] == ["-p", "default", "--resume", "20260101_000007_abcdef"]
        assert hermes["stty"] == sane
        assert hermes["pid"] != terminal.process.pid
        terminal.type(b"\x11")
        assert terminal.wait() == 0
        assert terminal.attributes_now == terminal.attributes


def test_no_hermes(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with browser("--db", str(store), env={**env, "PATH": str(empty)}, cwd=tmp_path) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\r")
        assert terminal.wait() == 3
        last = terminal.raw.decode().split("\x1b[?1049l")[-1]
    assert "hermes-tui: hermes is not on the PATH; run this where it is:\r\n" in last
    assert f"HERMES_HOME={store.parent} hermes -p default --resume 20260101_000007_abcdef\r\n" in last


def test_the_demo_prints_the_command(with_hermes: dict[str, str], tmp_path: Path) -> None:
    with browser("--demo", env=with_hermes, cwd=tmp_path) as terminal:
        terminal.wait_for("flaky checkout test")
        terminal.type(b"\r")
        assert terminal.wait() == 0
        last = terminal.raw.decode().split("\x1b[?1049l")[-1]
    assert "hermes -p default --resume 2026" in last
    assert not Path(with_hermes["SAID"]).exists()


def test_printing_the_id(store: Path, with_hermes: dict[str, str], tmp_path: Path) -> None:
    output = tmp_path / "output"
    # Printing needs no home: this file could not be resumed.
    copy = Path(shutil.copyfile(store, tmp_path / "copy.db"))
    with (
        output.open("wb") as stdout,
        browser(
            "browse", "--print", "--db", str(copy), env=with_hermes, cwd=tmp_path, stdout=stdout.fileno()
        ) as terminal,
    ):
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\x1b[B")
        terminal.wait_for("▸  Older one")
        terminal.type(b"\r")
        assert terminal.wait() == 0
    assert output.read_text() == "other\n"
    assert not Path(with_hermes["SAID"]).exists()


def test_a_shell_captures_the_id(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    script = f'id=$("{sys.executable}" -m hermes_tui browse --print --db "{store}") && echo "chosen: $id"'
    with PseudoTerminal(["sh", "-c", script], env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\r")
        assert terminal.wait() == 0
        terminal.wait_for("chosen: 20260101_000007_abcdef")


def test_nothing_chosen(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    output = tmp_path / "output"
    with (
        output.open("wb") as stdout,
        browser(
            "browse", "--print", "--db", str(store), env=env, cwd=tmp_path, stdout=stdout.fileno()
        ) as terminal,
    ):
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\x11")
        assert terminal.wait() == 1
    assert output.read_bytes() == b""
    with browser("--db", str(store), env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\x11")
        assert terminal.wait() == 0


def test_the_call_for_programs(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    code = f"from hermes_tui import browse; print('got', browse({str(store)!r}, source='cli', limit=1))"
    with PseudoTerminal([sys.executable, "-c", code], env=env, cwd=tmp_path) as terminal:
        terminal.wait_for("Fix Docker Build")
        terminal.type(b"\r")
        assert terminal.wait() == 0
        terminal.wait_for("got 20260101_000007_abcdef")


def test_no_terminal(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "hermes_tui", *words, "--db", str(store)],
            env=env,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            start_new_session=True,
            check=False,
        )

    sentence = "There is no terminal to draw on (/dev/tty: No such device or address)."
    listed = run("browse")
    assert (listed.returncode, listed.stderr) == (0, f"{sentence} So this is the list.\n")
    assert [line.split()[-1] for line in listed.stdout.splitlines()[2:]] == [
        "20260101_000007_abcdef",
        "other",
    ]
    printed = run("browse", "--print")
    assert (printed.returncode, printed.stdout, printed.stderr) == (3, "", f"hermes-tui: {sentence}\n")
    store.unlink()
    lost = run("browse")
    assert (lost.returncode, lost.stdout) == (3, "")
    assert lost.stderr.startswith(f"hermes-tui: No session store at {store}. Name one with --db PATH")
    assert lost.stderr.count("\n") == 1


def test_a_browser_that_breaks_down(store: Path, env: dict[str, str], tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from hermes_tui.__main__ import main\n"
        "from hermes_tui.app import BrowserApp\n"
        "BrowserApp.on_ready = lambda self: 1 / 0\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    argv = [sys.executable, "-c", code, "browse", "--print", "--db", str(store)]
    with PseudoTerminal(argv, env=env, cwd=tmp_path) as terminal:
        assert terminal.wait() == 3
        assert terminal.attributes_now == terminal.attributes
        assert terminal.raw.endswith(b"hermes-tui: The browser broke down.\r\n")
        assert b"ZeroDivisionError" in terminal.raw
