"""The search box beyond words: completion, chips, what was ignored, orders, and walking from match to match."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.app import BrowserApp
from hermes_tui.text.completion import asked, completed, is_whole, unfinished_key
from hermes_tui.text.marks import ASCII
from storage import SearchOrder
from tests.support.browsing import Started, browser, browsing, screen_text
from tests.support.on_screen import id_at_cursor, press, search_for, shown_ids
from tests.support.stores import BuildV11

VALUES = {
    "source": ("cli", "telegram", "my bot", 'odd"one'),
    "model": ("anthropic/claude-opus-4.6",),
    "dir": ("/home/me/proj/api", "/srv/x"),
    "branch": ("main", "maintenance"),
    "tool": ("terminal",),
}


def subtitle(app: BrowserApp) -> str:
    return str(browser(app).box.border_subtitle)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("", ""),
        ("s", ""),
        ("so", "source:"),
        ("docker so", "docker source:"),
        ("-so", "-source:"),
        ("to", "tool:"),
        ("tok", "tokens:"),
        ("source", "source:"),
        ("So", ""),
        ("source:", "source:cli"),
        ("source:te", "source:telegram"),
        ("source:TE", "source:TElegram"),
        ("-source:c", "-source:cli"),
        ("source:my", ""),
        ('source:"my', 'source:"my bot"'),
        ("source:cli", ""),
        ("source:odd", ""),
        ("source:cli ", ""),
        ("model:opus", "model:opus-4.6"),
        ("model:op", "model:opus-4.6"),
        ("model:4", "model:4.6"),
        ("model:opic", ""),
        ("model:an", "model:anthropic/claude-opus-4.6"),
        ("dir:pro", "dir:proj/api"),
        ("dir:roj", ""),
        ("dir:~/pr", "dir:~/proj/api"),
        ("dir:/s", "dir:/srv/x"),
        ("branch:main", "branch:maintenance"),
        ("tool:", "tool:terminal"),
        ("is:p", "is:pinned"),
        ("IS:P", "IS:Pinned"),
        ("Source:te", "Source:telegram"),
        ("has:", "has:children"),
        ("role:t", "role:tool"),
        ("after:", "after:7d"),
        ("before:y", "before:yesterday"),
        ("msgs:", ""),
        ("foo:", ""),
    ],
)
def test_what_is_offered(line: str, whole: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert completed(line, lambda key: VALUES.get(key, ())) == whole


@given(st.text(), st.lists(st.text(), max_size=4))
def test_what_is_offered_goes_on_from_what_is_typed(line: str, values: list[str]) -> None:
    whole = completed(line, lambda key: values)
    assert whole == "" or (whole.startswith(line) and len(whole) > len(line))
    unfinished_key(line)


async def test_right_at_the_end_accepts_a_key_and_then_a_value(on_demo: Started) -> None:
    app, pilot = on_demo
    box = browser(app).box
    await search_for(pilot, "sou")
    await press(pilot, "right")
    assert box.value == "source:"
    await press(pilot, "t", "e")
    assert "source:telegram" in screen_text(app)
    await press(pilot, "right")
    assert box.value == "source:telegram "
    assert box.cursor_position == len(box.value)
    assert {entry.source for entry in browser(app).finder.entries} == {"telegram"}
    shown = shown_ids(app)
    await press(pilot, "backspace")
    assert (box.value, shown_ids(app)) == ("source:telegram", shown)


@pytest.mark.parametrize(
    ("offered", "whole"),
    [
        ("", False),
        ("source:", False),
        ("docker -source:", False),
        ("source:telegram", True),
        ('source:"my bot"', True),
        ("docker -is:pinned", True),
        ("docker", False),
    ],
)
def test_only_a_filter_with_its_value_is_whole(offered: str, whole: bool) -> None:
    assert is_whole(offered) is whole


async def test_what_is_typed_behind_an_accepted_value_is_another_word(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "source:te")
    await press(pilot, "right", *"docker")
    assert browser(app).box.value == "source:telegram docker"
    await press(pilot, "home", "right", "right")
    assert (browser(app).box.value, browser(app).box.cursor_position) == ("source:telegram docker", 2)
    await press(pilot, "end", *" is:p", "left", "right", "right")
    assert browser(app).box.value == "source:telegram docker is:pinned "


async def test_right_within_the_line_only_moves(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "sou")
    await press(pilot, "left", "left", "right")
    assert (browser(app).box.value, browser(app).box.cursor_position) == ("sou", 2)


async def test_nothing_unsafe_is_offered(build_v11: BuildV11) -> None:
    path = build_v11(
        "INSERT INTO sessions(id, source, started_at) VALUES ('a', 'te' || char(27) || '[31mx', 1780000000)"
    )
    async with browsing(path) as (app, pilot):
        await search_for(pilot, "source:t")
        await press(pilot, "right")
        assert browser(app).box.value == "source:t"


def chips(app: BrowserApp) -> list[str]:
    """What is drawn in the box on the chips' background."""
    box = browser(app).box
    chip = box.get_component_rich_style("search-box--chip")
    return [
        segment.text
        for segment in box.render_line(1 if box.size.height > 1 else 0)
        if segment.style and segment.style.bgcolor == chip.bgcolor and segment.style.color == chip.color
    ]


