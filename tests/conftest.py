"""Fixtures for every test: stores made on the spot, and an environment that is nobody's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from hermes_tui import demo
from storage import SessionDB
from tests.support.clock import Clock
from tests.support.stores import NOW, STORES, BuildV11, CopyStore, copy_of, write_v11

# No deadline: how long an example takes says something about the machine, nothing about the code.
# The gate tries the same examples every time, so that it fails for what was changed; elsewhere new ones are tried.
settings.register_profile("hermes-tui", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("hermes-tui")


@pytest.fixture(autouse=True)
def _nobodys_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test finds the store of whoever runs it, whatever it forgets to say."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("nobody")))
    for name in ("HERMES_HOME", "HERMES_TUI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the interface puts off for the sake of the first rows, or of whoever types, is not waited for here."""
    monkeypatch.setattr("hermes_tui.services.store_worker.ORDER_AFTER", 0.0)
    monkeypatch.setattr("hermes_tui.services.store_worker.COUNT_AFTER", 0.0)


@pytest.fixture
def stores() -> Path:
    """The directory of stored stores, one for each release; only to be read, and never opened in place."""
    return STORES


@pytest.fixture
def copy_store(tmp_path: Path) -> CopyStore:
    """`copy_store(name)`: a writable copy of a stored store."""
    return lambda name: copy_of(name, tmp_path / "copies")


@pytest.fixture(scope="session")
def demo_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's store, only to be read."""
    return demo.make(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def demo_store(demo_path: Path) -> Iterator[SessionDB]:
    """The same, opened on the day on which it was made."""
    with SessionDB(demo_path, read_only=True, clock=lambda: demo.NOW) as opened:
        yield opened


@pytest.fixture
def build_v11(tmp_path: Path) -> BuildV11:
    """`build_v11(sql)`: a fresh `state.db` of version 11 with a case's rows; `home=` names its directory."""

    def build(sql: str = "", *, home: str = "home") -> Path:
        return write_v11(tmp_path / home / "state.db", sql)

    return build


@pytest.fixture
def clock() -> Clock:
    """The time that `db` goes by; it stands still until a test moves it."""
    return Clock(NOW)


@pytest.fixture
def db(tmp_path: Path, clock: Clock) -> Iterator[SessionDB]:
    """A new store, open for writing."""
    with SessionDB(tmp_path / "home" / "state.db", clock=clock) as opened:
        yield opened
