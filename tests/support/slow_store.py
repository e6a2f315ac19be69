"""A store whose calls wait until the test lets them go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any

import pytest

from hermes_tui.app import BrowserApp
from hermes_tui.screens.browser import BrowserScreen
from storage import Cancel, SessionDB
from tests.support.browsing import BrowserPilot
from tests.support.stores import NOW

PATIENCE = 60.0
"""Seconds until a held call goes on by itself: only a failing test takes so long."""


@dataclass
class Call:
    """A call that is held."""

    name: str
    arguments: tuple[Any, ...]
    cancel: Cancel | None
    go: Event = field(default_factory=Event)
    thread: Thread = field(default_factory=current_thread)


class SlowStore(SessionDB):
    """Answers like any store, but holds the calls that are named in `held`, deaf to being cancelled."""

    def __init__(self, path: Path) -> None:
        self.held: set[str] = set()
        self.calls: list[Call] = []
        super().__init__(path, read_only=True, clock=lambda: NOW)

    def let_go(self, *calls: Call) -> None:
        """Let these calls (none: all of them, and those to come) go on."""
        if not calls:
            self.held.clear()
        for call in calls or self.calls:
            call.go.set()

    def _wait(self, name: str, arguments: tuple[Any, ...], cancel: Cancel | None = None) -> None:
        if name in self.held:
            call = Call(name, arguments, cancel)
            self.calls.append(call)
            call.go.wait(PATIENCE)

    def listing(self, *arguments: Any, **options: Any) -> Any:
        self._wait("listing", arguments)
        return super().listing(*arguments, **options)

    def learning(self, *arguments: Any, **options: Any) -> Any:
        self._wait("learning", arguments)
        return super().learning(*arguments, **options)

    def details(self, *arguments: Any, **options: Any) -> Any:
        self._wait("details", arguments)
        return super().details(*arguments, **options)

    def search(self, *arguments: Any, **options: Any) -> Any:
        # It answers even when it was cancelled meanwhile: the worst of all stores.
        self._wait("search", arguments, options.pop("cancel", None))
        return super().search(*arguments, **options)

    def count_matches(self, *arguments: Any, **options: Any) -> Any:
        self._wait("count_matches", arguments, options.get("cancel"))
        return super().count_matches(*arguments, **options)

    def excerpts(self, *arguments: Any, **options: Any) -> Any:
        self._wait("excerpts", arguments)
        return super().excerpts(*arguments, **options)

    def lineage(self, *arguments: Any, **options: Any) -> Any:
        self._wait("lineage", arguments)
        return super().lineage(*arguments, **options)

    def transcript(self, *arguments: Any, **options: Any) -> Any:
        self._wait("transcript", arguments)
        return super().transcript(*arguments, **options)


Slowed = tuple[SlowStore, BrowserApp, BrowserPilot]
"""A slow store, and the browser on it."""


@contextmanager
def slow_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowStore]:
    """The next browser opens this store; nothing is held at first, and nothing in the end."""
    store = SlowStore(path)
    monkeypatch.setattr(BrowserScreen, "_open_store", lambda _: store)
    try:
        yield store
    finally:
        store.let_go()
