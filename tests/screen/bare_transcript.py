"""A transcript alone on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from textual import on
from textual.pilot import Pilot

from hermes_tui.widgets.transcript import TranscriptView
from storage import Message, ToolCall, Transcript, parse
from tests.screen.bare_app import BareApp, lines_of

AMBER, PALE_AMBER = "#febf00", "#66490a"


class TranscriptApp(BareApp):
    widget: TranscriptView

    @on(TranscriptView.EarlierWanted)
    @on(TranscriptView.MatchMoved)
    @on(TranscriptView.MatchesPassed)
    def _keep(self, message: Any) -> None:
        self.posted.append(message)


def said(id: int, role: str, text: str, *tools: str, session: str = "a", **more: Any) -> Message:
    calls = tuple(ToolCall(name, "{}") for name in tools)
    return Message(id, session, role, text, None, calls, **more)


def talk(first: int, last: int) -> tuple[Message, ...]:
    """Exchanges of six lines each, without the last empty one; ids 10n and 10n+1."""
    return tuple(
        message
        for n in range(first, last + 1)
        for message in (said(10 * n, "user", f"question {n}"), said(10 * n + 1, "assistant", f"answer {n}"))
    )


def of(*messages: Message, earlier: int = 0, parts: tuple[str, ...] = ("a",)) -> Transcript:
    return Transcript(parts, messages, earlier)


@asynccontextmanager
async def shown(
    transcript: Transcript,
    search: str = "",
    *,
    at: int | None = None,
    size: tuple[int, int] = (60, 12),
    **more: Any,
) -> AsyncIterator[tuple[TranscriptView, TranscriptApp, Pilot[None]]]:
    view = TranscriptView()
    app = TranscriptApp(view, **more)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        view.show(transcript, parse(search) if search else None, at=at)
        view.focus()
        await pilot.pause()
        yield view, app, pilot


def texts(view: TranscriptView) -> list[str]:
    """Lines on the screen that say something, without who says it."""
    lines = [line.strip() for line in lines_of(view)]
    return [line for line in lines if line and line not in ("● You", "◆ Hermes")]
