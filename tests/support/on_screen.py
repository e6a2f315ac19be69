"""What a person does at the browser and reads off it, in a test."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hermes_tui.app import BrowserApp
from hermes_tui.widgets.lineage_tree import LineageTree
from hermes_tui.widgets.transcript import TranscriptView
from tests.support.browsing import BrowserPilot, browser, screen_text, settle

PATIENCE = 20.0
"""Seconds until a test gives up; only a failure takes so long."""


async def press(pilot: BrowserPilot, *keys: str) -> None:
    """Press keys, one after the other, and wait for what they bring."""
    await pilot.press(*keys)
    await settle(pilot)


async def search_for(pilot: BrowserPilot, words: str) -> None:
    """Type words into the empty search box, letter by letter."""
    await press(pilot, *words)


def transcript(app: BrowserApp) -> TranscriptView:
    """The transcript."""
    return browser(app).query_one("#transcript", TranscriptView)


def tree(app: BrowserApp) -> LineageTree:
    """The lineage."""
    return browser(app).query_one("#lineage", LineageTree)


def pane_lines(app: BrowserApp, pane: str) -> list[str]:
    """The lines of one widget as they stand on the screen, its frame left out, blank ends cut."""
    widget = browser(app).query_one(f"#{pane}")
    region = widget.content_region
    strips = app.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(region.x, region.right).text.rstrip() for strip in strips]


def pane_text(app: BrowserApp, pane: str) -> str:
    """One widget's lines on the screen."""
    return "\n".join(pane_lines(app, pane))


def said(app: BrowserApp) -> str:
    """All that stands in the transcript, in one line: wrapped lines joined by one blank."""
    return " ".join(" ".join(pane_lines(app, "transcript")).split())


def shown_ids(app: BrowserApp) -> list[str]:
    """The conversations on show, from the top."""
    return [entry.id for entry in browser(app).finder.entries]


def toasts(app: BrowserApp) -> Sequence[str]:
    """What has been said in toasts and is still there."""
    return [note.message for note in app._notifications]


def id_at_cursor(app: BrowserApp) -> str | None:
    """The conversation under the list's cursor."""
    entry = browser(app).sessions.cursor_entry
    return entry.id if entry is not None else None


def title_at_cursor(app: BrowserApp) -> str:
    """The title in the list's row under the cursor."""
    row = browser(app).sessions.current_row()
    assert row is not None
    return row.title


async def put_cursor_on(app: BrowserApp, pilot: BrowserPilot, session_id: str) -> None:
    """Walk with the arrow keys to a conversation."""
    by = shown_ids(app).index(session_id) - browser(app).sessions.cursor
    await press(pilot, *["down" if by > 0 else "up"] * abs(by))


async def until(pilot: BrowserPilot, came: Callable[[], object]) -> None:
    """Wait until something is so, without waiting for the store to come to rest."""
    end = time.monotonic() + PATIENCE
    while not came():
        assert time.monotonic() < end, f"It never came:\n{screen_text(pilot.app)}"  # type: ignore[arg-type]
        await pilot.pause(0.01)
