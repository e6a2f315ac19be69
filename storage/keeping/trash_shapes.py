"""What the lines of a copy must look like to be believed: a copy is a file, and anybody may have edited it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from storage.errors import StoreError
from storage.keeping import trash_values

Check = Callable[[Any], bool]

_INTEGERS = range(-(1 << 63), 1 << 63)


def is_record(line: object) -> bool:
    """Whether a line between the header and the end of a block says all that its kind needs."""
    if not isinstance(line, dict):
        return False
    kind = line.get("kind")
    shape = _SHAPES.get(kind) if isinstance(kind, str) else None
    return shape is not None and _fits(line, shape) and ("config" not in line or _is_config(line["config"]))


def is_session(said: object) -> bool:
    """Whether what the end of a block says of a session can be that."""
    return isinstance(said, dict) and _fits(said, _SESSION) and said.keys() <= _SESSION.keys() | _FLAGS


def _fits(line: Mapping[str, Any], shape: Mapping[str, Check]) -> bool:
    return all(name in line and check(line[name]) for name, check in shape.items())


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and value in _INTEGERS


def _is_rowid(value: Any) -> bool:
    return value is None or _is_integer(value)


def _is_value(value: Any) -> bool:
    try:
        read = trash_values.read(value)
    except StoreError:
        return False
    if isinstance(read, str):
        return _is_text(read)
    return not isinstance(read, int) or _is_integer(read)


def _is_row(values: Any) -> bool:
    return isinstance(values, dict) and all(_is_text(name) and _is_value(one) for name, one in values.items())


def _is_config(values: Any) -> bool:
    return isinstance(values, list) and len(values) == 2 and all(map(_is_value, values))


def _is_file_name(value: Any) -> bool:
    """Whether it names something in a directory, not beside or above it."""
    return (
        isinstance(value, str)
        and os.path.basename(value) == value
        and "\0" not in value
        and value not in ("", ".", "..")
    )


def _is_content(value: Any) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        return False
    return True


def _is_mode(value: Any) -> bool:
    return isinstance(value, int) and 0 <= value <= 0o7777


_ROW: Final[dict[str, Check]] = {"table": _is_text, "rowid": _is_rowid, "values": _is_row}
_SHAPES: Final[dict[str, dict[str, Check]]] = {
    "row": {"session": _is_text, **_ROW},
    "loosened": {"session": _is_text, **_ROW},
    "named": _ROW,
    "link": {"child": _is_text, "parent": _is_text},
    "file": {
        "session": _is_text,
        "name": _is_file_name,
        "mode": _is_mode,
        "mtime_ns": _is_integer,
        "content": _is_content,
    },
}
_SESSION: Final[dict[str, Check]] = {
    "id": _is_text,
    "title": lambda value: value is None or isinstance(value, str),
    "messages": lambda value: _is_integer(value) and value >= 0,
    "started_at": _is_value,
}
_FLAGS: Final = frozenset({"lost_parent", "hidden_by_parent", "shared_title"})
