"""Values of columns written into JSON and read back, each as exactly what it was."""

from __future__ import annotations

import base64
import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from storage.errors import StoreError

Value = None | int | float | str | bytes

_BLOB, _BAD_TEXT, _REAL = "blob", "text", "real"
"""Keys of values that JSON has no word for: bytes, text that is no UTF-8 (both base64), an infinite number."""


class BadText(bytes):
    """A value of type TEXT whose bytes are no UTF-8."""


class NoValue(StoreError, ValueError):
    """JSON that stands for no value of a column."""


@contextmanager
def exactly(connection: sqlite3.Connection) -> Iterator[None]:
    """Within, what the connection reads is what is stored: no byte of a text is replaced."""
    before = connection.text_factory
    connection.text_factory = _text
    try:
        yield
    finally:
        connection.text_factory = before


def written(value: Value) -> Any:
    """The value for JSON."""
    if isinstance(value, BadText):
        return {_BAD_TEXT: base64.b64encode(value).decode("ascii")}
    if isinstance(value, bytes):
        return {_BLOB: base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return {_REAL: str(value)}
    return value


def read(value: Any) -> Value:
    """The value that was written.

    Raises:
        NoValue: It was not.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    try:
        ((kind, inner),) = value.items()
        match kind:
            case "blob":
                return base64.b64decode(inner, validate=True)
            case "text":
                return BadText(base64.b64decode(inner, validate=True))
            case "real":
                return float(inner)
    except (AttributeError, TypeError, ValueError):
        pass
    raise NoValue(f"{str(value)[:40]} is no value")


def mark(value: Value) -> str:
    """What stands for the value in SQL that is handed it as a parameter."""
    return "CAST(? AS TEXT)" if isinstance(value, BadText) else "?"


def shown(value: Value) -> str:
    """The value as text for a person, as a reader would see it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _text(stored: bytes) -> str | BadText:
    try:
        return stored.decode("utf-8")
    except UnicodeDecodeError:
        return BadText(stored)
