"""Case 32 on the screen, in a real terminal: no control byte from the store reaches it. (Dialogs wait for theirs.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.test_case_32_no_control_byte_in_the_list import ROWS
from tests.support.browsing import browsing, screen_text
from tests.support.on_screen import pane_text, press, put_cursor_on, said, shown_ids, toasts
from tests.support.real_terminal import DOWN, QUIT, browser_in_terminal
from tests.support.stores import BuildV11

FORBIDDEN = [
    b"\x1b]0;PWNED",
    b"X\x1b[2J",
    b"\x1b]8;;http://evil",
    b"\x1bc",
    b"\x0e",
    b"\x00",
    b"\xc2\x9b",
    b"\xe2\x80\xae",
    b"PWNED",
    b"http://evil",
]
HOSTILE_ID = """
UPDATE sessions SET id = 'i'||char(27)||']0;PWNED'||char(7)||char(0x202e)||'d' WHERE id = 's2';
UPDATE sessions SET parent_session_id = 's1', model_config = '{"_branched_from":"s1"}' WHERE title LIKE 'a%';
"""


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(ROWS + HOSTILE_ID)


def test_in_a_terminal_nothing_of_it_arrives(store: Path) -> None:
    with browser_in_terminal(store) as terminal:
        terminal.wait_for("Red")
        terminal.wait_for("tab    x")
        terminal.type(DOWN)
        terminal.wait_for("Xlink Y")
        terminal.type(DOWN)
        terminal.wait_for("▸  abcd")
        terminal.type(b"link")
        terminal.wait_for("1 of 3 conversations")
        terminal.type(b"\t\tT")
        terminal.wait_for("bell so nul end")
        terminal.type(b"I?")
        terminal.wait_for("The keys of this pane")
        terminal.type(b"\x1b")
        terminal.wait_until(lambda: "The keys of this pane" not in terminal.screen, "the end of the help")
        terminal.type(b"t")
        terminal.wait_for("↵ show")
        terminal.type(b"j\r")
        terminal.wait_for("abcd · branch")
        terminal.type(b"Y")
        terminal.wait_for("Copied")
        terminal.type(QUIT)
        assert terminal.wait() == 0
        assert [sequence for sequence in FORBIDDEN if sequence in terminal.raw] == []


async def test_what_is_left_can_be_read(store: Path) -> None:
    async with browsing(store) as (app, pilot):
        rows = dict(zip(shown_ids(app), pane_text(app, "sessions").splitlines()[1:], strict=False))
        assert rows["s1"][3:6] == "Red"
        assert rows["s3"].split()[-7:-5] == ["tab", "x"]
        assert " telegram " in rows["s3"]
        assert any(row[3:].startswith("abcd (branch)") for row in rows.values())
        await put_cursor_on(app, pilot, "s1")
        await press(pilot, "tab", "tab", "T")
        assert said(app) == "● You 2026-05-28 20:26 Xlink Y └ t bell so nul end"
        await press(pilot, "y", "Y")
        text = screen_text(app) + "".join(toasts(app))
        assert not [char for char in text if char != "\n" and not char.isprintable()]
