"""Arrow keys that a slow line tore apart: a lone Esc, and `[A` to `[D` within a moment after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from textual.events import Key

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
WITHIN_SECONDS = 0.3


class Undoable(Protocol):
    """What an Esc may have undone, and can be asked to bring back."""

    def remember(self) -> Callable[[], None]:
        """Note how things stand; calling the answer brings them back."""


class ArrowMender:
    """Watches the keys for torn arrows. Times are those of the events, in seconds."""

    def __init__(self) -> None:
        self._bring_back: Callable[[], None] | None = None
        self._escaped_at = 0.0
        self._held: Key | None = None

    def mend(self, key: Key, screen: Undoable | None) -> list[Key]:
        """The keys to act on now that this one came: itself, none while it may be half an arrow, or an arrow."""
        held, self._held = self._held, None
        if held is None and key.key == "escape" and screen is not None:
            self._bring_back, self._escaped_at = screen.remember(), key.time
            return [key]
        in_time = self._bring_back is not None and key.time - self._escaped_at <= WITHIN_SECONDS
        if held is None and in_time and key.character == "[":
            self._held = key
            return []
        bring_back, self._bring_back = self._bring_back, None
        if held is None:
            return [key]
        if in_time and bring_back is not None and key.character in ARROWS:
            bring_back()
            return [Key(ARROWS[key.character], None)]
        return [held, key]

    def release(self) -> list[Key]:
        """The key that was held back although nothing followed it."""
        held, self._held = self._held, None
        return [held] if held is not None else []
