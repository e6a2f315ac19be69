"""What is copied arrives, whatever it is."""

from __future__ import annotations

import json

import pytest

from tests.support.browsing import Started, browsing, settle
from tests.support.on_screen import pane_lines, press, search_for, toasts, transcript
from tests.support.stores import BuildV11


@pytest.mark.parametrize(
    ("said", "copied"),
    [
        ("x \\ud83d y", "x \ufffd y"),
        ("\\ude00", "\ufffd"),
        ("\\ud83d\\ude00", "😀"),
        ("\\ufeffé \\u0000\\u001b", "\ufeffé \0\x1b"),
    ],
    ids=["half", "other half", "whole", "odd letters"],
)
async def test_a_message_with_half_a_letter(said: str, copied: str, build_v11: BuildV11) -> None:
    content = "\0json:" + f'[{{"type":"text","text":"{said}"}}]'
    path = build_v11(
        "INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);"
        "INSERT INTO messages(session_id,role,content,timestamp)"
        f" VALUES('s1','user',char(0)||'{content[1:]}',1780000000);"
    )
    assert json.loads(content.removeprefix("\0json:"))
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "tab", "y")
        await settle(pilot)
        assert app.clipboard == copied


async def test_the_message_on_top_is_copied(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "podman")
    await press(pilot, "tab", "down", "tab", "g", "J", "y")
    text = "good to know. how much work would it be to stay on podman?"
    assert pane_lines(app, "transcript")[:2] == ["● You  16:28", f"  {text}"]
    assert (app.clipboard, toasts(app)[-1]) == (text, "Copied the message, 58 characters.")


async def test_a_tool_call_is_copied_as_it_is_shown(on_demo: Started) -> None:
    app, pilot = on_demo
    await search_for(pilot, "docker ")
    await press(pilot, "tab", "tab", "N", "y")
    assert transcript(app).match_position() == (17, 18)
    assert app.clipboard == (
        "[2 tool calls: terminal, cronjob]\n"
        'terminal {"command": "docker tag shop:previous registry.example.net/shop:keep-until-monday'
        ' && docker push -q registry.example.net/shop:keep-until-monday"}'
    )
    assert toasts(app)[-1] == "Copied the message, 188 characters."


async def test_it_is_said_where_there_is_nothing_to_copy(build_v11: BuildV11) -> None:
    path = build_v11(
        "INSERT INTO sessions(id,source,started_at) VALUES('s1','cli',1780000000);"
        "INSERT INTO messages(session_id,role,content,timestamp,tool_name)"
        " VALUES('s1','tool','',1780000000,'terminal');"
    )
    async with browsing(path) as (app, pilot):
        await press(pilot, "tab", "tab", "T", "y")
        assert toasts(app) == ["No text to copy here: go to a message that has some."]
        assert app.clipboard == ""
