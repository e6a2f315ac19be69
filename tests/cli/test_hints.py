"""A sentence that names a command names it for the store that it is about."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from hermes_tui.cli import parser
from tests.cli.conftest import OnStore
from tests.support.stores import CopyStore

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
