"""The screen's tests see no theme, no colour rule and no animation from outside; and where most of them begin."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hermes_tui import demo
from tests.support.acting import FAMILY, FLAGS, ORDER
from tests.support.browsing import Started, browsing
from tests.support.on_screen import press, shown_ids
from tests.support.slow_store import Slowed, SlowStore
from tests.support.stores import BuildV11


@pytest.fixture(autouse=True)
def _plain_textual(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEXTUAL_THEME", "TEXTUAL_ANIMATIONS", "TEXTUAL_COLOR_SYSTEM", "HERMES_TUI_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever walks about may well export something into the current directory."""
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store; nothing that reads it can change it."""
    return demo.make(tmp_path_factory.mktemp("demo"))


@pytest.fixture
async def on_demo(demo_store: Path) -> AsyncIterator[Started]:
    """The browser on the demo, 120×40, settled."""
    async with browsing(demo_store, now=demo.NOW, demo=True) as (app, pilot):
        yield app, pilot


@pytest.fixture
def path(build_v11: BuildV11) -> Path:
    """A store to act on: the family, with archiving and pinning. A module that needs another one defines its own."""
    return build_v11(FAMILY + FLAGS)


@pytest.fixture
async def started(path: Path) -> AsyncIterator[Started]:
    """The browser on the family, with the focus in the list."""
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab")
        assert shown_ids(app) == ORDER
        yield app, pilot


@pytest.fixture
async def on_slow(store: SlowStore) -> AsyncIterator[Slowed]:
    """The browser on the `store` that a module defines; what is still held when the test ends is let go."""
    async with browsing(store.path) as (app, pilot):
        yield store, app, pilot
        store.let_go()
