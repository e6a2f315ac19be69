"""Everything that can be done to conversations can be done in the demo, and undone."""

from __future__ import annotations

from pathlib import Path

from hermes_tui import demo
from tests.support.acting import content, ids
from tests.support.browsing import browser, browsing
from tests.support.on_screen import press, put_cursor_on, shown_ids, toasts, until


async def test_each_action_once_and_back_again(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    path = demo.make(tmp_path / "demo")

    before = content(path)
    async with browsing(path, now=demo.NOW, demo=True) as (app, pilot):
        shown = shown_ids(app)
        chosen = next(entry for entry in browser(app).finder.entries if not entry.pinned)
        await press(pilot, "tab")
        await put_cursor_on(app, pilot, chosen.id)
        await press(pilot, "p")
        assert set(chosen.parts) <= set(ids(path, "pinned"))
        await press(pilot, "r", "x", "enter")
        assert len(ids(path, "title GLOB '*x' AND pinned")) == 1
        await press(pilot, "a")
        assert set(chosen.parts) <= set(ids(path, "archived"))
        await press(pilot, "space", "d", "y")
        assert toasts(app)[-1].startswith("Deleted “")
        await press(pilot, "e", "enter")
        await until(pilot, lambda: toasts(app) and toasts(app)[-1].startswith("Exported 1 conversation"))
        assert len(list(Path.cwd().glob("*.md"))) == 1
        for _ in range(4):
            await press(pilot, "u")
            assert "Undone: " in toasts(app)[-1]
        assert content(path) == before
        await press(pilot, "u")
        assert toasts(app)[-1] == "Nothing to undo here; earlier deletions: hermes-tui sessions trash list"
        assert shown_ids(app) == shown
