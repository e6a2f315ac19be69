"""SQL for facts about a session, whatever the store lacks or holds, as values that fit into a row of JSON."""

from __future__ import annotations

from storage.engine.layout import Layout

_TIME_BOUNDS = "BETWEEN 1 AND 32503680000"
"""Text and infinity sort above every number: the bounds keep them out, and keep the index seek."""


def number(sql: str) -> str:
    """The value if it is a finite number of a sane size, else NULL: JSON knows no infinity.

    Text and blobs sort above every number; the plus keeps the column's type from turning the bounds into text.
    """
    return f"CASE WHEN +{sql} BETWEEN -1e15 AND 1e15 THEN {sql} END"


def text(sql: str) -> str:
    """The value as text: JSON takes no blobs."""
    return f"CAST({sql} AS TEXT)"


def head(sql: str, size: int) -> str:
    """The first `size` bytes of the value as text; a character may be cut at the end.

    SQLite's string functions stop at a NUL, its blob functions do not.
    """
    return f"CAST(substr(CAST({sql} AS BLOB), 1, {size}) AS TEXT)"


def newest_message(layout: Layout, session: str) -> str:
    """The time of the newest message of the session."""
    if "messages" not in layout.columns:
        return "NULL"
    time = layout.column("messages", "timestamp", "NULL", "m")
    return f"(SELECT max({time}) FROM messages m WHERE m.session_id = {session} AND {time} {_TIME_BOUNDS})"


def newest_messages(layout: Layout) -> str:
    """A query of `session_id` and `time`, its newest message, in one pass over all messages."""
    time = layout.column("messages", "timestamp", "NULL", "m")
    return f"SELECT m.session_id, max({time}) AS time FROM messages m WHERE {time} {_TIME_BOUNDS} GROUP BY m.session_id"


def visible(layout: Layout, alias: str = "m") -> str:
    """Whether a message counts: live, or archived by a compaction, but not taken back by a rewind (spec 4.3)."""
    return f"({live(layout, alias)} OR {layout.column('messages', 'compacted', '0', alias)} = 1)"


def live(layout: Layout, alias: str = "m") -> str:
    """Whether a message is active; NULL is what every release heals to 1 when it opens the store (spec 2.1)."""
    return f"{layout.column('messages', 'active', '1', alias)} IS NOT 0"


def message_count(layout: Layout, session: str) -> str:
    """The number of visible messages of the session, counted from the rows."""
    if "messages" not in layout.columns:
        return "0"
    return f"(SELECT count(*) FROM messages m WHERE m.session_id = {session} AND {visible(layout)})"


def tokens(layout: Layout, alias: str) -> str:
    """Input and output tokens of the session."""
    sent, received = (
        number(layout.column("sessions", name, "0", alias)) for name in ("input_tokens", "output_tokens")
    )
    return f"(COALESCE({sent}, 0) + COALESCE({received}, 0))"


def cost(layout: Layout, alias: str) -> str:
    """US dollars: actual where known, else estimated, else NULL."""
    actual, estimated = (
        number(layout.column("sessions", name, "NULL", alias))
        for name in ("actual_cost_usd", "estimated_cost_usd")
    )
    return f"COALESCE({actual}, {estimated})"
