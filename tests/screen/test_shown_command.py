"""The command in a dialog is whole, or says how to get it whole."""

from __future__ import annotations

import pytest

from hermes_tui.widgets.shown_command import ShownCommand
from tests.screen.bare_app import BareApp, lines_of

COMMAND = "hermes-tui sessions rename 20261111_075729_5aa47d 'post-mortem: forty [minutes]'"


@pytest.mark.parametrize(
    ("width", "most", "lines"),
    [
        (80, 3, [COMMAND]),
        (60, 3, ["hermes-tui sessions rename 20261111_075729_5aa47d", "'post-mortem: forty [minutes]'"]),
        (30, 3, ["hermes-tui sessions rename", "20261111_075729_5aa47d", "'post-mortem: forty [minutes]'"]),
        (30, 2, ["hermes-tui sessions rename", "… Ctrl+Y copies all of it"]),
        (29, 3, ["hermes-tui sessions rename", "20261111_075729_5aa47d", "… Ctrl+Y copies all of it"]),
        (20, 1, ["… Ctrl+Y copies all…"]),
    ],
)
async def test_it_is_whole_or_says_how_to_get_it(width: int, most: int, lines: list[str]) -> None:
    shown = ShownCommand()
    shown.styles.max_height = most
    async with BareApp(shown).run_test(size=(width, 5)) as pilot:
        shown.show(COMMAND)
        await pilot.pause()
        assert lines_of(shown) == lines
