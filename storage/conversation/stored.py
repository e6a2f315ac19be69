"""How values are stored and read back (spec 4.2): content of any shape, JSON columns, times."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import Any

from storage.conversation.content import MARKERS
from storage.errors import RowRefused

_SURROGATES = re.compile("[\ud800-\udfff]")
_INT64 = range(-(2**63), 2**63)


def sound(text: str) -> str:
    """The text with every lone surrogate as U+FFFD: SQLite cannot hold one."""
    return _SURROGATES.sub("\ufffd", text)


def text(value: object, name: str) -> str:
    """The value for a column of text: a number as its digits.

    Raises:
        RowRefused: It is neither text nor a number.
    """
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, int | float):
        return str(value)
    raise RowRefused(f"{name} is not text but {type(value).__name__}")


def encode(content: object) -> str | bytes | float | int | None:
    """What to store for a message's content: text and numbers as they are, anything else as JSON behind a marker.

    What is not JSON either is stored as its `str()`.
    """
    if isinstance(content, str):
        return sound(content)
    if content is None or isinstance(content, bytes | float):
        return content
    if isinstance(content, int):
        return content if content in _INT64 else str(content)
    try:
        return MARKERS[0] + json.dumps(content)
    except (TypeError, ValueError, RecursionError):
        return sound(str(content))


def decode(stored: object) -> Any:
    """The content that was stored; what follows a marker without being JSON comes back as it is stored."""
    if isinstance(stored, str) and stored.startswith(MARKERS):
        try:
            return json.loads(stored[len(MARKERS[0]) :])
        except (ValueError, RecursionError):
            return stored
    return stored


def json_text(value: object, name: str) -> str | None:
    """The value as JSON text, NULL for an empty one.

    Raises:
        RowRefused: It cannot be put into JSON.
    """
    try:
        return json.dumps(value) if value else None
    except (TypeError, ValueError, RecursionError) as error:
        raise RowRefused(f"{name} cannot be put into JSON ({error})") from None


def parsed(stored: object, instead: Any) -> Any:
    """The value of a JSON column, `instead` where it is not JSON."""
    try:
        return json.loads(stored)  # type: ignore[arg-type]
    except (TypeError, ValueError, RecursionError):
        return instead


def marked(model_config: object, marker: str, value: str) -> str:
    """The stored `model_config` with a marker of the session's origin; what is no JSON object is kept in one."""
    config = parsed(model_config, None)
    if not isinstance(config, dict):
        config = {"_unreadable": str(model_config)} if model_config else {}
    return json.dumps({**config, marker: value})


def call_count(tool_calls: object) -> int:
    """By how much these tool calls raise `tool_call_count`: a list by its length, any other value by one."""
    if isinstance(tool_calls, list | tuple):
        return len(tool_calls)
    return 0 if tool_calls is None else 1


def moment(value: object) -> float | None:
    """The Unix time that was given as a number or a datetime; None for anything else."""
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None
