"""Pictures of every state of the browser; each was looked at before it was accepted.

Accept new ones with `pytest tests/screen/test_snapshots.py --snapshot-update`, then look at them again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import Input

from hermes_tui import demo
from hermes_tui.app import BrowserApp
from hermes_tui.widgets.search_box import SearchBox
from tests.support.browsing import BrowserPilot, options_for, settle
from tests.support.on_screen import until
from tests.support.stores import BuildV11, CopyStore

SnapCompare = Callable[..., bool]
SIZES = [(120, 40), (80, 24)]
ALL_SIZES = [(160, 45), *SIZES, (40, 12)]


def shown(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def pressing(*keys: str) -> Callable[[BrowserPilot], object]:
    """Press keys one after the other, waiting for what each of them brings."""

    async def run(pilot: BrowserPilot) -> None:
        await settle(pilot)
        pilot.app.screen_stack[0].query_one(Input).cursor_blink = False
        for key in keys:
            await pilot.press(*(key.removeprefix("type ") if key.startswith("type ") else [key]))
            await settle(pilot)
        # Toasts, the milliseconds of a search and the beat of the cursor are not part of a picture.
        pilot.app.clear_notifications()
        box = pilot.app.screen_stack[0].query_one("#search", SearchBox)
        for line in (box, *pilot.app.screen.query(Input)):
            line.cursor_blink = False
        if box.border_subtitle and " ms " in box.border_subtitle:
            pieces = str(box.border_subtitle).split(" · ")
            box.border_subtitle = " · ".join("3 ms" if piece.endswith(" ms") else piece for piece in pieces)
        await pilot.pause()

    return run


@pytest.fixture
def on_demo(demo_store: Path) -> BrowserApp:
    return BrowserApp(options_for(demo_store, now=demo.NOW, demo=True))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to be in, so that a path on the screen is the same on every machine."""
    monkeypatch.chdir(tmp_path)
    return Path("state.db")


@pytest.mark.parametrize("size", ALL_SIZES, ids=shown)
def test_main(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing(*["down"] * 4))


@pytest.mark.parametrize("size", ALL_SIZES, ids=shown)
def test_search(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("type docker", "down"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_light_theme(
    demo_store: Path, snap_compare: SnapCompare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_TUI_THEME", "light")
    app = BrowserApp(options_for(demo_store, now=demo.NOW, demo=True))
    assert snap_compare(app, terminal_size=size, run_before=pressing("type docker", "tab", "down"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_filters(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    line = "type source:cli after:30d -is:error docker after:soon -is:e"
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing(line))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_no_match(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("type zzz"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_help(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("tab", "question_mark"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_hidden_menu(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("tab", "h"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_lineage(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("tab", *["j"] * 4, "t", "g"))


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=shown)
def test_transcript(on_demo: BrowserApp, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(on_demo, terminal_size=size, run_before=pressing("tab", *["j"] * 4, "tab", "T"))


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_missing_store(here: Path, snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    assert snap_compare(BrowserApp(options_for(here)), terminal_size=size, run_before=pressing())


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_not_a_store(snap_compare: SnapCompare, size: tuple[int, int]) -> None:
    store = Path(os.environ["HOME"]) / "state.db"
    store.write_text("hello world" * 500, encoding="ascii")
    assert snap_compare(BrowserApp(options_for(store)), terminal_size=size, run_before=pressing())


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_empty_store(
    here: Path, copy_store: CopyStore, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    copy_store("empty-v22-0.19.0.db").rename(here)
    assert snap_compare(BrowserApp(options_for(here)), terminal_size=size, run_before=pressing())


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_loading(
    here: Path, snap_compare: SnapCompare, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A store that never opens.
    monkeypatch.setattr("hermes_tui.services.store_worker.StoreWorker.open", lambda *_: 1)

    async def wait(pilot: BrowserPilot) -> None:
        await until(pilot, lambda: pilot.app.screen.has_class("-notice"))
        await pilot.pause()

    assert snap_compare(BrowserApp(options_for(here)), terminal_size=size, run_before=wait)


@pytest.mark.parametrize("size", SIZES, ids=shown)
def test_hostile_text(
    here: Path, build_v11: BuildV11, snap_compare: SnapCompare, size: tuple[int, int]
) -> None:
    rows = """
    INSERT INTO sessions(id,source,started_at,title) VALUES
    ('s1','cli',1780000005,'[link=http://x]y'),('s2','cli',1780000004,'[/b] plan'),('s3','cli',1780000003,'[TODO] Q3'),
    ('s4','[red]cli',1780000002,'[@click=app.quit]go[/]'),('s5','cli',1780000001,char(27)||'[31mRed'||char(27)||'[0m'),
    ('s6','cli',1780000000,'数据库重构数据库重构数据库重构数据库重构数据库重构'),
    ('s7','cli',1779999999,'a'||char(0x202e)||'b'||char(0x200b)||'c');
    INSERT INTO messages(session_id,role,content,timestamp) SELECT id,'user',
    'body [/] of '||title||' [1, "3"] arr[0] [bold '||char(27)||']8;;http://evil'||char(7)||'link',started_at
    FROM sessions;
    """
    build_v11(rows).rename(here)
    assert snap_compare(BrowserApp(options_for(here)), terminal_size=size, run_before=pressing("tab"))
