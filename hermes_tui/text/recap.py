"""How a message is told briefly (spec 6). Takes and gives text as stored: `safe_text` comes after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MAX_USER_CHARS = 300
MAX_ASSISTANT_CHARS = 200
MAX_ASSISTANT_LINES = 3
_MAX_TOOLS = 4

_REASONING = ("REASONING_SCRATCHPAD", "think", "thinking", "reasoning", "thought")
_CALLS = ("tool_call", "tool_calls", "tool_result", "function_call", "function_calls")


def _tag(name: str) -> re.Pattern[str]:
    return re.compile(f"<{name}>", re.IGNORECASE)


def _closing(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"</(?:{'|'.join(names)})>\s*", re.IGNORECASE)


_REASONING_TAGS = tuple((_tag(name), _closing([name])) for name in _REASONING)
_CALL_TAGS = tuple((re.compile(rf"<{name}\b[^>]*>", re.IGNORECASE), _closing([name])) for name in _CALLS)
# A function that is spoken of in the middle of a sentence is text, a call stands by itself.
_FUNCTION = re.compile(r"(?:^|(?<=[\n.!?:]))[ \t]*<function\b[^>]*\bname\s*=[^>]*>", re.IGNORECASE)
_FUNCTION_END = _closing(["function"])
_STRAY = _closing([*_CALLS, "function"])


def strip_reasoning(text: str) -> str:
    """Drop what a model thought aloud and the calls that it wrote as text, and white space at the ends."""
    if "<" not in text:
        return text.strip()
    for opening, closing in _REASONING_TAGS:
        text = closing.sub("", _without(text, opening, closing, unfinished=True))
    for opening, closing in _CALL_TAGS:
        text = _without(text, opening, closing)
    return _STRAY.sub("", _without(text, _FUNCTION, _FUNCTION_END)).strip()


def _without(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str], *, unfinished: bool = False
) -> str:
    """Drop every block from an opening to the next closing; `unfinished`: also one that is never closed.

    One pass: a lazy `.*?` would walk a text full of openings again and again.
    """
    kept: list[str] = []
    place = 0
    while start := opening.search(text, place):
        end = closing.search(text, start.end())
        if end is None:
            if unfinished:
                return "".join((*kept, text[place : start.start()]))
            break
        kept.append(text[place : start.start()])
        place = end.end()
    return "".join((*kept, text[place:]))


def shorten_user(text: str) -> str:
    """The first 300 characters."""
    return text if len(text) <= MAX_USER_CHARS else text[:MAX_USER_CHARS] + "..."


def shorten_assistant(text: str) -> str:
    """The first three lines, and of those 200 characters."""
    lines = text.split("\n")
    if len(lines) > MAX_ASSISTANT_LINES:
        text = "\n".join(lines[:MAX_ASSISTANT_LINES]) + " ..."
    return text if len(text) <= MAX_ASSISTANT_CHARS else text[:MAX_ASSISTANT_CHARS] + "..."


def tool_line(names: Iterable[str]) -> str:
    """Tool calls folded to one line: "[3 tool calls: terminal, web_search]"; "" for none.

    Args:
        names: The tool of each call; an empty name is "unknown".
    """
    called = [name or "unknown" for name in names]
    if not called:
        return ""
    distinct = list(dict.fromkeys(called))
    more = ", ..." if len(distinct) > _MAX_TOOLS else ""
    calls = "call" if len(called) == 1 else "calls"
    return f"[{len(called)} tool {calls}: {', '.join(distinct[:_MAX_TOOLS])}{more}]"
