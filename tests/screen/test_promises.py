"""Browsing writes nothing, nothing of the store acts, the interface never reads the store itself, no writer waits."""

from __future__ import annotations

import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.screens.browser import BrowserScreen
from storage import SessionDB
from tests.cases.test_case_32_no_control_byte_in_the_list import ROWS as ESCAPES
from tests.cases.test_case_33_brackets_are_text_in_search import SETUP as BRACKETS
from tests.support.browsing import browser, browsing, settle
from tests.support.on_screen import press, shown_ids, toasts, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, CopyStore
from tests.support.walking import walk

ACTIONS = 2_000
WRITING = ("archive", "delete", "export", "pin", "rename", "undo")
CALLS = ("info", "first_page", "listing", "details", "search", "excerpts", "transcript", "lineage", "changes")


def files(path: Path) -> dict[str, bytes]:
    """Every file beside the store, byte for byte, but for SQLite's own index of the WAL.

    Another process reads them: when one closes a file, it drops the locks that its own SQLite has on it.
    """
    return {
        file.name: subprocess.run(["cat", file], capture_output=True, check=True).stdout
        for file in path.parent.iterdir()
        if not file.name.endswith("-shm")
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["state-v23.db", "state-v22-delete-journal.db"])
async def test_after_two_thousand_actions_the_bytes_are_the_same(
    copy_store: CopyStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy_store(name)
    before = files(path)
    # This walk browses: it hits the keys of what writes, and nobody is there.
    for action in WRITING:
        monkeypatch.setattr(BrowserScreen, f"action_{action}", lambda *_: None)
    async with browsing(path) as (app, pilot):
        monkeypatch.setattr(app, "exit", lambda *_: None)
        await walk(app, pilot, ACTIONS)
        await settle(pilot)
        monkeypatch.undo()
        assert app.is_running
        during = files(path)
    assert during[name] == before[name]
    assert set(during) - {name, f"{name}-wal"} == set()
    assert during.get(f"{name}-wal", b"") == b""
    assert files(path)[name] == before[name]


@pytest.mark.parametrize("rows", [BRACKETS, ESCAPES], ids=["brackets", "escapes"])
async def test_no_text_of_the_store_is_markup_or_acts(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch, rows: str
) -> None:
    path = build_v11(rows)
    async with browsing(path) as (app, pilot):
        monkeypatch.setattr(app, "exit", lambda *_: None)
        await walk(app, pilot, 300, seed=7)
        await settle(pilot)
        monkeypatch.undo()
        assert app.is_running


async def test_no_store_call_is_made_by_the_interface_itself(
    copy_store: CopyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: Counter[str] = Counter()
    here = threading.current_thread()

    def watched(name: str, method: Any) -> Any:
        def call(self: SessionDB, *rest: Any, **more: Any) -> Any:
            called[name] += 1
            assert threading.current_thread() is not here, name
            return method(self, *rest, **more)

        return call

    for name in CALLS:
        monkeypatch.setattr(SessionDB, name, watched(name, getattr(SessionDB, name)))
    opened = SessionDB.__init__

    def opening(self: SessionDB, *rest: Any, **more: Any) -> None:
        assert threading.current_thread() is not here
        opened(self, *rest, **more)

    monkeypatch.setattr(SessionDB, "__init__", opening)
    async with browsing(copy_store("state-v22-0.19.0.db")) as (app, pilot):
        with monkeypatch.context() as patched:
            patched.setattr(app, "exit", lambda *_: None)
            await walk(app, pilot, 400, seed=5)
            await settle(pilot)
        await press(pilot, "ctrl+q")
    assert set(called) == set(CALLS)


@pytest.mark.parametrize("journal", ["wal", "delete"])
async def test_a_writer_is_never_in_the_way_and_never_waits(
    build_v11: BuildV11, journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is asked is whether anything is held between two calls; no look of its own may come between.
    monkeypatch.setattr("hermes_tui.screens.browser.POLL_SECONDS", 3600)
    rows = """
    INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one'),('s2','cli',1780000001,'two');
    INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','hello docker',started_at FROM sessions;
    """
    path = build_v11(f"{rows} PRAGMA journal_mode={journal};")
    with other_process(path) as other:
        async with browsing(path) as (app, pilot):
            for number, key in enumerate(
                ("down", "d", "o", "tab", "tab", "g", "f5", "shift+tab", "t", "h", "escape", "s")
            ):
                await press(pilot, key)
                other.say("s2", f"docker {number}", 1780000100 + number)
                if journal == "wal":
                    assert other.run("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
            assert not [toast for toast in toasts(app) if "locked" in toast or "busy" in toast]
            await press(pilot, "f5")
            await until(pilot, lambda: browser(app).finder.hit_labels() == {"s1": "1", "s2": "13"})
            assert shown_ids(app) == ["s2", "s1"]
