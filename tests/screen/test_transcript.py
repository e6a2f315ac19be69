"""The transcript pane: its keys, where it opens, and what stays in its place when more comes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_tui.widgets import transcript_layout
from hermes_tui.widgets.transcript import TranscriptView
from storage import MessageKind, parse
from tests.screen.bare_app import lines_of
from tests.screen.bare_transcript import of, said, shown, talk, texts

# --- where it opens


async def test_it_opens_at_the_end() -> None:
    async with shown(of(*talk(1, 30))) as (view, _, _pilot):
        assert texts(view)[-1] == "answer 30"
        assert lines_of(view)[-1] == "  answer 30"
        assert view.match_position() == (0, 0)


async def test_a_short_one_stands_at_the_top() -> None:
    async with shown(of(*talk(1, 1))) as (view, _, _pilot):
        assert lines_of(view)[:6] == ["● You", "  question 1", "", "◆ Hermes", "  answer 1", ""]


async def test_it_opens_at_the_newest_match() -> None:
    async with shown(of(*talk(1, 30)), "question") as (view, app, _pilot):
        assert view.match_position() == (30, 30)
        moved = app.take(TranscriptView.MatchMoved)[-1]
        assert (moved.number, moved.total) == (30, 30)
        assert "question 30" in texts(view)


async def test_it_opens_at_the_message_that_was_asked_for() -> None:
    async with shown(of(*talk(1, 30)), "answer", at=251) as (view, _, _pilot):
        assert view.match_position() == (25, 30)
        assert "answer 25" in texts(view)
        assert "answer 30" not in texts(view)


async def test_a_hit_among_the_folded_messages_unfolds_them() -> None:
    async with shown(of(*talk(1, 30)), "answer", at=31) as (view, _, _pilot):
        assert view.match_position() == (3, 30)
        assert texts(view)[0] != "… 40 earlier messages …"
        assert "answer 3" in texts(view)


async def test_a_tool_result_that_was_asked_for_is_shown_though_nothing_matches_in_it() -> None:
    messages = (*talk(1, 3), said(40, "tool", "some output", tool_name="terminal"), *talk(5, 20))
    async with shown(of(*messages), "nowhere", at=40) as (view, _, _pilot):
        assert "some output" in texts(view)


async def test_states() -> None:
    async with shown(of(*talk(1, 3))) as (view, _, pilot):
        view.message("No messages [b]\x1b[2J")
        assert lines_of(view)[:3] == ["", "  No messages [b]", ""]
        view.wait()
        assert lines_of(view)[1] == "  Reading …"
        view.show(of())
        await pilot.pause()
        assert lines_of(view) == [""] * 12
        await pilot.press(*["j", "k", "pageup", "pagedown", "g", "G", "J", "K", "n", "N", "T", "I", "enter"])
        view.show(of(*talk(1, 1)), title="[red]a\x1b[2J title")
        assert lines_of(view)[1] == "  question 1"
        assert view._border_title is not None
        assert view._border_title.plain == "[red]a title"
        view.border_title = "[/] [3]\x1b[2J"
        assert view._border_title.plain == "[/] [3]"


# --- moving


@pytest.mark.parametrize(
    ("keys", "top"),
    [("up", 46), ("k k", 45), ("up down", 47), ("k j", 47), ("pageup", 36), ("pageup pagedown", 47), ("down", 47),
     ("g", 0), ("home", 0), ("g end", 47), ("g G", 47), ("g j", 1), ("g pagedown", 11)],
)  # fmt: skip
async def test_keys_scroll(keys: str, top: int) -> None:
    async with shown(of(*talk(1, 10))) as (view, _, pilot):
        assert view.scroll_offset.y == 47
        await pilot.press(*keys.split())
        assert view.scroll_offset.y == top


async def test_from_prompt_to_prompt() -> None:
    async with shown(of(*talk(1, 10))) as (view, _, pilot):
        tops = []
        for key in ["K", "K", "J", "K", "g", "J", "J"]:
            await pilot.press(key)
            tops.append(texts(view)[0])
        assert tops == [f"question {n}" for n in (8, 7, 8, 7, 1, 2, 3)]


async def test_the_wheel_scrolls() -> None:
    from textual.events import MouseScrollUp

    async with shown(of(*talk(1, 10))) as (view, _, _pilot):
        view._on_mouse_scroll_up(MouseScrollUp(None, 5, 5, 0, 0, 0, False, False, False))
        assert view.scroll_offset.y < 47


# --- earlier messages


@pytest.mark.parametrize(("key", "first"), [("enter", "question 3"), ("up", "answer 2"), ("g", "question 1")])
async def test_earlier_messages_that_are_here(key: str, first: str) -> None:
    async with shown(of(*talk(1, 12))) as (view, app, pilot):
        view.jump(0)
        assert texts(view)[:2] == ["… 4 earlier messages …", "question 3"]
        await pilot.press(key)
        if key == "enter":
            assert lines_of(view)[2:4] == ["● You", "  question 3"], "the line keeps its place on the screen"
        elif key == "up":
            assert lines_of(view)[3:5] == ["● You", "  question 3"]
        else:
            assert texts(view)[0] == first
        assert app.take(TranscriptView.EarlierWanted) == []


@pytest.mark.parametrize("key", ["enter", "up", "g", "K", "pageup", "click"])
async def test_earlier_messages_that_are_still_in_the_store(key: str) -> None:
    async with shown(of(*talk(20, 29), earlier=38)) as (view, app, pilot):
        view.jump(0)
        assert texts(view)[:2] == ["… 38 earlier messages …", "question 20"]
        if key == "click":
            await pilot.click(TranscriptView, offset=(3, 0))
        else:
            await pilot.press(key, key)
        await pilot.pause()
        assert len(app.take(TranscriptView.EarlierWanted)) == 1
        assert texts(view)[1] == "question 20", "nothing moves before they are here"
        view.show(of(*talk(1, 29)))
        await pilot.pause()
        lines = lines_of(view)
        if key in ("enter", "click"):
            assert lines[2:4] == ["● You", "  question 20"]
        elif key == "up":
            assert lines[3:5] == ["● You", "  question 20"]
        elif key == "pageup":
            assert "question 20" not in texts(view)
        elif key == "K":
            assert lines[:2] == ["● You", "  question 19"]
        else:
            assert lines[:2] == ["● You", "  question 1"]


async def test_before_the_first_match_the_rest_is_asked_for() -> None:
    async with shown(of(*talk(20, 29), earlier=38), "question", at=200) as (view, app, pilot):
        assert view.match_position() == (1, 10)
        await pilot.press("N")
        assert len(app.take(TranscriptView.EarlierWanted)) == 1
        view.show(of(*talk(1, 29)), parse("question"), at=200)
        await pilot.pause()
        assert view.match_position() == (19, 29)
        assert "question 19" in texts(view)


async def test_what_is_on_the_screen_stays_when_messages_come() -> None:
    async with shown(of(*talk(20, 29), earlier=38)) as (view, _, pilot):
        await pilot.press("k", "k", "k", "k")
        before = lines_of(view)
        view.show(of(*talk(1, 29)))
        await pilot.pause()
        assert lines_of(view) == before
        view.show(of(*talk(1, 40)))
        await pilot.pause()
        assert lines_of(view) == before


async def test_at_the_end_it_follows() -> None:
    async with shown(of(*talk(1, 20))) as (view, _, pilot):
        view.show(of(*talk(1, 21)))
        await pilot.pause()
        assert texts(view)[-1] == "answer 21"


async def test_another_conversation_opens_at_its_own_end() -> None:
    async with shown(of(*talk(1, 20))) as (view, _, pilot):
        await pilot.press("g")
        other = tuple(said(m.id + 1000, m.role, m.text, session="z") for m in talk(1, 20))
        view.show(of(*other, parts=("z",)))
        await pilot.pause()
        assert texts(view)[-1] == "answer 20"
        view.jump(0)
        assert texts(view)[0] == "… 20 earlier messages …"


async def test_what_is_on_the_screen_stays_whatever_lengths_the_rest_has() -> None:
    async with shown(of(*talk(1, 1)), size=(40, 9)) as (view, _, _pilot):

        @settings(max_examples=40, deadline=None)
        @given(st.lists(st.integers(0, 12), min_size=6, max_size=40), st.data())
        def check(lengths: list[int], data: st.DataObject) -> None:
            messages = [
                said(n, "user", f"m{n}\n" + "数 line\n" * length) for n, length in enumerate(lengths, 1)
            ]
            view.message("")
            view.show(of(*messages[len(messages) // 2 :], earlier=3))
            view.jump(data.draw(st.integers(4, 60)))
            before = lines_of(view)
            view.show(of(*messages))
            assert lines_of(view) == before
            view.action_toggle_inner()
            assert lines_of(view) == before

        check()


# --- tools and reasoning


async def test_tools_and_reasoning() -> None:
    messages = (
        said(1, "user", "go"),
        said(2, "assistant", "Yes.", "terminal", reasoning="I think"),
        said(3, "tool", "output", tool_name="terminal"),
        said(4, "user", "words", kind=MessageKind.SUMMARY),
    )
    async with shown(of(*messages), size=(60, 20)) as (view, _, pilot):
        folded = ["go", "Yes.", "[1 tool call: terminal]", "[context summary · 5 characters]"]
        assert texts(view) == folded
        await pilot.press("T")
        assert texts(view) == [*folded[:3], "└ terminal", "output", folded[3]]
        await pilot.press("T", "I")
        assert texts(view) == ["go", "I think", "Yes.", folded[2], folded[3], "words"]
        await pilot.press("I")
        assert texts(view) == folded


async def test_unfolding_keeps_the_line_that_is_read() -> None:
    tools = [said(1000 + n, "tool", "x\n" * 30, tool_name="terminal") for n in range(30)]
    messages = [message for pair in zip(talk(1, 15)[::2], tools, strict=False) for message in pair]
    async with shown(of(*messages)) as (view, _, pilot):
        view.jump(9)
        first = lines_of(view)[0]
        await pilot.press("T")
        assert lines_of(view)[0] == first
        await pilot.press("T")
        assert lines_of(view)[0] == first


# --- sizes


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 20, 60, 200])
async def test_every_line_is_as_wide_as_the_pane(width: int) -> None:
    messages = (*talk(1, 12), said(500, "user", "数" * 50 + " docker \x1b[31m" + "x" * 90, "terminal"))
    async with shown(of(*messages, earlier=3), "docker", size=(width, 9)) as (view, _, pilot):
        for key in ("G", "T", "I", "g", "n"):
            await pilot.press(key)
            strips = [view.render_line(y) for y in range(view.rows)]
            assert {strip.cell_length for strip in strips} == {view.line_width}


async def test_a_new_size_keeps_what_is_read() -> None:
    messages = [said(n, "user", f"m{n} " + "word " * 30) for n in range(1, 40)]
    async with shown(of(*messages), size=(60, 12)) as (view, _, pilot):
        await pilot.press("pageup", "pageup", "K")
        first = lines_of(view)[1].split()[0]
        await pilot.resize_terminal(30, 9)
        await pilot.pause()
        assert lines_of(view)[1].split()[0] == first
        await pilot.press("G")
        await pilot.resize_terminal(80, 20)
        await pilot.pause()
        assert view.at_end
        assert lines_of(view)[-1] != ""


async def test_only_what_is_near_the_screen_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[int] = []
    lay_out = transcript_layout.TranscriptLayout.laid_out

    def counted(self: transcript_layout.TranscriptLayout, index: int) -> Any:
        laid_out.append(index)
        return lay_out(self, index)

    async with shown(of(*talk(1, 1))) as (view, _, pilot):
        monkeypatch.setattr(transcript_layout.TranscriptLayout, "laid_out", counted)
        for keys in ("", "g", "G", "pageup", "T", "K"):
            laid_out.clear()
            if keys:
                await pilot.press(keys)
            else:
                view.show(of(*talk(1, 2500)))
                await pilot.pause()
            assert 0 < len(set(laid_out)) <= 2 * 3 * 12, keys
