"""Filters of conversations on a command line: `--older-than 30d --source cli --title docker` (spec 5.1)."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from hermes_tui.cli.command import Misused
from hermes_tui.text import safe_text
from hermes_tui.text.relative_time import minute

_UNITS: Final = {
    "s": 1,
    "sec": 1,
    "secs": 1,
    "second": 1,
    "seconds": 1,
    "m": 60,
    "min": 60,
    "mins": 60,
    "minute": 60,
    "minutes": 60,
    "h": 3600,
    "hr": 3600,
    "hrs": 3600,
    "hour": 3600,
    "hours": 3600,
    "": 86400,
    "d": 86400,
    "day": 86400,
    "days": 86400,
    "w": 604800,
    "wk": 604800,
    "wks": 604800,
    "week": 604800,
    "weeks": 604800,
}
"""Seconds."""
_AGE = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([a-z]*)", re.IGNORECASE)


class _Filter(NamedTuple):
    flag: str
    name: str
    """In `storage.keeping.selection.Filters`."""
    kind: str
    """"time", "text", "path", "whole" (a whole number) or "number"."""
    phrase: str
    """How a preview says it."""
    help: str


_FILTERS: Final = (
    _Filter(
        "--older-than", "active_before", "time", "last active before {}", "last active longer ago than AGE"
    ),
    _Filter(
        "--newer-than", "active_after", "time", "last active after {}", "last active within the last AGE"
    ),
    _Filter("--before", "active_before", "time", "last active before {}", "last active before TIME"),
    _Filter("--after", "active_after", "time", "last active after {}", "last active after TIME"),
    _Filter("--source", "source", "text", "source '{}'", "from there: cli, telegram, ..."),
    _Filter("--title", "title_like", "text", "title contains '{}'", "with this in the title"),
    _Filter("--end-reason", "end_reason", "text", "end reason '{}'", "ended for this reason"),
    _Filter("--cwd", "cwd_prefix", "path", "directory '{}'", "that worked in this directory or below it"),
    _Filter("--min-messages", "min_messages", "whole", ">= {} messages", "with so many messages"),
    _Filter("--max-messages", "max_messages", "whole", "<= {} messages", "with no more messages"),
    _Filter("--model", "model_like", "text", "model contains '{}'", "with this in the model's name"),
    _Filter("--provider", "provider", "text", "provider '{}'", "billed by it"),
    _Filter("--user", "user_id", "text", "user '{}'", "of this user id"),
    _Filter("--chat-id", "chat_id", "text", "chat '{}'", "of this chat id"),
    _Filter("--chat-type", "chat_type", "text", "chat type '{}'", "dm, group, ..."),
    _Filter("--branch", "branch_like", "text", "branch contains '{}'", "with this in the git branch"),
    _Filter("--min-tokens", "min_tokens", "whole", ">= {} tokens", "with so many tokens"),
    _Filter("--max-tokens", "max_tokens", "whole", "<= {} tokens", "with no more tokens"),
    _Filter("--min-cost", "min_cost", "number", "cost >= ${}", "that cost so many US dollars"),
    _Filter("--max-cost", "max_cost", "number", "cost <= ${}", "that cost no more"),
    _Filter("--min-tool-calls", "min_tool_calls", "whole", ">= {} tool calls", "with so many tool calls"),
    _Filter("--max-tool-calls", "max_tool_calls", "whole", "<= {} tool calls", "with no more tool calls"),
)
_METAVAR: Final = {"text": "TEXT", "path": "DIR", "whole": "N", "number": "N"}


class Chosen(NamedTuple):
    """The filters of one command line."""

    given: dict[str, Any]
    """For `SessionDB.list_prune_candidates`."""
    phrases: tuple[str, ...]
    """As a preview says them; safe text."""

    def __str__(self) -> str:
        return ", ".join(self.phrases)

    def __bool__(self) -> bool:
        return bool(self.given)


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the options of all filters."""
    group = parser.add_argument_group(
        "filters",
        "All that are given must hold; a chain of continuations is looked at as one. AGE is a duration\n"
        "(5h, 30m, 2d, 1w) or a number of days, TIME an ISO time, and each may stand for the other.",
    )
    for one in _FILTERS:
        metavar = _METAVAR.get(one.kind) or ("AGE" if one.flag.endswith("than") else "TIME")
        # What stood before the name of the command must not be wiped out by a default.
        group.add_argument(one.flag, metavar=metavar, default=argparse.SUPPRESS, help=one.help)


def chosen(said: argparse.Namespace, now: float) -> Chosen:
    """Read the filters that were typed; `now` is the time in Unix seconds.

    Raises:
        Misused: A value means nothing, or two of them the same thing.
    """
    given: dict[str, Any] = {}
    phrases = []
    for one in _FILTERS:
        typed = getattr(said, one.flag[2:].replace("-", "_"), None)
        if typed is None:
            continue
        if one.name in given:
            pair = " and ".join(other.flag for other in _FILTERS if other.name == one.name)
            raise Misused(f"{pair} say the same: give one of them.")
        value = _READ[one.kind](one.flag, typed, now)
        given[one.name] = value
        phrases.append(one.phrase.format(_said(one.kind, value)))
    return Chosen(given, tuple(phrases))


def moment(flag: str, typed: str, now: float) -> float:
    """The time that an age or a time means, in Unix seconds.

    Raises:
        Misused: It means none.
    """
    text = typed.strip()
    time = math.nan
    if age := _AGE.fullmatch(text):
        time = now - float(age[1]) * _UNITS.get(age[2].lower(), math.nan)
    else:
        with suppress(ValueError, OverflowError, OSError):
            time = datetime.fromisoformat(text).timestamp()
    # A date without its dashes would be an age of millions of days, before anything there is.
    if not time >= 0:
        raise Misused(
            f"Invalid value for {flag}: '{typed}'. Use a duration like '5h', '30m', '2d', '1w', a bare number of days,"
            " or an ISO timestamp like '2026-07-05' or '2026-07-05 14:30'."
        )
    return time


def _said(kind: str, value: Any) -> str:
    if kind == "time":
        return minute(value)
    return f"{value:.15g}" if kind == "number" else safe_text.line(str(value))


def _text(flag: str, typed: str, now: float) -> str:
    # An empty one is a variable that was not set, and would be found in everything.
    if not typed.strip():
        raise Misused(f"Invalid value for {flag}: it is empty.")
    return typed.encode("utf-8", "replace").decode()


def _path(flag: str, typed: str, now: float) -> str:
    path = _text(flag, typed, now)
    return os.path.abspath(os.path.expanduser(path)) if path.startswith(("~", ".")) else path


def _number(flag: str, typed: str, now: float) -> float:
    try:
        number = float(typed)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise Misused(f"Invalid value for {flag}: '{typed}'. Use a number, 0 or more.")
    return number


def _whole(flag: str, typed: str, now: float) -> int:
    number = _number(flag, typed, now)
    if number != int(number):
        raise Misused(f"Invalid value for {flag}: '{typed}'. Use a whole number.")
    return int(number)


_READ: Final[dict[str, Callable[[str, str, float], Any]]] = {
    "time": moment,
    "text": _text,
    "path": _path,
    "whole": _whole,
    "number": _number,
}
