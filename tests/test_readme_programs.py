"""What the README tells programs is run as it stands there, block after block, in an empty directory."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def examples(text: str) -> str:
    """The interactive sessions of a Markdown text, as one."""
    return "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))


def test_every_answer_is_the_one_that_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = examples(README.read_text(encoding="utf-8"))
    if not session:
        pytest.skip("NOT TESTED: the README has no examples for programs yet")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", str(README), 0)
    said: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert outcome.attempted > 10
    assert outcome.failed == 0, "".join(said)
