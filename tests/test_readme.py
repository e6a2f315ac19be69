"""What the README claims: its commands, its examples, its keys, its links."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import hermes_tui
from hermes_tui import demo
from hermes_tui.cli import parser
from hermes_tui.cli.family import PLACES
from hermes_tui.options import Options
from hermes_tui.screens.actions.delete_dialog import DeleteAnswer, DeleteDialog
from hermes_tui.services.resume import CannotResume
from hermes_tui.text.marks import for_encoding
from storage import parse

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_first_command_ends_in_the_browser_on_the_demo() -> None:
    assert blocks("sh")[0] == (
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/hermes-tui --demo\n"
    )


def test_ci_runs_the_second_command() -> None:
    command = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest -q"
    assert blocks("sh")[1] == command + "\n"
    (pattern,) = re.findall(r"grep -m 1 -E '(.*?)' README\.md", (ROOT / ".ci" / "run").read_text())
    found = subprocess.run(["grep", "-E", pattern, "README.md"], cwd=ROOT, capture_output=True, text=True)
    assert found.stdout == command + "\n"


def test_every_command_line_is_understood() -> None:
    lines = re.findall(r"hermes-tui((?: [^#)\n]+)?)", blocks("sh")[2])
    assert [parser.parse(line.split()).command for line in lines] == [
        "browse",
        "browse",
        "list",
        "list",
        "list",
        "browse",
    ]


def test_every_command_that_acts_is_shown_and_understood() -> None:
    lines = re.findall(r"hermes-tui((?: [^#)\n]+)?)", blocks("sh")[3])
    shown = {parser.parse(line.split()).command for line in lines}
    # One line stands for the four of a kind.
    assert shown | {"unpin", "unarchive"} == {name for name in PLACES if name != "trash"} | {
        "trash list",
        "trash restore",
        "trash empty",
    }


def test_the_json_of_every_command_is_told() -> None:
    for name in PLACES:
        assert f"`{name}" in README.partition("| `--json` of |")[2] or name in (
            "unarchive",
            "pin",
            "optimize-storage",
        )


def test_the_storage_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    exec(blocks("python")[1], {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "complete 11 weekly report",
        "complete 6 chapter nine",
        "complete 8 post-mortem: forty minutes without search",
    ]
    assert re.fullmatch(r"\d{8}_\d{6}_[0-9a-f]+ \d+ of \d+", lines[3])


def test_the_browse_example_calls_browse(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(hermes_tui, "browse", lambda **options: asked.append(options))
    exec(blocks("python")[0], {})
    assert asked == [{"source": "cli"}]


def test_the_word_that_is_typed_finds_what_it_says() -> None:
    assert "`docker` finds `dockerfile` too, and `docker` and a blank does not" in README
    assert [str(parse(text)).strip() for text in ("docker", "docker ", "prefix* ")] == [
        "docker*",
        "docker",
        "prefix*",
    ]


def test_what_cannot_be_resumed_is_told(tmp_path: Path) -> None:
    assert "A store of another name than `state.db` can be browsed, not resumed" in README
    with pytest.raises(CannotResume):
        Options(tmp_path / "old.db").resume("one")
    assert Options(tmp_path / "own" / "state.db").resume("one").argv[-1] == "one"


def test_subagents_go_along_on_the_screen_and_stay_on_the_command_line() -> None:
    said = re.sub(r"\s+", " ", README)
    assert "are ticked at first; `Tab` and `Space` untick them." in said
    dialog = DeleteDialog("one", for_encoding("utf-8"), lambda _: None, lambda *_: "")
    assert dialog.answer == DeleteAnswer(with_subagents=True, keep_copy=True)
    assert "sessions of subagents stay, hidden, unless `delete --with-subagents`" in said
    typed = parser.parse(["sessions", "delete", "one"]).said
    assert typed is not None
    assert not typed.with_subagents


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert [target for target in targets if "://" not in target and not (ROOT / target).exists()] == []


def test_the_version_is_the_changelogs() -> None:
    assert f"## [{hermes_tui.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
