"""Draws the README's picture from the program itself: `python -m tests.picture [FILE]`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

from hermes_tui import demo
from hermes_tui.app import BrowserApp
from hermes_tui.options import Options

PICTURE = Path(__file__).parents[1] / "assets" / "browser.svg"
SIZE = (128, 36)
SEARCH = "after:30d docker"


async def draw(path: Path) -> None:
    """The browser on the demo with a search in it, as an SVG."""
    with tempfile.TemporaryDirectory() as directory:
        options = Options(db_path=demo.make(Path(directory)), demo=True, clock=lambda: demo.NOW)
        app = BrowserApp(options)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press(*("space" if letter == " " else letter for letter in SEARCH))
            for _ in range(5):
                await app.workers.wait_for_complete()
                await pilot.pause(0.2)
            path.write_text(app.export_screenshot(title="hermes-tui --demo", simplify=True), encoding="utf-8")


if __name__ == "__main__":
    # The picture is the same wherever it is drawn.
    os.environ.pop("NO_COLOR", None)
    os.environ |= {
        "TZ": "UTC",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "HERMES_TUI_THEME": "dark",
    }
    time.tzset()
    asyncio.run(draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE))
