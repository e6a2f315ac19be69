"""What keys do in the transcript and in the lineage."""

from __future__ import annotations

from tests.support.browsing import Started, browser, screen_text
from tests.support.on_screen import press, toasts


async def test_transcript_keys_move(on_demo: Started) -> None:
    app, pilot = on_demo
    view = browser(app).detail.transcript
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab")
    assert view.has_focus
    end = view.scroll_offset.y
    await press(pilot, "up", "k")
    assert view.scroll_offset.y == end - 2
    await press(pilot, "down", "j")
    assert view.scroll_offset.y == end
    await press(pilot, "K")
    above = view.scroll_offset.y
    assert above < end
    await press(pilot, "J")
    assert view.scroll_offset.y > above
    await press(pilot, "pageup")
    assert view.scroll_offset.y < end
    await press(pilot, "g")
    assert view.scroll_offset.y == 0
    await press(pilot, "G")
    assert view.scroll_offset.y > 0


async def test_g_in_the_transcript_loads_the_earlier_messages(on_demo: Started) -> None:
    app, pilot = on_demo
    view = browser(app).detail.transcript
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab")
    assert "earlier messages" not in screen_text(app)
    await press(pilot, "g")
    assert view.scroll_offset.y == 0
    assert "The docker build of the shop image fails on CI" in screen_text(app).split("\n", 12)[-1]


async def test_tools_and_reasoning_are_shown_when_asked_for(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "tab", "T")
    with_tools = screen_text(app)
    await press(pilot, "T")
    assert with_tools != screen_text(app)
    await press(pilot, "I")
    await press(pilot, "I")


async def test_n_walks_the_matches(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, *"docker")
    position, total = screen.detail.transcript.match_position()
    assert total > 1
    assert f"{position} of {total}" in screen_text(app)
    await press(pilot, "tab", "tab", "N")
    before = screen.detail.transcript.match_position()
    await press(pilot, "n")
    assert screen.detail.transcript.match_position() != before


async def test_enter_in_the_transcript_shows_long_messages_whole(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "tab")
    assert "and we are try …" in screen_text(app)
    await press(pilot, "enter")
    assert "and we are try …" not in screen_text(app)
    await press(pilot, "enter")
    assert "and we are try …" in screen_text(app)


# --- the lineage


async def test_t_shows_the_lineage_or_says_that_there_is_none(on_demo: Started) -> None:
    app, pilot = on_demo
    await press(pilot, "tab", "t")
    assert toasts(app) == ["This conversation has no relatives."]
    await press(pilot, *["down"] * 4)
    await press(pilot, "t")
    assert browser(app).detail.relatives.has_focus
    await press(pilot, "t")
    assert browser(app).sessions.has_focus


async def test_lineage_enter_shows_a_part_and_backspace_goes_back(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "t", "up", "up")
    node = screen.detail.relatives.node
    assert node is not None
    assert node.title == "read the logs"
    await press(pilot, "enter")
    assert screen.detail.reading.part == node.id
    assert "read the logs · subagent" in screen_text(app)
    await press(pilot, "backspace")
    assert screen.detail.reading.node is None
    assert screen.detail.relatives.has_focus
    await press(pilot, "backspace")
    assert screen.sessions.has_focus


async def test_lineage_says_that_hermes_goes_on_with_the_tip(on_demo: Started) -> None:
    app, pilot = on_demo
    screen = browser(app)
    await press(pilot, "tab", *["down"] * 4)
    await press(pilot, "t")
    assert screen.keys.note == ""
    await press(pilot, "g")
    assert screen.keys.note == "Hermes continues the live tip"
    await press(pilot, "escape")
    assert screen.keys.note == ""