async def test_filters_that_are_understood_are_chips(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "source:cli after:soon docker -is:error foo:x ")
    assert "".join(chips(app)) == "source:cli-is:error"


async def test_the_blanks_beside_a_chip_give_half_of_themselves(on_demo: Started) -> None:
    app, pilot = on_demo
    box = browser(app).box
    await search_for(pilot, "docker source:cli is:error  x")
    assert box.render_line(0).text.startswith("docker▐source:cli▌is:error▌ x")
    await press(pilot, "home", *["right"] * 6)
    assert box.render_line(0).text.startswith("docker source:cli▌is:error▌ x")
    assert box.value == "docker source:cli is:error  x"
    box.marks = ASCII
    assert box.render_line(0).text.startswith("docker source:cli is:error  x")


@pytest.mark.parametrize(
    ("line", "known", "expected"),
    [
        ("source:", ("cli",), "source:"),
        ("source:c", None, ""),
        ("source:c", (), "source:c"),
        ("source:c", ("cli", "cron"), ""),
        ("docker source:c", ("cli",), "docker"),
        ("docker -source:C", ("cli",), "docker"),
        ("source:cli", ("cli", "cli2"), "source:cli"),
        ("source:CLI", ("cli",), "source:CLI"),
        ("source:x", ("cli",), "source:x"),
        ("source:c ", ("cli",), "source:c "),
        ('source:"my b', ("my bot",), ""),
        ("tool:term", ("terminal",), ""),
        ("branch:mai", ("main",), ""),
        ("model:opus", ("anthropic/opus",), "model:opus"),
        ("dir:proj", ("/home/me/proj",), "dir:proj"),
        ("dir:/home/me/pr", ("/home/me/proj",), ""),
        ("dir:/home/me/proj/", ("/home/me/proj",), "dir:/home/me/proj/"),
        ("is:pin", None, ""),
        ("docker -is:p", None, "docker"),
        ("is:pinned", None, "is:pinned"),
        ("is:pi ", None, "is:pi "),
        ("is:", None, "is:"),
        ("is:nope", None, "is:nope"),
        ("has:c", None, ""),
        ("role:us", None, ""),
        ("after:yes", None, ""),
        ("Is:Pin", None, ""),
        ("is:PINNED", None, "is:PINNED"),
        ("Source:c", ("cli",), ""),
        ("after:2026", None, "after:2026"),
        ("after:2", None, ""),
        ("after:202", None, ""),
        ("after:2026-", None, ""),
        ("after:2026-1", None, "after:2026-1"),
        ("after:2026-10-", None, ""),
        ("after:2 ", None, "after:2 "),
        ("after:x", None, "after:x"),
        ("msgs:1", None, "msgs:1"),
        ("msgs:>", None, ""),
        ("cost:>=$", None, ""),
        ("docker", None, "docker"),
        ("", None, ""),
    ],
)
def test_a_value_that_has_only_begun_asks_for_nothing(
    line: str, known: tuple[str, ...] | None, expected: str
) -> None:
    assert asked(line, lambda _: known) == expected


async def test_a_source_that_is_being_typed_leaves_nothing_out_until_it_is_one(on_demo: Started) -> None:
    app, pilot = on_demo
    everything = shown_ids(app)
    for letter in "source:te":
        await press(pilot, letter)
        if browser(app).box.value.startswith("source:"):
            assert shown_ids(app) == everything
            assert not browser(app).has_class("-notice")
            assert chips(app) == []
    await press(pilot, *"legram")
    assert 0 < len(shown_ids(app)) < len(everything)
    assert "".join(chips(app)) == "source:telegram"
    await press(pilot, *["backspace"] * 6, "space")
    assert "No match for source:te" in screen_text(app)


