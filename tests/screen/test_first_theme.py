"""The theme that the environment asks for, and a name that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.app import THEME_VARIABLE, BrowserApp
from hermes_tui.options import Options
from hermes_tui.themes import DARK, LIGHT
from tests.support.on_screen import until


@pytest.mark.parametrize(
    ("wanted", "theme"), [("", DARK.name), ("dark", DARK.name), ("light", LIGHT.name), ("nord", "nord")]
)
async def test_a_theme_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, theme: str
) -> None:
    monkeypatch.setenv(THEME_VARIABLE, wanted)
    app = BrowserApp(Options(tmp_path / "state.db"))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.theme == theme
        assert len(app._notifications) == 0


async def test_every_theme_can_be_chosen(tmp_path: Path) -> None:
    app = BrowserApp(Options(tmp_path / "state.db"))
    async with app.run_test() as pilot:
        for name in app.available_themes:
            app.theme = name
            await pilot.pause()
        app.theme = DARK.name
        await pilot.pause()


async def test_a_name_that_is_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(THEME_VARIABLE, "[b]foo")
    app = BrowserApp(Options(tmp_path / "state.db"))
    async with app.run_test() as pilot:
        await until(pilot, lambda: len(app._notifications) == 1)
        (said,) = app._notifications
        assert said.message == ("HERMES_TUI_THEME=[b]foo is no theme: dark, light, or one of Ctrl+P, Theme.")
        assert not said.markup
        assert app.theme == DARK.name
