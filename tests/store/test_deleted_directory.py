"""A program asks for a store by a relative path, and its working directory is gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from storage import SessionDB, StoreMissing, repair


@pytest.mark.parametrize("migrate", [True, False])
@pytest.mark.parametrize("read_only", [True, False])
def test_the_store_is_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool, migrate: bool
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    with pytest.raises(StoreMissing, match=r"^No session store at state\.db\.$"):
        SessionDB("state.db", read_only, migrate=migrate)


def test_there_is_nothing_to_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    with pytest.raises(StoreMissing):
        repair("state.db")
