"""A session list alone on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from textual import on
from textual.pilot import Pilot

from hermes_tui.text.marks import UNICODE, Marks
from hermes_tui.widgets.session_list import SessionList
from storage import Conversation, Entry, Excerpt, Status
from tests.screen.bare_app import BareApp

NOW = 1_795_900_000.0
DAY = 86_400.0


class ListApp(BareApp):
    widget: SessionList

    @on(SessionList.Wanted)
    @on(SessionList.Moved)
    @on(SessionList.Chosen)
    @on(SessionList.NearEnd)
    def _keep(self, message: Any) -> None:
        self.posted.append(message)


def entry(number: int, *, parts: tuple[str, ...] = (), pinned: bool = False) -> Entry:
    return Entry(f"s{number}", (*parts, f"s{number}"), NOW - number * DAY, "telegram", pinned=pinned)


def entries(count: int) -> list[Entry]:
    return [entry(number) for number in range(count)]


def details(id: str, title: str = "A title", preview: str = "first words", **more: Any) -> Conversation:
    known: dict[str, Any] = {
        "source": "cli", "model": "opus", "started_at": NOW, "last_active": NOW - 7200, "ended_at": None,
        "status": Status.COMPLETE, "messages": 142, "tokens": 1, "cost": None, "parts": (id,),
    }  # fmt: skip
    return Conversation(id, title, preview, **(known | more))


def excerpt(text: str, *words: str) -> Excerpt:
    spans = tuple((text.index(word), text.index(word) + len(word)) for word in words)
    return Excerpt(text, spans, 1, "s0", "user")


@asynccontextmanager
async def shown(
    what: Sequence[Entry],
    *,
    size: tuple[int, int] = (80, 11),
    marks: Marks = UNICODE,
    colors: str = "truecolor",
) -> AsyncIterator[tuple[SessionList, ListApp, Pilot[None]]]:
    """A focused list of ten lines and its header."""
    sessions = SessionList(lambda: NOW, marks)
    app = ListApp(sessions, colors=colors)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        sessions.show(what)
        sessions.focus()
        await pilot.pause()
        yield sessions, app, pilot
