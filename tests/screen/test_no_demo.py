"""A demo that cannot be made is said, and nothing else changes."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

import pytest

from hermes_tui import demo
from storage.errors import DiskFull
from tests.support.browsing import browser, browsing, settle
from tests.support.on_screen import toasts

FULL = OSError(errno.ENOSPC, "No space left on device", "/tmp/hermes-tui-demo-x")
NOWHERE = FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (FULL, "Cannot make the demo in /tmp: No space left on device."),
        (NOWHERE, "Cannot make the demo: No usable temporary directory found in ['/tmp']."),
        (DiskFull(Path("/tmp/d/state.db")), "Cannot make the demo: Nothing was written: no space is left"),
    ],
    ids=["full", "nowhere", "full later"],
)
async def test_said(error: Exception, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(tempfile, "mkdtemp", lambda **_: str(tmp_path / "demo"))
    monkeypatch.setattr(
        *((demo, "make", fail) if isinstance(error, DiskFull) else (tempfile, "mkdtemp", fail))
    )
    async with browsing(tmp_path / "state.db") as (app, pilot):
        await pilot.press("D")
        await settle(pilot)
        assert [toast.startswith(sentence) for toast in toasts(app)] == [True]
        assert browser(app).box.disabled
