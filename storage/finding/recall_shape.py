"""How sessions and messages are told to a model: few keys, and nothing that JSON cannot hold."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from storage.engine.within import Reading

Answer = dict[str, Any]
"""What JSON can hold as it is."""

_OPTIONAL = ("tool_name", "tool_calls", "tool_call_id")
_META = ("started_at", "source", "model", "title")


def failed(why: str) -> Answer:
    """The answer to what cannot be done."""
    return {"error": why, "success": False}


def message(row: dict[str, Any], anchor: int | None = None) -> dict[str, Any]:
    """A message; of what is missing only its content is told."""
    told = {name: row.get(name) for name in ("id", "role", "content", "timestamp")}
    told |= {name: row[name] for name in _OPTIONAL if row.get(name)}
    if anchor is not None and row["id"] == anchor:
        told["anchor"] = True
    told = plain(told)
    return {name: value for name, value in told.items() if value is not None or name == "content"}


def about(reader: Reading, session_id: str) -> dict[str, Any]:
    """Start, source, model and title of a session as they are stored; empty for an unknown id."""
    columns = ", ".join(f"{reader.layout.column('sessions', name)} AS {name}" for name in _META)
    found = reader.dicts(f"SELECT {columns} FROM sessions WHERE id = ?", (session_id,))
    return plain(found[0]) if found else {}


def session_meta(facts: dict[str, Any]) -> dict[str, Any]:
    """What is said about the session that messages are from."""
    return {"when": when(facts.get("started_at")), **{name: facts.get(name) for name in _META[1:]}}


def when(moment: object) -> str:
    """A Unix time in words, by the local clock: "March 05, 2026 at 09:15 AM"; what is no time as it is."""
    if moment is None:
        return "unknown"
    if isinstance(moment, int | float):
        try:
            return datetime.fromtimestamp(moment).strftime("%B %d, %Y at %I:%M %p")
        except (ValueError, OSError, OverflowError):
            pass
    return str(moment)


def plain(facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts as JSON can hold them: bytes as text; what is no number, or nested too deeply, as None."""
    return {name: _plain(value) for name, value in facts.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    try:
        return json.loads(json.dumps(value, default=_as_text), parse_constant=lambda _: None)
    except RecursionError:
        return None


def _as_text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
