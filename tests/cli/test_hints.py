"""A sentence that names a command names it for the store that it is about."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_tui.cli import parser
from tests.cli.conftest import OnStore
from tests.support.stores import CopyStore

ROOT = Path(__file__).parents[2]
REFUSED = (
    ("delete", "nobody", "--yes"),
    ("rename", "nobody", "x"),
    ("pin", "nobody"),
    ("archive", "nobody"),
    ("export", "-", "--session-id", "nobody"),
    ("trash", "restore", "nope"),
    ("trash", "empty", "nope"),
    ("unpin", "20261107_120000_aaaa01"),
)


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_hint_leads_to_the_same_store(
    words: tuple[str, ...], copy_store: CopyStore, on_store: OnStore, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "it's old"
    elsewhere.mkdir()
    store = Path(shutil.move(copy_store("state-v22-0.19.0.db"), elsewhere / "state.db"))
    done = on_store(store)(*words)
    assert done.status == 3
    (hint,) = re.findall(r"`(.*?)`", done.err)
    program, *said = shlex.split(hint)
    assert program == "hermes-tui"
    assert parser.parse(said).db == store


def test_the_store_that_opens_by_itself_is_not_named(
    copy_store: CopyStore, on_store: OnStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = copy_store("state-v23.db")
    home = store.with_name("home")
    home.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    done = on_store(Path(shutil.move(store, home / "state.db")))("pin", "nobody")
    assert done.err == "hermes-tui: Session 'nobody' not found. `hermes-tui sessions list` shows the ids.\n"


def named_commands() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where the source names a command of ours: in a sentence, or to the function that words it for a store."""
    for file in (*ROOT.glob("storage/**/*.py"), *ROOT.glob("hermes_tui/**/*.py")):
        place = str(file.relative_to(ROOT))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for words in re.findall(r"`hermes-tui ([a-z -]+)`", node.value):
                    yield place, tuple(words.split())
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("own_command", ".again")):
                words = [each.value for each in node.args if isinstance(each, ast.Constant)]
                yield place, ("sessions", *words)


@pytest.mark.parametrize(("place", "words"), sorted(set(named_commands())))
def test_every_command_that_a_message_names_exists(
    place: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser.parse([*words, "--help"])
    assert (ended.value.code, capsys.readouterr().err) == (0, ""), place
