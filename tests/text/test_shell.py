"""Commands that a dialog shows: a shell reads back what was meant, and nothing in them moves the terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.options import Options
from hermes_tui.services.own_command import own_command
from hermes_tui.text import shell


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("plain", "plain"),
        ("", "''"),
        ("it's [b]", """'it'"'"'s [b]'"""),
        ("\x1b[31m'\\", r"$'\x1b[31m\'\\'"),
        ("a\u202eb", r"$'a\u202eb'"),
    ],
)
def test_one_word(word: str, quoted: str) -> None:
    assert shell.quote(word) == quoted


@settings(max_examples=20)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1))
def test_a_shell_reads_it_back(words: list[str]) -> None:
    line = shell.line(words)
    assert line.isprintable()
    read = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert read.stdout.decode().split("\0")[:-1] == words


def test_the_store_is_named_where_it_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    own, other = Options(db_path=tmp_path / "state.db"), Options(db_path=tmp_path / "old one.db")
    assert own_command(own, "rename", "u", "a b") == "hermes-tui sessions rename u 'a b'"
    assert (
        own_command(other, "rename", "u", "")
        == f"hermes-tui sessions rename --db '{tmp_path}/old one.db' u ''"
    )
    demo = Options(db_path=tmp_path / "x.db", demo=True)
    assert own_command(demo, "rename", "-u", "x") == "hermes-tui sessions rename -- -u x"


def test_a_home_that_cannot_be_names_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    (tmp_path / "active_profile").write_text("no such NAME")
    line = own_command(Options(db_path=Path("s.db")), "export", "u", flags=("--format", "md"))
    assert line == "hermes-tui sessions export --db s.db --format md u"