async def test_what_was_ignored_is_said(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "docker after:soon ")
    assert "without: after:soon — not a date like 7d or 2026-10-01" in subtitle(app)
    await press(pilot, "escape")
    assert subtitle(app) == "57 conversations · last active first"
    await search_for(pilot, "is:")
    assert subtitle(app) == "57 conversations · last active first · without: is: — nothing after it"
    await press(pilot, "x")
    wrong = "without: is:x — not one of pinned, archived, hidden, …"
    assert subtitle(app) == f"57 conversations · last active first · {wrong}"
    assert wrong in screen_text(app)
    await press(pilot, "backspace", "p")
    assert subtitle(app) == "57 conversations · last active first"
    await press(pilot, "space")
    assert "without: is:p — not one of pinned, archived, hidden, …" in screen_text(app)


async def test_of_two_that_are_ignored_one_after_the_other_the_second_is_named(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "docker after:s")
    assert subtitle(app).count("without: ") == 1
    await press(pilot, "o")
    assert subtitle(app).count("without: ") == 1
    assert "without: after:so — not a date like 7d or 2026-10-01" in subtitle(app)
    await press(pilot, *["backspace"] * 8, *"is:x ")
    assert subtitle(app).count("without: ") == 1
    assert "without: is:x — not one of pinned, archived, hidden, …" in subtitle(app)


async def test_a_filter_that_leaves_nothing_says_so_and_what_there_is(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "source:telegrm")
    assert subtitle(app) == "0 conversations · last active first · no source telegrm; there is telegram"
    assert "No match for source:telegrm" in screen_text(app)


async def test_hidden_matches_of_a_filter_are_counted(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "title:nightly")
    assert subtitle(app).endswith(" more in cron: h")
    await press(pilot, *" source:cron")
    assert {entry.source for entry in browser(app).finder.entries} == {"cron"}
    assert "more in" not in subtitle(app)


async def test_words_alone_that_are_excluded_filter_the_list(on_demo: Started) -> None:
    app, pilot = on_demo
    everything = set(shown_ids(app))
    await search_for(pilot, "docker ")
    found = set(shown_ids(app))
    await press(pilot, "escape")
    await search_for(pilot, "-docker ")
    assert found
    assert set(shown_ids(app)) == everything - found


async def test_s_orders_a_search_by_relevance_and_back(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "docker ")
    newest = shown_ids(app)
    assert "newest hit first" in subtitle(app)
    await press(pilot, "tab", "s")
    assert browser(app).finder.order is SearchOrder.RELEVANT
    assert "most relevant first" in subtitle(app)
    assert set(shown_ids(app)) == set(newest)
    await press(pilot, "s")
    assert "newest hit first" in subtitle(app)
    assert shown_ids(app) == newest


TWO = """INSERT INTO sessions(id, source, started_at) VALUES ('older', 'cli', 1780000000), ('newer', 'cli', 1780001000);
INSERT INTO messages(session_id, role, content, timestamp) VALUES
('older', 'user', 'docker one docker two', 1780000001),
('older', 'assistant', 'docker three', 1780000002), ('newer', 'user', 'docker four', 1780001001),
('newer', 'assistant', 'docker five', 1780001002);"""


async def test_n_walks_on_into_the_next_conversation(build_v11: BuildV11) -> None:
    async with browsing(build_v11(TWO)) as (app, pilot):
        await search_for(pilot, "docker")
        transcript = browser(app).detail.transcript
        await press(pilot, "tab", "tab")
        walked = [(id_at_cursor(app), transcript.match_position())]
        for key in "nnnnnNNNNNN":
            await press(pilot, key)
            walked.append((id_at_cursor(app), transcript.match_position()))
        assert walked == [
            ("newer", (2, 2)),
            ("older", (1, 3)),
            ("older", (2, 3)),
            ("older", (3, 3)),
            ("older", (1, 3)),  # the last conversation: round it
            ("older", (2, 3)),
            ("older", (1, 3)),
            ("newer", (2, 2)),
            ("newer", (1, 2)),
            ("newer", (2, 2)),  # the first one: round it
            ("newer", (1, 2)),
            ("newer", (2, 2)),
        ]
        assert "match 2 of 2" in screen_text(app)
        assert transcript.has_focus
