"""Outputs that take nothing, ids that an encoding lacks, and places that are gone."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hermes_tui.cli.output import Output
from tests.support.stores import CopyStore

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def store(copy_store: CopyStore) -> Path:
    return copy_store("state-v23.db")


def in_shell(script: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which $TUI is hermes-tui, with no terminal at hand."""
    others = {
        name: value for name, value in os.environ.items() if name not in ("HERMES_HOME", "PYTHONUNBUFFERED")
    }
    return subprocess.run(
        ["sh", "-c", script],
        env={**others, "PYTHONPATH": str(ROOT), "TUI": f"{sys.executable} -m hermes_tui", **more},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("to", "why"),
    [(">&-", "the output is closed"), (">/dev/full", "No space left on device")],
    ids=["closed", "full"],
)
@pytest.mark.parametrize("limit", ["0", "1"], ids=["more than a buffer", "less than a buffer"])
def test_an_output_that_takes_nothing(to: str, why: str, limit: str, store: Path, tmp_path: Path) -> None:
    done = in_shell(f"$TUI sessions list --limit {limit} --db {store} {to}", tmp_path)
    assert (done.returncode, done.stderr) == (3, f"hermes-tui: Cannot write the answer: {why}.\n")


def test_a_help_that_finds_no_room(tmp_path: Path) -> None:
    done = in_shell("$TUI --help >/dev/full", tmp_path)
    assert done.stderr == "hermes-tui: Cannot write the answer: No space left on device.\n"
    assert done.returncode == 3


@pytest.mark.parametrize("to", ["2>&-", "2>/dev/full"])
def test_remarks_that_nobody_takes(to: str, store: Path, tmp_path: Path) -> None:
    done = in_shell(f"$TUI sessions list --limit 1 --db {store} {to}", tmp_path)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)
    assert in_shell(f"$TUI sessions list --db no.db {to}", tmp_path).returncode == 3


@pytest.mark.parametrize(
    ("session_id", "written"),
    [("sitzung-ü", "sitzung-ü\n".encode()), ("a\udcffb", b"a\xffb\n"), ("\ud83d", b"\xed\xa0\xbd\n")],
)
def test_an_id_is_written_whatever_the_encoding(session_id: str, written: bytes) -> None:
    answers = io.BytesIO()
    output = Output(io.TextIOWrapper(answers, encoding="ascii"), io.StringIO())
    output.line("before")
    output.exactly(session_id)
    output.finish()
    assert answers.getvalue() == b"before\n" + written


@pytest.mark.parametrize("relative", ["x.db", "state.db", "../state.db"])
def test_the_working_directory_is_gone(relative: str, store: Path, tmp_path: Path) -> None:
    done = in_shell(f"mkdir gone && cd gone && rmdir ../gone && $TUI sessions list --db {relative}", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert done.stderr.startswith(f"hermes-tui: No session store at {relative}.")
    found = in_shell(
        f"mkdir gone && cd gone && rmdir ../gone && $TUI sessions list --limit 1 --db {store}", tmp_path
    )
    assert (found.returncode, len(found.stdout.splitlines())) == (0, 3)


def test_a_home_that_leads_in_a_circle(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    done = in_shell("$TUI sessions list", tmp_path, HERMES_HOME=str(loop))
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert str(loop / "state.db") in done.stderr


@pytest.mark.parametrize(
    ("limits", "temporary", "why"),
    [
        ("ulimit -f 16;", "", "Cannot make the demo"),
        ("", "/proc/nowhere", "Cannot make the demo"),
        ("", "", ""),
    ],
    ids=["full", "not there", "fine"],
)
def test_no_room_for_the_demo(limits: str, temporary: str, why: str, tmp_path: Path) -> None:
    place = temporary or str(tmp_path)
    # Python falls back to /tmp and the like, so these are made unusable too.
    start = (
        "import sys, tempfile; from hermes_tui.__main__ import main;"
        f"tempfile._candidate_tempdir_list = lambda: [{place!r}];"
        "sys.exit(main(['--demo', 'sessions', 'list']))"
    )
    done = in_shell(f'{limits} "$PY" -c "$START"', tmp_path, PY=sys.executable, START=start)
    if not why:
        assert (done.returncode, len(done.stdout.splitlines())) == (0, 22)
        return
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert done.stderr.startswith(f"hermes-tui: {why}")
    assert list(tmp_path.iterdir()) == []
