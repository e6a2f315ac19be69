"""Driving the browser in a test: frozen clock, no theme from outside, and waiting for what is under way."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from hermes_tui.app import BrowserApp
from hermes_tui.options import Options
from hermes_tui.screens.browser import FOLLOW_SECONDS, BrowserScreen
from hermes_tui.services.resume import Choice
from storage import Conversation, Entry
from tests.support.stores import NOW

BrowserPilot = Pilot[Choice | None]
Started = tuple[BrowserApp, BrowserPilot]

QUIET = 3
"""Looks that must find nothing to come: an answer that came is still to be handled, and may ask for the next one."""
PATIENCE = 60.0
"""Seconds until waiting is given up; only a failure takes so long."""


def options_for(path: Path, *, now: float = NOW, **others: Any) -> Options:
    """Options for a store, with the clock stopped."""
    return Options(db_path=path, clock=lambda: now, **others)


async def settle(pilot: BrowserPilot) -> None:
    """Wait until no store call is under way, the transcript has followed the cursor, and all of it is laid out."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause(FOLLOW_SECONDS + 0.01)
    quiet, end = 0, time.monotonic() + PATIENCE
    while quiet < QUIET:
        coming = _to_come(pilot)
        assert not coming or time.monotonic() < end, f"Still to come: {coming}"
        quiet = 0 if coming else quiet + 1
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.01)


def _to_come(pilot: BrowserPilot) -> str:
    """What is not on the screen yet; empty if all of it is."""
    if pilot.app.workers:
        return "an answer of the store"
    screen = pilot.app.screen_stack[0]
    if not isinstance(screen, BrowserScreen) or not pilot.app.is_running:
        return ""
    if not screen.furnished:
        return "all that needs the store"
    busy = [node for node in (screen, *screen.walk_children()) if not node._message_queue.empty()]
    if busy:
        return f"messages to {busy}"
    if not screen.opened:
        return ""
    if screen._follow_timer is not None:
        return "the transcript of the row under the cursor"
    if screen.finder.pending and screen.finder._under_way:
        return "the list"
    transcript = screen.detail.transcript
    if transcript.size and transcript.is_to_be_arranged:
        return "the lines of the transcript"
    sessions = screen.sessions
    if screen.panes.full or not screen.finder.entries:
        return ""
    if not sessions.size:
        return "a place for the list"
    if not sessions.scrollable_content_region:
        return ""
    lacking = [entry.id for entry in sessions.visible_entries() if sessions.known.lacks_details(entry)]
    refused = any(note.severity == "error" for note in pilot.app._notifications)
    return f"rows of {lacking}" if lacking and not refused else ""


@asynccontextmanager
async def browsing(
    path: Path, *, size: tuple[int, int] = (120, 40), **others: Any
) -> AsyncIterator[tuple[BrowserApp, BrowserPilot]]:
    """A browser on a store, settled."""
    app = BrowserApp(options_for(path, **others))
    async with app.run_test(size=size) as pilot:
        # The store is opened behind the first frame.
        while not (browser(app).opened or browser(app).box.disabled):
            await pilot.pause(0.01)
        await settle(pilot)
        yield app, pilot


def browser(app: BrowserApp) -> BrowserScreen:
    """The browser's screen."""
    screen = app.screen_stack[0]
    assert isinstance(screen, BrowserScreen)
    return screen


def row_of(app: BrowserApp, entry: Entry) -> Conversation | None:
    """Details of a conversation, if they are here."""
    return browser(app).sessions.known.details(entry)


def titles(app: BrowserApp) -> list[str]:
    """Titles (or previews of the untitled) on show, from the top, as far as details are here."""
    screen = browser(app)
    rows = [row_of(app, entry) for entry in screen.finder.entries]
    return [row.title or row.preview for row in rows if row is not None]


def screen_text(app: BrowserApp) -> str:
    """What the whole screen shows, as plain lines."""
    width, height = app.size
    lines = app.screen._compositor.render_strips()[:height]
    return "\n".join(strip.text[:width].rstrip() for strip in lines)
