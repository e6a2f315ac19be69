"""Ages, times and the other filters of a command line, and how they are said."""

from __future__ import annotations

import argparse
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.cli.command import Misused
from hermes_tui.cli.filters import add_filters, chosen, moment
from hermes_tui.text.relative_time import minute
from tests.support.stores import NOW

DAY = 86400.0


@pytest.mark.parametrize(
    ("typed", "ago"),
    [
        ("90", 90 * DAY),
        ("0", 0),
        ("1.5", 1.5 * DAY),
        (".5", 0.5 * DAY),
        ("45s", 45),
        ("2 seconds", 2),
        ("30m", 1800),
        ("30 MIN", 1800),
        ("3minutes", 180),
        ("5h", 18000),
        ("1.5 hours", 5400),
        ("1hr", 3600),
        ("2d", 2 * DAY),
        ("1 day", DAY),
        ("1w", 7 * DAY),
        ("2 weeks", 14 * DAY),
        (" 7d ", 7 * DAY),
    ],
)
def test_ages(typed: str, ago: float) -> None:
    assert moment("--older-than", typed, NOW) == NOW - ago


@pytest.mark.parametrize(
    ("typed", "iso"),
    [
        ("2026-05-01", "2026-05-01T00:00"),
        ("2026-05-01 14:30", "2026-05-01T14:30"),
        ("2026-05-01T14:30:05", "2026-05-01T14:30:05"),
        ("2026-05-01T14:30Z", "2026-05-01T14:30+00:00"),
        ("2026-05-01T14:30+02:00", "2026-05-01T14:30+02:00"),
        ("2036-01-01", "2036-01-01T00:00"),
    ],
)
def test_times_are_local_unless_they_say_where(typed: str, iso: str) -> None:
    assert moment("--before", typed, NOW) == datetime.fromisoformat(iso).timestamp()


@pytest.mark.parametrize(
    "typed",
    ["", "soon", "5x", "-5", "-5d", "5 d ago", "1e3", "٣d", "nan", "inf", "2026-13-01", "2026-02-30",
     "20260501", "99999999w", "1900-01-01", "9" * 400],
)  # fmt: skip
def test_what_is_neither(typed: str) -> None:
    with pytest.raises(Misused) as error:
        moment("--newer-than", typed, NOW)
    assert str(error.value) == (
        f"Invalid value for --newer-than: '{typed}'. Use a duration like '5h', '30m', '2d', '1w',"
        " a bare number of days, or an ISO timestamp like '2026-07-05' or '2026-07-05 14:30'."
    )


@given(st.text(max_size=20))
def test_anything_is_a_time_or_is_refused(typed: str) -> None:
    with suppress(Misused):
        assert moment("--before", typed, NOW) >= 0


def said(*words: str) -> tuple[dict[str, object], str]:
    parser = argparse.ArgumentParser()
    add_filters(parser)
    found = chosen(parser.parse_args(words), NOW)
    return found.given, str(found)


@pytest.mark.parametrize(
    ("words", "filters", "phrases"),
    [
        ("", {}, ""),
        ("--older-than 2d", {"active_before": NOW - 2 * DAY}, f"last active before {minute(NOW - 2 * DAY)}"),
        ("--newer-than 1h", {"active_after": NOW - 3600}, f"last active after {minute(NOW - 3600)}"),
        (
            "--before 1w --after 2w",
            {"active_before": NOW - 7 * DAY, "active_after": NOW - 14 * DAY},
            f"last active before {minute(NOW - 7 * DAY)}, last active after {minute(NOW - 14 * DAY)}",
        ),
        (
            "--source cli --title Docker --end-reason x --cwd /work",
            {"source": "cli", "title_like": "Docker", "end_reason": "x", "cwd_prefix": "/work"},
            "source 'cli', title contains 'Docker', end reason 'x', directory '/work'",
        ),
        (
            "--min-messages 3 --max-messages 1e3 --min-tokens 0 --max-tokens 9",
            {"min_messages": 3, "max_messages": 1000, "min_tokens": 0, "max_tokens": 9},
            ">= 3 messages, <= 1000 messages, >= 0 tokens, <= 9 tokens",
        ),
        (
            "--min-cost 0.5 --max-cost 2 --min-tool-calls 1 --max-tool-calls 2",
            {"min_cost": 0.5, "max_cost": 2.0, "min_tool_calls": 1, "max_tool_calls": 2},
            "cost >= $0.5, cost <= $2, >= 1 tool calls, <= 2 tool calls",
        ),
        (
            "--model opus --provider p --user u --chat-id c --chat-type dm --branch main",
            {
                "model_like": "opus",
                "provider": "p",
                "user_id": "u",
                "chat_id": "c",
                "chat_type": "dm",
                "branch_like": "main",
            },
            "model contains 'opus', provider 'p', user 'u', chat 'c', chat type 'dm', branch contains 'main'",
        ),
    ],
)
def test_what_is_given_and_how_it_is_said(words: str, filters: dict[str, object], phrases: str) -> None:
    assert said(*words.split()) == (filters, phrases)


def test_a_directory_is_meant_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/me")
    assert [said("--cwd", one)[0]["cwd_prefix"] for one in (".", "./x", "~/proj", "C:\\work", "/a/")] == [
        str(tmp_path),
        f"{tmp_path}/x",
        "/home/me/proj",
        "C:\\work",
        "/a/",
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--older-than", "1d", "--before", "2d"], "--older-than and --before say the same: give one of them."),
        (["--newer-than", "1d", "--after", "2d"], "--newer-than and --after say the same: give one of them."),
        (["--title", ""], "Invalid value for --title: it is empty."),
        (["--source", "  "], "Invalid value for --source: it is empty."),
        (["--min-cost", "nan"], "Invalid value for --min-cost: 'nan'. Use a number, 0 or more."),
        (["--max-cost", "inf"], "Invalid value for --max-cost: 'inf'. Use a number, 0 or more."),
        (["--min-tokens", "-1"], "Invalid value for --min-tokens: '-1'. Use a number, 0 or more."),
        (["--min-messages", "2.5"], "Invalid value for --min-messages: '2.5'. Use a whole number."),
        (["--max-messages", "many"], "Invalid value for --max-messages: 'many'. Use a number, 0 or more."),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(words: list[str], complaint: str) -> None:
    with pytest.raises(Misused) as error:
        said(*words)
    assert str(error.value) == complaint


def test_what_was_typed_is_said_safely() -> None:
    assert said("--title", "a\x1b[2Jb\n\udcffc") == (
        {"title_like": "a\x1b[2Jb\n?c"},
        "title contains 'ab ?c'",
    )
