"""Which sessions can be named: an id that does not survive as text cannot be asked for again."""

from __future__ import annotations

from storage.engine.layout import Execute

_REPLACED = "\ufffd"
"""What bytes that are no UTF-8 are read as."""


def text(column: str) -> str:
    """SQL: the id as text; NULL for a BLOB and for what holds a NUL, at which SQLite's JSON ends."""
    named = f"typeof({column}) <> 'blob' AND NOT instr(CAST({column} AS BLOB), x'00')"
    return f"CASE WHEN {named} THEN CAST({column} AS TEXT) END"


def is_usable(id_: str | None) -> bool:
    """Whether an id, read by `text`, names the session that it was read from."""
    return id_ is not None and _REPLACED not in id_


def unusable(execute: Execute) -> int:
    """How many sessions cannot be named."""
    # All of them as one text, for that is looked through in a few milliseconds; one by one only where there is a find.
    joined = execute(
        "SELECT group_concat(CASE WHEN typeof(id) IN ('null', 'blob') THEN char(0) ELSE id END) FROM sessions"
    )[0][0]
    if "\0" not in (joined or "") and _REPLACED not in (joined or ""):
        return 0
    return sum(not is_usable(id_) for (id_,) in execute(f"SELECT {text('id')} FROM sessions"))
