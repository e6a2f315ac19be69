"""What is copied arrives, whatever it is."""

from __future__ import annotations

import json

import pytest

from tests.support.browsing import browsing, settle
from tests.support.on_screen import press
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
