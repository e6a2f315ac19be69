"""What stands in the frames of the panes is cut from its middle: the counts and the key at the end stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui import demo
from hermes_tui.text import result_text, safe_text
from storage import HiddenClass
from tests.support.browsing import browser, browsing, screen_text, settle
from tests.support.on_screen import press, search_for, transcript
from tests.support.stores import BuildV11

LONG = "a title that goes on and on, long enough for every frame"
ROWS = f"""
INSERT INTO sessions(id, source, model, started_at, title)
    VALUES ('s1', 'telegram', 'claude-opus-4.6', 1780000000, '{LONG}');
INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s1', 'user', 'docker', 1780000000);
"""
HIDDEN = "".join(
    f"""INSERT INTO sessions(id, source, started_at) VALUES ('{source}', '{source}', 1780000001);
    INSERT INTO messages(session_id, role, content, timestamp) VALUES ('{source}', 'user', 'docker', 1780000001);"""
    for source in ("cron", "tool")
)


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (120, "a title that goes on and on, long enoug… · telegram · claude-opus-4.6 · match 1 of 1"),
        (70, "a title that goes on and on, long enoug… · match 1 of 1"),
        (46, "a title that goes on and… · match 1 of 1"),
    ],
)
async def test_the_number_of_the_match_stays_in_the_frame(
    build_v11: BuildV11, width: int, title: str
) -> None:
    async with browsing(build_v11(ROWS), size=(width, 30)) as (app, pilot):
        await search_for(pilot, "docker")
        await press(pilot, "tab", "tab")
        assert str(transcript(app).border_title) == title
        assert title in screen_text(app)
        await pilot.resize_terminal(100, 30)
        await settle(pilot)
        assert str(transcript(app).border_title).endswith(" · telegram · claude-opus-4.6 · match 1 of 1")


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (130, f"{LONG[:39]}… · telegram · claude-opus-4.6 · match 2 of 4 in 2 messages"),
        (84, f"{LONG[:39]}… · match 2 of 4 in 2 messages"),
        (70, f"{LONG[:39]}… · match 2 of 4"),
        (46, "a title that goes on and… · match 2 of 4"),
    ],
)
async def test_matches_are_told_from_the_messages_that_the_list_counts(
    build_v11: BuildV11, width: int, title: str
) -> None:
    again = (
        "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s1', 'user', 'docker'||?, 1);"
    )
    more = again.replace("?", "' in docker in docker'")
    async with browsing(build_v11(ROWS + more), size=(width, 30)) as (app, pilot):
        await search_for(pilot, "docker")
        assert list(browser(app).finder.hit_labels().values()) == ["2"]
        await press(pilot, "tab", "tab")
        assert str(transcript(app).border_title) == title


async def test_the_title_makes_room_for_the_lineage(tmp_path: Path) -> None:
    async with browsing(demo.make(tmp_path), now=demo.NOW, demo=True, size=(100, 30)) as (app, pilot):
        await search_for(pilot, "docker")
        assert browser(app).has_class("-relatives")
        assert str(transcript(app).border_title) == "Fix Docker Build #3 · match 30 of 30 in 22 messages"


@pytest.mark.parametrize(
    ("width", "end"),
    [(100, "1 more in tool, 1 more in cron: h"), (56, "2 more hidden: h")],
)
async def test_the_key_that_shows_what_is_hidden_stays_in_the_line(
    build_v11: BuildV11, width: int, end: str
) -> None:
    async with browsing(build_v11(ROWS + HIDDEN), size=(width, 30)) as (app, pilot):
        await search_for(pilot, "docker")
        line = str(browser(app).box.border_subtitle)
        assert line.endswith(f" · {end}")
        assert line.startswith("1 of 1 conversations")
        assert safe_text.width(line) <= width - 6
        assert line in screen_text(app)


def test_what_is_hidden_in_a_few_words() -> None:
    hidden = {HiddenClass.ARCHIVED: 3, HiddenClass.CRON: 1_234}
    assert result_text.hidden_matches_briefly(hidden) == "1,237 more hidden: h"
    assert result_text.hidden_matches_briefly(hidden, exact=False) == "1,237+ more hidden: h"
    assert result_text.hidden_matches_briefly({}) == ""


async def test_a_transcript_that_takes_the_place_of_another_pane_has_all_of_its_frame(tmp_path: Path) -> None:
    async with browsing(demo.make(tmp_path), now=demo.NOW, demo=True, size=(60, 12)) as (app, pilot):
        await press(pilot, "tab", *["down"] * 4)
        await press(pilot, "t", "enter")
        assert str(transcript(app).border_title) == "Fix Docker Build #3 · compressed · cli"
        await press(pilot, "t", "up", "up", "enter")
        assert str(transcript(app).border_title) == "read the logs · subagent"
