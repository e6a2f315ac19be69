"""Matches in the transcript: how they look, and how one walks from one to the next."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from hermes_tui.text.matches import find
from hermes_tui.widgets import match_walk
from hermes_tui.widgets.transcript import TranscriptView
from storage import parse
from tests.screen.bare_app import lines_of
from tests.screen.bare_transcript import AMBER, of, said, shown, talk, texts

# --- matches


def highlighted(view: TranscriptView, colour: str) -> list[str]:
    return [
        segment.text
        for y in range(view.rows)
        for segment in view.render_line(y)
        if segment.style and segment.style.bgcolor and segment.style.bgcolor.name == colour
    ]


async def test_matches_are_inverted_and_the_current_one_differs() -> None:
    message = said(1, "user", "docker 数据库docker e\u0301 Docker end")
    async with shown(of(message), "docker") as (view, app, pilot):
        pale = {s.style.bgcolor.name for s in view.render_line(1) if s.style and s.style.bgcolor}
        assert len(pale) == 3, "the page, a match, the current match"
        assert highlighted(view, AMBER) == ["docker"]
        assert view.match_position() == (1, 3)
        await pilot.press("n", "n")
        assert highlighted(view, AMBER) == ["Docker"]
        assert view.match_position() == (3, 3)
        await pilot.press("n")
        assert view.match_position() == (3, 3), "the list goes on to another conversation"
        assert [passed.forward for passed in app.take(TranscriptView.MatchesPassed)] == [True]
        view.wrap(forward=True)
        await pilot.press("N")
        assert [passed.forward for passed in app.take(TranscriptView.MatchesPassed)] == [False]
        await pilot.pause()
        moved = app.take(TranscriptView.MatchMoved)
        assert [(m.number, m.total) for m in moved] == [(1, 3), (2, 3), (3, 3), (1, 3)]


@pytest.mark.parametrize("width", [80, 12])
async def test_the_name_of_a_tool_is_marked_in_front_of_what_it_said(width: int) -> None:
    answer = said(2, "tool", "the terminal is closed", tool_name="terminal")
    found = find(answer, parse("terminal "))
    assert (found.name, found.count) == (((0, 8),), 2)
    async with shown(of(said(1, "user", "go"), answer), "terminal", size=(width, 20)) as (view, _, pilot):
        await pilot.press("N", "N")
        assert view.match_position() == (1, 2)
        assert "terminal".startswith(highlighted(view, AMBER)[0].rstrip("…"))
        await pilot.press("n")
        assert highlighted(view, AMBER) == ["terminal"]


async def test_walking_the_matches_brings_them_to_the_screen() -> None:
    long = "word\n" * 40 + "docker\n" + "word\n" * 40
    async with shown(of(*talk(1, 2), said(50, "user", long), *talk(6, 9), said(99, "tool", "docker x")), "docker") as (
        view, _, pilot,
    ):  # fmt: skip
        assert view.match_position() == (2, 2)
        assert highlighted(view, AMBER) == ["docker"]
        await pilot.press("N")
        assert highlighted(view, AMBER) == ["docker"]
        assert [line.strip() for line in lines_of(view)].index("docker") == 4
        assert view.current_message() == said(50, "user", long)


async def test_looking_goes_on_between_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.widgets.transcript.FIRST_LOOK", 0)
    monkeypatch.setattr("hermes_tui.widgets.transcript.NEXT_LOOK", 0)
    looks: list[float] = []
    look = match_walk.MatchWalk.look

    def counted(walk: match_walk.MatchWalk, clock: Any, seconds: float) -> None:
        looks.append(seconds)
        look(walk, clock, seconds)

    monkeypatch.setattr(match_walk.MatchWalk, "look", counted)
    async with shown(of(*talk(1, 30), said(999, "user", "no such word")), "answer") as (view, app, pilot):
        await pilot.pause()
        assert len(looks) == 62
        assert view.match_position() == (30, 30)
        assert app.take(TranscriptView.MatchMoved)[-1].total == 30
        assert highlighted(view, AMBER) == ["answer"]


async def test_everything_else_has_its_turn_between_two_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hermes_tui.widgets.transcript.FIRST_LOOK", 0)
    monkeypatch.setattr("hermes_tui.widgets.transcript.NEXT_LOOK", 0)
    turns = 0
    looks: list[int] = []
    look = match_walk.MatchWalk.look

    def noted(walk: match_walk.MatchWalk, clock: Any, seconds: float) -> None:
        looks.append(turns)
        look(walk, clock, seconds)

    async def something_else() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(match_walk.MatchWalk, "look", noted)
    async with shown(of(*talk(1, 30))) as (view, _, pilot):
        other = asyncio.create_task(something_else())
        await asyncio.sleep(0)
        looks.clear()
        view.show(of(*talk(1, 30)), parse("answer"))
        view.show(of(*talk(1, 30)), parse("question"))
        while view.match_position()[1] < 30 or len(looks) < 62:
            await pilot.pause(0.001)
        other.cancel()
        # The first search looked once, and was given up.
        assert len(looks) == 62
        assert all(before < after for before, after in pairwise(looks[1:]))


async def test_a_search_that_changes_moves_to_its_match_and_one_that_ends_does_not() -> None:
    async with shown(of(*talk(1, 9)), "answer", at=31) as (view, _, pilot):
        assert highlighted(view, AMBER) == ["answer"]
        view.show(of(*talk(1, 9)), parse("question 5"), at=50)
        await pilot.pause()
        assert "question 5" in texts(view)
        before = lines_of(view)
        view.show(of(*talk(1, 9)))
        await pilot.pause()
        assert lines_of(view) == before
        assert (view.match_position(), highlighted(view, AMBER)) == ((0, 0), [])


@pytest.mark.parametrize("colors", ["truecolor", "standard"])
async def test_matches_are_seen_without_colours(colors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if colors == "truecolor":
        monkeypatch.setenv("NO_COLOR", "1")
    async with shown(of(said(1, "user", "docker docker")), "docker", colors=colors) as (view, _, _pilot):
        looks = [
            (s.text, s.style.reverse, s.style.underline)
            for s in view.render_line(1)
            if s.style and s.text.strip()
        ]
        assert [(text, bool(reverse), bool(line)) for text, reverse, line in looks] == [
            ("docker", True, False), ("docker", False, True),
        ]  # fmt: skip


async def test_the_message_that_is_meant() -> None:
    async with shown(of(*talk(1, 10))) as (view, _, pilot):
        await pilot.press("g")
        assert view.current_message() == talk(1, 1)[0]
        await pilot.press("j")
        assert view.current_message() == talk(1, 1)[0], "its text is seen, who says it is not"
        await pilot.press("j")
        assert view.current_message() == talk(1, 1)[1]
        await pilot.press("J")
        assert lines_of(view)[0].strip() == "● You"
        assert view.current_message() == talk(2, 2)[0], "the empty line above it is not seen"


async def test_a_message_that_fills_the_screen_is_meant() -> None:
    long = said(2, "assistant", "word\n" * 40)
    async with shown(of(said(1, "user", "go"), long, said(3, "user", "more"))) as (view, _, pilot):
        await pilot.press("g", *"jjjjj")
        assert {line.strip() for line in lines_of(view)} == {"word"}
        assert view.current_message() == long


async def test_no_message_is_meant_where_there_is_none() -> None:
    async with shown(of()) as (view, _, _pilot):
        assert (view.current_message(), view.current_text()) == (None, "")


async def test_the_message_of_the_match_is_meant_while_the_match_is_seen() -> None:
    called = said(2, "assistant", "", "docker_ps")
    messages = (said(1, "user", "go"), called, said(3, "assistant", "word\n" * 40))
    async with shown(of(*messages), "docker ") as (view, _, pilot):
        await pilot.press("g")
        assert highlighted(view, AMBER) == ["docker"]
        assert view.current_message() == called
        assert view.current_text() == "[1 tool call: docker_ps]\ndocker_ps {}"
        await pilot.press(*["j"] * 6)
        assert highlighted(view, AMBER) == []
        assert view.current_message() == messages[2]


async def test_one_walks_from_hit_to_hit_whatever_else_holds_the_word() -> None:
    exchange = talk(1, 1)[0], said(11, "assistant", "docker", "terminal"), said(12, "tool", "docker")
    messages = (
        said(1, "user", "docker"),
        *exchange,
        said(20, "user", "docker docker"),
        said(21, "assistant", "docker"),
    )
    async with shown(of(*messages), "docker role:user ") as (view, _, pilot):
        assert (view.match_position(), view.matching_messages) == ((2, 3), 2)
        walked = [view.match]
        for key in "nNN":
            await pilot.press(key)
            walked.append(view.match)
        assert walked == [(20, 0), (20, 1), (20, 0), (1, 0)]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("alpha beta", {3: 2}),
        ("alpha NOT beta", {1: 1}),
        ("alpha OR gamma", {1: 1, 2: 1, 3: 1, 5: 1}),
        ("gamma delta", {}),
        ("terminal gamma", {5: 2}),
    ],
)
async def test_only_what_matches_as_a_whole_is_marked_counted_and_walked(
    search: str, found: dict[int, int]
) -> None:
    messages = (
        said(1, "user", "alpha"),
        said(2, "user", "gamma"),
        said(3, "user", "beta and alpha"),
        said(4, "assistant", "", "terminal"),
        said(5, "tool", "gamma", tool_name="terminal"),
    )
    async with shown(of(*messages), search) as (view, _, _):
        assert view.match_position()[1] == sum(found.values())
        assert {
            message.id: count for message in messages if (count := find(message, parse(search)).count)
        } == found
