"""A person who does this and that in the browser, the same every time."""

from __future__ import annotations

import random
from collections.abc import Iterator

from textual.events import Key, Paste

from hermes_tui.app import BrowserApp
from tests.support.browsing import BrowserPilot, browser

WORDS = ("docker", "the", "s", "zzz", "广西", "[/b]", "-x", '"a b', "cli", "2026", "source:cli ")
KEYS = (
    *("down", "up", "pagedown", "pageup", "j", "k", "g", "G", "home", "end") * 4,
    *("tab", "shift+tab", "enter_elsewhere", "escape", "slash") * 3,
    *(
        "n",
        "N",
        "T",
        "I",
        "J",
        "K",
        "t",
        "y",
        "Y",
        "h",
        "s",
        "space",
        "backspace",
        "f5",
        "f1",
        "question_mark",
        "a_elsewhere",
    ),
)
SIZES = ((120, 40), (80, 24), (40, 12), (160, 45), (20, 5), (100, 16))
RARELY = 0.02


def steps(count: int, seed: int) -> Iterator[str]:
    """What is done, one step after the other: a key, "type …", "paste …" or "size 80 24"."""
    dice = random.Random(seed)
    while count > 0:
        what = dice.random()
        if what < RARELY:
            yield "size {} {}".format(*dice.choice(SIZES))
        elif what < 2 * RARELY:
            yield f"paste {dice.choice(WORDS)}\n\x1b[201~{dice.choice(WORDS)}"
        elif what < 0.2:
            for letter in dice.choice(WORDS):
                yield f"type {letter}"
                count -= 1
        else:
            yield dice.choice(KEYS)
        count -= 1


async def walk(app: BrowserApp, pilot: BrowserPilot, count: int, seed: int = 1) -> None:
    """Do `count` steps, without waiting for what they bring; never leave, never resume."""
    for number, step in enumerate(steps(count, seed)):
        await take(app, pilot, step)
        if number % 25 == 24:
            await pilot.pause()


async def take(app: BrowserApp, pilot: BrowserPilot, step: str) -> None:
    """One step. Enter only where it shows something, Esc only where it does not leave, `a` only where it ticks."""
    command, _, rest = step.partition(" ")
    screen = browser(app)
    at_list = app.screen is screen and screen.panes.focused in ("search", "sessions")
    if command == "size":
        width, height = map(int, rest.split())
        await pilot.resize_terminal(width, height)
    elif command == "paste":
        app.post_message(Paste(rest))
    elif command == "type":
        app.post_message(Key(rest, rest))
    elif command == "enter_elsewhere":
        if not at_list:
            await pilot.press("enter")
    elif command == "a_elsewhere":
        if app.screen is not screen:
            app.post_message(key_of("a"))
    elif command == "escape":
        if app.screen is not screen or screen.box.value or not screen.box.has_focus:
            await pilot.press("escape")
    else:
        app.post_message(key_of(command))


def key_of(name: str) -> Key:
    """A key as the terminal would send it."""
    characters = {"slash": "/", "space": " ", "question_mark": "?"}
    return Key(name, characters.get(name, name if len(name) == 1 else None))
