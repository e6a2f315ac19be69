"""A dialog shows a command that names a few sessions; what is copied names all of them and does the same."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.acting import FAMILY, ORDER, dialog_text, ids
from tests.support.browsing import browsing
from tests.support.commands import Commands
from tests.support.on_screen import press
from tests.support.stores import BuildV11


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    return build_v11(FAMILY)


async def copied(path: Path, key: str) -> list[str]:
    """The words of the command that the dialog over all conversations copies."""
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", key)
        assert " … and 2 more" in dialog_text(app)
        await press(pilot, "ctrl+y")
        words = shlex.split(app.clipboard)
        await press(pilot, "escape")
    assert words[:2] == ["hermes-tui", "sessions"]
    assert words[3:5] == ["--db", str(path)]
    return [words[2], *words[5:]]


async def test_deleting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = await copied(path, "d")
    assert words == ["delete", "--chain", "--with-subagents", *ORDER]
    said = Commands(path, monkeypatch)(*words, "--yes")
    assert said.status == 0
    assert ids(path) == []


async def test_exporting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = await copied(path, "e")
    assert [word for before, word in pairwise(words) if before == "--session-id"] == ORDER
    said = Commands(path, monkeypatch)(*words)
    assert said.status == 0
    assert len(list(Path(words[-1]).glob("*.md"))) == len(ORDER)
