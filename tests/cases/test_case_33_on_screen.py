"""Case 33 on the screen: square brackets are text."""

from __future__ import annotations

from rich.style import Style

from hermes_tui.app import BrowserApp
from tests.cases.test_case_33_brackets_are_text_in_search import SETUP
from tests.support.browsing import browser, browsing, row_of, screen_text
from tests.support.on_screen import press, put_cursor_on, said, search_for, shown_ids, toasts, tree
from tests.support.stores import BuildV11

TITLES = {
    "s1": "[link=http://x]y",
    "s2": "[/b] plan",
    "s3": "[TODO] Q3 plan",
    "s4": "[b + should",
    "s5": "[IMPORTANT]",
    "s6": "[@click=app.quit]go[/]",
}
FAMILY = """
UPDATE sessions SET parent_session_id = 's1', model_config = '{"_branched_from":"s1"}' WHERE id <> 's1';
UPDATE sessions SET id = '[/]' || id WHERE id = 's2'; UPDATE messages SET session_id = '[/]s2' WHERE session_id = 's2';
"""


def links(app: BrowserApp) -> set[str]:
    """What on the screen could be clicked, or followed, besides the keys of the footer."""
    styles: list[Style | None] = [
        segment.style for strip in app.screen._compositor.render_strips() for segment in strip
    ]
    actions = {
        str(style.meta.get("@click")) for style in styles if style is not None and "@click" in style.meta
    }
    followed = {style.link for style in styles if style is not None and style.link}
    return followed | {action for action in actions if not action.startswith("app.simulate_key(")}


async def test_titles_and_bodies_are_shown_character_for_character(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        assert shown_ids(app) == list(TITLES)
        for id_, title in TITLES.items():
            await put_cursor_on(app, pilot, id_)
            rows = [row for entry in browser(app).finder.entries if (row := row_of(app, entry)) is not None]
            assert [row.title for row in rows if row.id == id_] == [title]
            lines = screen_text(app).splitlines()
            assert any(line.startswith(f"▸  {title}  ") for line in lines)
            source = "[red]cli" if id_ == "s6" else "cli"
            assert any(line.startswith(f"╭─ {title} · {source} ─") for line in lines)
            assert said(app) == f'● You 2026-05-28 20:26 body [/] of {title} [1, "3"] arr[0] [bold'
            assert links(app) == set()


async def test_the_search_box_and_what_it_finds(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await search_for(pilot, "[TODO]")
        assert shown_ids(app) == ["s3"]
        await press(pilot, "escape", *"[/b] [@click=app.quit]x")
        assert "No match for [/b] [@click=app.quit]x" in screen_text(app)
        assert links(app) == set()


async def test_the_lineage_its_parts_and_the_toasts(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP + FAMILY)) as (app, pilot):
        await press(pilot, "tab", "t", "g")
        family = tree(app).lineage
        assert family is not None
        for node in family.nodes[1:]:
            await press(pilot, "down", "enter")
            shown = screen_text(app)
            assert f"branch {node.title} " in shown
            assert f"╭─ {node.title} · branch · " in shown
        nodes = [node.id for node in family.nodes]
        await press(pilot, "g", *["down"] * nodes.index("[/]s2"), "Y")
        assert [(note.message, note.markup) for note in app._notifications] == [("Copied: [/]s2", False)]
        assert links(app) == set()


async def test_the_dialog_that_renames_and_what_it_says(build_v11: BuildV11) -> None:
    async with browsing(build_v11(SETUP)) as (app, pilot):
        await press(pilot, "tab")
        for id_, title in TITLES.items():
            await put_cursor_on(app, pilot, id_)
            await press(pilot, "r")
            assert f"│ {title} " in screen_text(app)
            assert links(app) == set()
            await press(pilot, "[", "enter")
            assert toasts(app)[-1] == f"Renamed to “{title}[”. u undoes it."
            assert all(not note.markup for note in app._notifications)
            await press(pilot, "u")
            assert toasts(app)[-1] == f"Undone: renaming to “{title}[”."
        await press(pilot, "r", "ctrl+u", *"[IMPORTANT]")
        assert "Title '[IMPORTANT]' is already in use by session s5 (cli)" in screen_text(app)
        assert links(app) == set()
