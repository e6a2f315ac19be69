"""Case 37 on the screen: read-only, missing, empty and alien files, browsed by somebody who is not root."""

from __future__ import annotations

import asyncio
import concurrent.futures.thread
import os
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.start import options_for
from tests.cases.test_case_37_files_of_every_kind import SETUP, contents
from tests.support.browsing import BrowserPilot, browsing, screen_text, titles
from tests.support.on_screen import press, said, search_for, shown_ids, toasts
from tests.support.other_user import as_somebody_else, public_directory
from tests.support.stores import write_v11

LOADED = (concurrent.futures.thread,)
"""Imported here: somebody else may not be allowed to read the files of Python itself."""

Look = Callable[[BrowserApp, BrowserPilot], Awaitable[object]]


@pytest.fixture
def home() -> Iterator[Path]:
    with public_directory() as directory:
        yield directory


def seen(path: Path, look: Look) -> object:
    """What `look` brings back from a browser that somebody else has opened."""

    async def browse() -> object:
        async with browsing(path) as (app, pilot):
            return await look(app, pilot)

    return as_somebody_else(lambda: asyncio.run(asyncio.wait_for(browse(), 60)))


async def everything(app: BrowserApp, pilot: BrowserPilot) -> dict[str, object]:
    listed, talk = titles(app), said(app)
    await search_for(pilot, "hello")
    return {"titles": listed, "talk": talk, "found": shown_ids(app), "said": list(toasts(app))}


async def screen(app: BrowserApp, pilot: BrowserPilot) -> str:
    await press(pilot, "f5")
    return screen_text(app)


def test_a_read_only_media(home: Path) -> None:
    path = write_v11(home / "state.db", SETUP)
    path.chmod(0o444)
    home.chmod(0o555)
    before = contents(home)
    assert seen(path, everything) == {
        "titles": ["one"],
        "talk": "● You 2026-05-28 20:26 hello",
        "found": ["s1"],
        "said": ["The store lies in a directory that cannot be written, so nothing in it can be changed."],
    }
    assert contents(home) == before


def test_b_no_store(home: Path) -> None:
    text = str(seen(home / "state.db", screen))
    assert "No session store here" in text
    assert f"Looked for {home / 'state.db'}. Nothing was created." in text
    assert os.listdir(home) == []


@pytest.mark.parametrize("rights", [0o777, 0o555])
def test_c_an_empty_file(home: Path, rights: int) -> None:
    path = home / "state.db"
    path.touch()
    path.chmod(0o444)
    home.chmod(rights)
    assert "No sessions yet" in str(seen(path, screen))
    assert contents(home) == {"state.db": b""}


def test_d_not_a_database(home: Path) -> None:
    path = home / "state.db"
    path.write_bytes(b"hello world" * 500)
    text = str(seen(path, screen))
    assert f"{path} is not a database." in text
    assert "No sessions" not in text
    assert contents(home) == {"state.db": b"hello world" * 500}


def test_e_a_writer_with_rows_that_only_its_wal_holds(home: Path) -> None:
    path = write_v11(home / "state.db", SETUP)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        writer.execute("UPDATE sessions SET title = 'newer'")
        for name in os.listdir(home):
            (home / name).chmod(0o644)
        home.chmod(0o555)
        before = contents(home)
        answer = seen(path, everything)
        assert isinstance(answer, dict)
        assert (answer["titles"], answer["found"]) == (["newer"], ["s1"])
        assert contents(home) == before
        home.chmod(0o755)


def test_f_a_profile(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office = home / "profiles" / "office"
    write_v11(office / "state.db", SETUP)
    write_v11(home / "state.db", SETUP.replace("'one'", "'of the root'"))
    monkeypatch.setenv("HERMES_HOME", str(office))
    options = options_for()
    assert options.profile == "office"
    text = str(seen(options.db_path, screen))
    assert str(office / "state.db") in text.splitlines()[0]
    assert "▸  one " in text
