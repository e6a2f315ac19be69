"""What the end of a search line may become: a key, or a value of a key that the store knows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

FROM_THE_STORE = ("source", "model", "dir", "branch", "tool")
"""Keys whose values only the store knows."""

COMPARED = ("is", "msgs", "tokens", "cost")
"""Keys whose values are compared with something that has to be read of every conversation."""

_INSIDE = ("model", "dir")
"""Keys that are satisfied by a piece of the value: what goes on from the beginning of one of its words is offered."""

_EXAMPLES = {"after": ("7d", "today", "yesterday"), "before": ("7d", "today", "yesterday")}
_BEGUN = re.compile(r"[<>=]=?\$?|\$|\d{1,3}|\d{4}-(?:\d{1,2}-)?")
"""A number or a date of which too little is typed to be one: `>`, `20`, `2026-`."""
_LAST = re.compile(r'(?:^|\s)-?(?:(?P<key>[A-Za-z]+):(?P<value>"[^"]*|[^\s"]*)|(?P<word>[a-z]+))$')
_SHORTEST = 2
"""Letters from which on a word may be the beginning of a key."""

Values = Callable[[str], Sequence[str]]
"""The values of a key, the most frequent first; empty while they are not known."""


def unfinished_key(line: str) -> str | None:
    """The key whose value is being typed at the end of the line."""
    last = _LAST.search(line)
    return last["key"].lower() if last and last["key"] else None


def asked(line: str, values: Callable[[str], Sequence[str] | None]) -> str:
    """The line without a filter at its end that means nothing yet, because its value has only begun.

    `source:tele` is no source: until it is one, or cannot become one any more, it leaves nothing out. Nor is
    `is:pin` wrong before it cannot become `is:pinned` any more.

    Args:
        values: The values of a key; None while they are not known.
    """
    last = _LAST.search(line)
    if last is None or not last["key"]:
        return line
    key, low = last["key"].lower(), last["value"].removeprefix('"').casefold()
    if key not in FROM_THE_STORE:
        return line[: last.start()] if _has_begun(key, low) else line
    if not low or (key in _INSIDE and not low.startswith(("/", "~"))):
        return line
    known = values(key)
    if known is not None:
        low = _at_home(key, low)
        folded = [value.casefold() for value in known]
        if low.rstrip("/") in folded or not any(value.startswith(low) for value in folded):
            return line
    return line[: last.start()]


def _has_begun(key: str, value: str) -> bool:
    """It is the beginning of values that a key always has, or of a number or a date, and none of them."""
    from storage.finding.filter_values import AMOUNTS, DATES, Filter

    known = _fixed(key)
    if not value or value in known:
        return False
    if key in (*AMOUNTS, *DATES) and _BEGUN.fullmatch(value):
        return bool(Filter(key, value).problem)
    return any(whole.startswith(value) for whole in known)


def _fixed(key: str) -> Sequence[str]:
    from storage.finding.filter_values import CHOICES

    return CHOICES.get(key) or _EXAMPLES.get(key) or ()


def completed(line: str, values: Values) -> str:
    """The line with its last word finished; the empty string where nothing is offered."""
    from storage.finding.filter_values import KEYS

    last = _LAST.search(line)
    if last is None:
        return ""
    if word := last["word"]:
        keys = (key for key in KEYS if len(word) >= _SHORTEST and key.startswith(word))
        return next((f"{line}{key[len(word) :]}:" for key in keys), "")
    key, typed = last["key"].lower(), last["value"]
    known = _fixed(key) or (values(key) if key in FROM_THE_STORE else ())
    for inside in (False, True) if key in _INSIDE else (False,):
        for value in known:
            if rest := _rest(key, typed, value, inside):
                return line + rest
    return ""


def is_whole(offered: str) -> bool:
    """Whether what is offered ends in a filter with its value, and not in a key that waits for one."""
    last = _LAST.search(offered.removesuffix('"'))
    return last is not None and bool(last["value"])


def _rest(key: str, typed: str, value: str, inside: bool) -> str:
    """What is missing of the value behind what is typed of it; empty where it is no beginning of it.

    Args:
        inside: It may be the beginning of any word of it: `opus` of "anthropic/opus-4", but not `opic`.
    """
    quoted = typed.startswith('"')
    low, whole = typed.removeprefix('"').casefold(), value.casefold()
    if len(whole) != len(value) or '"' in value:
        return ""
    low = _at_home(key, low)
    beginning = re.search(rf"(?<![^\W_]){re.escape(low)}" if inside else rf"\A{re.escape(low)}", whole)
    if beginning is None:
        return ""
    place = beginning.start()
    if place + len(low) == len(value):
        return ""
    rest = value[place + len(low) :]
    if quoted:
        return f'{rest}"'
    if not re.search(r"\s", rest):
        return rest
    return f'"{rest}"' if not typed else ""


def _at_home(key: str, low: str) -> str:
    """The beginning of a value in small letters, a directory's from the root on."""
    if key == "dir" and low.startswith("~") and (home := os.path.expanduser("~").casefold()) != "~":
        return home + low[1:]
    return low
