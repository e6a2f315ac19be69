"""Export in the browser: the key in every pane, on marks, under a filter, and what is in the file afterwards."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, Static

from hermes_tui.app import BrowserApp
from hermes_tui.export import Exported
from hermes_tui.screens.actions.exporting import told
from hermes_tui.screens.export_dialog import ExportDialog
from storage import SessionDB
from tests.support.browsing import BrowserPilot, browsing
from tests.support.on_screen import press, put_cursor_on, toasts, until
from tests.support.other_process import other_process
from tests.support.stores import BuildV11, dump

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ"
ROWS = f"""
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('r','desktop',1780000000,1780001000,'compression','scanner',NULL),
('t','tui',1780001000,NULL,NULL,'[/b] scanner #2','r'),('u','telegram',1780000500,NULL,NULL,'taken',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','key {KEY} of '||id,started_at FROM sessions;
"""


@pytest.fixture
def path(build_v11: BuildV11, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return build_v11(ROWS)


def what(app: BrowserApp) -> str:
    assert isinstance(app.screen, ExportDialog)
    return str(app.screen.query_one("#what", Static).content)


def command(app: BrowserApp) -> str:
    return str(app.screen.query_one("#command", Static).content)


def where(app: BrowserApp) -> str:
    return app.screen.query_one("#to", Input).value


async def written(app: BrowserApp, pilot: BrowserPilot, *keys: str) -> str:
    """Press the keys, and wait until it says what was written."""
    await press(pilot, *keys)
    await until(pilot, lambda: not isinstance(app.screen, ExportDialog) and toasts(app))
    return toasts(app)[-1]


async def test_a_conversation_as_a_document(path: Path) -> None:
    before = dump(path)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, "t")
        await press(pilot, "e")
        assert what(app) == "1 conversation, 2 parts in all"
        name = where(app)
        assert name.endswith(".md")
        assert command(app).endswith(f"--format md --session-id t --lineage logical {name}")
        said = await written(app, pilot, "enter")
        assert said == f"Exported 1 conversation, 2 messages, to {name}. 2 secrets masked."
    text = Path(name).read_text("utf-8")
    assert KEY not in text
    assert text.index("of r") < text.index("of t")
    assert dump(path) == before


async def test_marked_ones_as_a_backup_under_a_filter(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "slash", *"taken", "tab", "e")
        assert what(app) == "2 conversations, 3 parts in all"
        await press(pilot, "down", "down", "down")
        name = where(app)
        assert name == "hermes-2026-05-29.jsonl"
        said = await written(app, pilot, "enter")
        assert said == f"Exported 2 conversations, 3 messages, to {name}."
    lines = [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]
    assert len(lines) == 2
    assert Path(name).read_text("utf-8").count(KEY) >= 3


async def test_from_the_lineage_it_is_that_part_and_can_be_the_whole(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, "t")
        await press(pilot, "t", "g", "e")
        assert what(app) == "1 part of 2"
        assert "--session-id r " in command(app)
        assert "--lineage" not in command(app)
        await press(pilot, "tab", "space")
        assert what(app) == "1 conversation, 2 parts in all"
        await press(pilot, "space")
        name = where(app)
        assert (
            await written(app, pilot, "enter")
            == f"Exported 1 conversation, 1 message, to {name}. 1 secret masked."
        )
    assert "of t" not in Path(name).read_text("utf-8")


async def test_from_the_transcript(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, "u")
        await press(pilot, "tab", "e")
        assert what(app) == "1 conversation"
        await press(pilot, "escape")
        assert not isinstance(app.screen, ExportDialog)


async def test_where_nothing_can_be_written_the_dialog_stays(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "e", "tab", "tab", "ctrl+u", *"no/x.md", "enter")
        await until(pilot, lambda: str(app.screen.query_one("#verdict", Static).content))
        assert where(app) == "no/x.md"
        assert app.screen.query_one("#to", Input).has_class("-refused")
        await press(pilot, "ctrl+u", *"there.md")
        assert await written(app, pilot, "enter")
    assert Path("there.md").is_file()


async def test_who_was_deleted_meanwhile_is_missing_and_said(path: Path) -> None:
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "A", "e", "down", "down")
        with other_process(path) as other:
            other.run("DELETE FROM messages WHERE session_id = 'u'")
            other.run("DELETE FROM sessions WHERE id = 'u'")
        said = await written(app, pilot, "enter")
        assert said.endswith("1 session had gone meanwhile.")


async def test_neither_dialog_calls_the_store_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, called = threading.current_thread(), set[str]()

    def watch(name: str) -> None:
        method = getattr(SessionDB, name)

        def call(*rest: Any, **more: Any) -> Any:
            called.add(name)
            assert threading.current_thread() is not here, name
            return method(*rest, **more)

        monkeypatch.setattr(SessionDB, name, call)

    for name in ("__init__", "check_title", "rename_session", "undo_rename"):
        watch(name)
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "r", "x", "enter", "u", "e")
        assert await written(app, pilot, "enter")
    assert called == {"__init__", "check_title", "rename_session", "undo_rename"}


@pytest.mark.parametrize(
    ("exported", "said"),
    [
        (Exported("a", 0, 0, cancelled=True), "Stopped: nothing was written."),
        (Exported("a", 3, 9, cancelled=True), "Stopped: 3 conversations written to a."),
        (Exported("a", 1, 1, masked=1), "Exported 1 conversation, 1 message, to a. 1 secret masked."),
        (
            Exported("a", 2, 5, missing=("x", "y")),
            "Exported 2 conversations, 5 messages, to a. 2 sessions had gone meanwhile.",
        ),
    ],
)
def test_what_is_said_in_the_end(exported: Exported, said: str) -> None:
    assert told(exported) == said
