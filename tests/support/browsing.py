"""Driving the browser in a test: frozen clock, no theme from outside, and waiting for what is under way."""

from __future__ import annotations

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

QUIET = 3
"""Looks that must find no call under way: an answer that came is still to be handled, and may ask for the next one."""
AT_MOST = 100
"""Such looks while something is to come yet: a slow machine lays out, and asks, later."""


def options_for(path: Path, *, now: float = NOW, **others: Any) -> Options:
    """Options for a store, with the clock stopped."""
    return Options(db_path=path, clock=lambda: now, **others)


async def settle(pilot: BrowserPilot) -> None:
    """Wait until no store call is under way, the transcript has followed the cursor, and all of it is laid out."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause(FOLLOW_SECONDS + 0.01)
    quiet = 0
    while quiet < QUIET or (quiet < AT_MOST and _is_early(pilot)):
        quiet = 0 if pilot.app.workers else quiet + 1
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.01)


def _is_early(pilot: BrowserPilot) -> bool:
    """What came last is not on the screen yet."""
    screen = pilot.app.screen_stack[0]
    if not isinstance(screen, BrowserScreen) or not screen.opened:
        return False
    if (
        screen._follow_timer is not None
        or screen.finder.pending
        or screen.detail.transcript.is_to_be_arranged
    ):
        return True
    if any(not node._message_queue.empty() for node in (screen, *screen.walk_children())):
        return True
    if screen.panes.full:
        return False
    sessions = screen.sessions
    early = not sessions.size and bool(screen.finder.entries)
    return early or any(map(sessions.known.lacks_details, sessions.visible_entries()))


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
