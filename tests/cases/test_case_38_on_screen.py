"""Case 38 on the screen: the box takes every letter, filter and selection stay sane."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual import events

from hermes_tui.services.resume import Choice
from tests.cases.test_case_38_every_letter_is_searched import SETUP
from tests.support.acting import ids
from tests.support.browsing import Started, browser, browsing, screen_text, settle
from tests.support.on_screen import id_at_cursor, pane_text, press, search_for, shown_ids
from tests.support.real_terminal import QUIT, browser_in_terminal
from tests.support.stores import BuildV11

ALL = ["s1", "s2", "s3", "s4"]


@pytest.fixture
def store(build_v11: BuildV11) -> Path:
    return build_v11(SETUP)


@pytest.fixture
async def started(store: Path) -> AsyncIterator[Started]:
    async with browsing(store) as (app, pilot):
        yield app, pilot


async def test_letters_that_are_keys_elsewhere(started: Started) -> None:
    app, pilot = started
    await search_for(pilot, "dq")
    assert shown_ids(app) == ["s1"]
    assert app.is_running
    await press(pilot, "escape")
    assert shown_ids(app) == ALL


async def test_no_match_then_clearing_then_enter(started: Started) -> None:
    app, pilot = started
    await search_for(pilot, "zzz")
    assert "No match for zzz" in pane_text(app, "notice")
    assert "No sessions yet" not in screen_text(app)
    await press(pilot, "down", "down", "escape")
    assert shown_ids(app) == ALL
    assert id_at_cursor(app) == "s1"
    await press(pilot, "enter")
    assert app.return_value == Choice("s1")


async def test_from_the_fourth_row_to_a_search(started: Started) -> None:
    app, pilot = started
    await press(pilot, "down", "down", "down")
    assert id_at_cursor(app) == "s4"
    await search_for(pilot, "alpha")
    assert shown_ids(app) == ["s2", "s4"]
    marked = [line.split()[1] for line in screen_text(app).splitlines() if line.startswith("▸")]
    highlighted = {"alpha": "s2", "alphabet": "s4"}[marked[0]]
    assert id_at_cursor(app) == highlighted
    await press(pilot, "enter")
    assert app.return_value == Choice(highlighted)


@pytest.mark.parametrize("key", ["d", "f8"])
async def test_deleting_the_second_hit_keeps_the_filter(started: Started, store: Path, key: str) -> None:
    app, pilot = started
    await search_for(pilot, "alpha")
    await press(pilot, "down", *(["tab"] if key == "d" else []), key)
    assert ids(store) == ALL
    await press(pilot, "y")
    assert ids(store) == ["s1", "s2", "s3"]
    assert browser(app).box.value == "alpha"
    assert shown_ids(app) == ["s2"]
    assert id_at_cursor(app) == "s2"
    await press(pilot, "escape")
    assert browser(app).box.value == ""
    assert shown_ids(app) == ["s1", "s2", "s3"]


async def test_the_row_disappears_before_the_store_is_read_again(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pilot = started
    await search_for(pilot, "alpha")
    await press(pilot, "down", "f8")
    monkeypatch.setattr("hermes_tui.services.store_worker.StoreWorker.list", lambda *_, **__: 0)
    await press(pilot, "y")
    assert shown_ids(app) == ["s2"]


async def test_a_paste_is_one_line_without_control_characters(started: Started) -> None:
    app, pilot = started
    app.post_message(events.Paste("alpha\nbeta\x1b[201~"))
    await settle(pilot)
    assert browser(app).box.value == "alpha beta"
    assert "No match for alpha beta" in screen_text(app)


@pytest.mark.parametrize("down", [b"\x1b[B", b"\x1bOB"])
def test_raw_arrows_move_and_never_quit(store: Path, down: bytes) -> None:
    up = down[:-1] + b"A"
    with browser_in_terminal(store, size=(100, 30)) as terminal:
        terminal.wait_for("▸  dq notes")
        terminal.type(down)
        terminal.wait_for("▸  alpha ")
        terminal.type(down * 2)
        terminal.wait_for("▸  alphabet")
        terminal.type(up)
        terminal.wait_for("▸  beta")
        terminal.type(QUIT)
        assert terminal.wait() == 0


@pytest.mark.parametrize("words", [b"", b"alpha"])
def test_an_arrow_that_was_torn_on_the_way_is_an_arrow(store: Path, words: bytes) -> None:
    first, second = (b"alpha ", b"alphabet") if words else (b"dq notes", b"alpha ")
    with browser_in_terminal(store, size=(100, 30)) as terminal:
        terminal.wait_for("▸  dq notes")
        terminal.type(words)
        terminal.wait_for("2 of 4 conversations" if words else "4 conversations")
        terminal.wait_for(f"▸  {first.decode()}")
        terminal.type(b"\x1b")
        time.sleep(0.05)
        terminal.type(b"[B")
        terminal.wait_for(f"▸  {second.decode()}")
        assert words.decode() in terminal.screen
        assert "[B" not in terminal.screen
        assert terminal.process.poll() is None
        terminal.type(QUIT)
        assert terminal.wait() == 0


def test_pasted_in_a_terminal(store: Path) -> None:
    with browser_in_terminal(store, size=(100, 30)) as terminal:
        terminal.wait_for("▸  dq notes")
        terminal.type(b"\x1b[200~alp\nha\x1b[201~")
        terminal.wait_for("No match for alp ha")
        terminal.type(QUIT)
        assert terminal.wait() == 0
