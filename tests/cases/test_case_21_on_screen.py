"""Case 21 on the screen: the preview is the user's own first words, and a line of millions opens cut."""

from __future__ import annotations

import pytest

from hermes_tui.text import safe_text
from tests.cases.test_case_21_preview_is_the_users_first_words import SETUP
from tests.support.browsing import browsing
from tests.support.on_screen import pane_lines, pane_text, put_cursor_on, search_for, shown_ids
from tests.support.stores import BuildV11


async def test_previews(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, _):
        # From below the heading of the column to the age.
        lines = dict(zip(shown_ids(app), pane_lines(app, "sessions")[1:], strict=False))
        cells = {id_: line[25:].rpartition(" 5h ago")[0].strip() for id_, line in lines.items()}
        assert cells["a"].split() == ["real", "question", "here"]
        assert cells["b"] == "go on please"
        assert (cells["c"], cells["d"]) == ("", "")
        assert set(cells["e"]) == {"x", "…"}
        assert 60 <= len(cells["e"]) <= 101


async def test_a_line_of_millions_is_cut_before_it_is_wrapped(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped: list[int] = []
    wrap = safe_text.wrap

    def counting(text: str, cells: int) -> list[tuple[int, int]]:
        wrapped.append(len(text))
        return wrap(text, cells)

    monkeypatch.setattr(safe_text, "wrap", counting)
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await put_cursor_on(app, pilot, "e")
        lines = [line for line in pane_lines(app, "transcript") if line]
        assert lines[0] == "● You  2026-05-28 20:26"
        assert lines[-1].endswith("…")
        assert sum(line.count("x") for line in lines) == 300
        assert max(wrapped) < 1000


async def test_shown_whole_it_says_how_much_was_cut(build_v11: BuildV11) -> None:
    text = "UPDATE messages SET content = 'needle ' || content WHERE session_id = 'e';"
    async with browsing(build_v11(SETUP + text), size=(120, 60)) as (app, pilot):
        await search_for(pilot, "needle")
        await pilot.press("tab", "tab", "G")
        await pilot.pause()
        assert "more characters" in pane_text(app, "transcript")
