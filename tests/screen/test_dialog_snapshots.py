"""Pictures of the dialogs over the browser, with titles that would break them; each was looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.app import BrowserApp
from tests.screen.test_snapshots import SIZES, SnapCompare, pressing, shown
from tests.support.browsing import options_for
from tests.support.stores import BuildV11

HUNDRED = "数据库重构 [/b] " + "x" * 78 + " end]"
ROWS = f"""
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('[/]r','[red]desktop',1780000000,1780001000,'compression','[@click=app.quit]go[/]',NULL),
('t','tui',1780001000,NULL,NULL,'{HUNDRED}','[/]r'),
('u','telegram',1780000500,NULL,NULL,char(27)||'[31m[TODO]'||char(27)||'[0m',NULL);
INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user','body [/] of '||id,started_at FROM sessions;
"""


@pytest.fixture
def app(tmp_path: Path, build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> BrowserApp:
    # A directory whose name is on the screen must be the same on every machine: it is the home.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    build_v11(ROWS).rename("state.db")
    return BrowserApp(options_for(Path("state.db")))


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=shown)
def test_rename(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=pressing("tab", "r"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_rename_refused(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    keys = ("tab", "down", "r", "ctrl+u", "type [@click=app.quit]go[/]")
    assert snap_compare(app, terminal_size=size, run_before=pressing(*keys))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_rename_an_ancestor_gives_way(
    app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    keys = ("tab", "r", "ctrl+u", "type   [@click=app.quit]go[/]")
    assert snap_compare(app, terminal_size=(80, 24), run_before=pressing(*keys))


def test_rename_cleared_with_marks(app: BrowserApp, snap_compare: SnapCompare) -> None:
    keys = ("tab", "A", "g", "r", "ctrl+u")
    assert snap_compare(app, terminal_size=(80, 24), run_before=pressing(*keys))


@pytest.mark.parametrize("size", [*SIZES, (40, 12)], ids=shown)
def test_export(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=pressing("tab", "e"))


def test_export_a_part_as_a_backup(app: BrowserApp, snap_compare: SnapCompare) -> None:
    keys = ("tab", "t", "g", "e", "down", "down")
    assert snap_compare(app, terminal_size=(80, 24), run_before=pressing(*keys))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_export_refused(app: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    keys = ("tab", "A", "e", "down", "tab", "tab", "ctrl+u", "type no/[b]where", "enter")
    assert snap_compare(app, terminal_size=size, run_before=pressing(*keys))


def test_export_over_a_file(app: BrowserApp, snap_compare: SnapCompare) -> None:
    Path("[b]x.md").write_text("mine")
    keys = ("tab", "e", "tab", "tab", "ctrl+u", "type [b]x.md", "enter")
    assert snap_compare(app, terminal_size=(80, 24), run_before=pressing(*keys))
