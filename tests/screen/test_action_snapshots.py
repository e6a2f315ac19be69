"""Pictures of marks and of every dialog that deletes; each was looked at before it was accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.screens.actions.progress_dialog import ProgressDialog
from tests.screen.test_snapshots import SIZES, SnapCompare, pressing, shown
from tests.support.acting import FAMILY, FLAGS
from tests.support.browsing import BrowserPilot, options_for, settle
from tests.support.stores import NOW, BuildV11

HOSTILE = """
UPDATE sessions SET title = '[@click=app.quit]go[/] [/b] ' || char(27) || '[31mRed' || char(27) || ']8;;http://evil' ||
 char(7) || 'link' || char(10) || 'line' WHERE id = 'a';
UPDATE sessions SET title = '数据库' || char(0x202e) || '数据库重构数据库重构数据库重构数据库重构' WHERE id = 'b2';
UPDATE sessions SET title = 'nine letters ' || substr(hex(zeroblob(60)), 1, 87) WHERE id = 'c';
"""
"""Titles with brackets, escapes, a line end, wide letters, a change of direction, and of 100 characters."""
RUNNING = f"""
UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 'b2';
INSERT INTO messages(session_id, role, content, timestamp) VALUES ('b2', 'user', 'now', {NOW - 60});
"""


@pytest.fixture
def app(tmp_path: Path, build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> BrowserApp:
    # A path on the screen must be the same on every machine.
    monkeypatch.chdir(tmp_path)
    here = Path("state.db")
    build_v11(FAMILY + FLAGS + HOSTILE + RUNNING).rename(here)
    return BrowserApp(options_for(here))


def compared(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int], *keys: str) -> bool:
    return snap_compare(app, terminal_size=size, run_before=pressing("tab", *keys))


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=shown)
def test_marks(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert compared(app, snap_compare, size, "space", "j", "space", "slash", "type answer", "tab")


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=shown)
def test_delete_brackets_and_escapes(
    app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert compared(app, snap_compare, size, "j", "d")


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_delete_for_good_what_runs(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert compared(app, snap_compare, size, "g", "d", "up", "space", "y")


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_delete_a_hundred_characters(
    app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    assert compared(app, snap_compare, size, "G", "k", "d")


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_delete_a_part(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert compared(app, snap_compare, size, "g", "t", "g", "d")


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_delete_many(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert compared(app, snap_compare, size, "A", "d")


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_progress(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    before: Callable[[BrowserPilot], object] = pressing("tab")

    async def run(pilot: BrowserPilot) -> None:
        await before(pilot)  # type: ignore[misc]
        dialog = ProgressDialog(1, "Deleting 1,200 conversations", lambda: None)
        await app.push_screen(dialog)
        dialog.show(431, 1200)
        await pilot.press("escape")
        await settle(pilot)

    assert snap_compare(app, terminal_size=size, run_before=run)
