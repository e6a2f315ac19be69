"""What a key costs: from the event to the return of `App._display`, when the frame is with the driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from hermes_tui.app import BrowserApp
from hermes_tui.options import Options
from hermes_tui.screens.browser import BrowserScreen
from tests.benchmarks.measure import Row, Times, of
from tests.support.browsing import row_of

WORDS = ("kubernetes", "docker error", "xylophonequark", "the session", "zzqqxxyyww", "datab")
SECONDS_A_KEY = 0.06
VISIBLE = 10


def rows(path: Path, name: str) -> Iterator[Row]:
    """The rows about keys."""
    keystrokes, costs = asyncio.run(_measure(path))
    short = of(wall for typed, wall in keystrokes if len(typed) < 3)
    words = of(wall for typed, wall in keystrokes if len(typed) >= 3)
    # Very short words are for the finding to come: shown, not judged.
    yield Row("keystroke to display: 1-2 letters", name, short)
    yield Row("keystroke to display: 3 and more", name, words, None, 40)
    yield Row("  the slowest in twenty", name, words, None, 100, "p95")
    for what, budget in (("cursor: one row", 10), ("cursor: a page", 25), ("cursor: to the end", 25)):
        yield Row(what, name, costs[what], None, budget, "cpu")


class MeasuredApp(BrowserApp):
    """Notes when the first frame that satisfies a condition was handed to the driver."""

    _wanted: Callable[[], bool] | None = None
    _shown: asyncio.Future[tuple[float, float]] | None = None

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        super()._display(screen, renderable)
        if self._shown and not self._shown.done() and self._wanted and self._wanted():
            self._shown.set_result((time.perf_counter(), time.process_time()))

    async def frame_after(self, key: str, condition: Callable[[], bool]) -> tuple[float, float]:
        """Press a key; milliseconds, of the clock and of the processor, to the frame in which it shows.

        Raises:
            TimeoutError: It did not within three seconds.
        """
        self._shown = asyncio.get_running_loop().create_future()
        self._wanted = condition
        event = events.Key("space" if key == " " else key, key if len(key) == 1 else None)
        event.set_sender(self)
        assert self._driver is not None
        wall, cpu = time.perf_counter(), time.process_time()
        self._driver.send_message(event)
        shown_wall, shown_cpu = await asyncio.wait_for(self._shown, 3)
        return (shown_wall - wall) * 1e3, (shown_cpu - cpu) * 1e3


async def _measure(path: Path) -> tuple[list[tuple[str, float]], dict[str, Times]]:
    app = MeasuredApp(Options(db_path=path))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, BrowserScreen)
        await _settled(pilot)
        keystrokes = await _type(app, screen)
        await _settled(pilot)
        screen.sessions.focus()
        await pilot.pause()
        costs = {
            "cursor: one row": await _move(app, screen, ["down"] * 30),
            "cursor: a page": await _move(app, screen, ["pagedown"] * 15),
            "cursor: to the end": await _move(app, screen, ["end", "home"] * 8),
        }
        return keystrokes, costs


async def _type(app: MeasuredApp, screen: BrowserScreen) -> list[tuple[str, float]]:
    """Type the words as a person does, one key every 60 ms, and take them away again at once."""
    measured = []
    for word in WORDS:
        for end in range(1, len(word) + 1):
            typed = word[:end]
            pressed = time.perf_counter()
            wall, _ = await app.frame_after(typed[-1], partial(_shows, screen, typed))
            measured.append((typed, wall))
            await asyncio.sleep(max(0, SECONDS_A_KEY - (time.perf_counter() - pressed)))
        screen.box.value = ""
        await asyncio.sleep(0.3)
    return measured


def _shows(screen: BrowserScreen, typed: str) -> bool:
    """Whether what is on the screen is the answer to what was typed, with the contents of its rows."""
    finder = screen.finder
    if screen.box.value != typed or finder.pending or finder.query.text.strip() != typed.strip():
        return False
    return all(row_of(screen.app, entry) is not None for entry in finder.entries[:VISIBLE])


async def _move(app: MeasuredApp, screen: BrowserScreen, keys: list[str]) -> Times:
    measured = []
    for key in keys:
        before = screen.sessions.cursor
        measured.append(await app.frame_after(key, partial(_moved, screen, before)))
        await asyncio.sleep(0.15)  # the transcript follows; another key's cost must not contain it
    return of((wall for wall, _ in measured), (cpu for _, cpu in measured))


def _moved(screen: BrowserScreen, before: int) -> bool:
    return screen.sessions.cursor != before


async def _settled(pilot: Pilot[Any]) -> None:
    for _ in range(3):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause(0.2)
