"""Tables as no Hermes makes them, and a small store that has one."""

from __future__ import annotations

from pathlib import Path

from storage.readings import Transcript
from tests.support.behind import script
from tests.support.layouts import Row, write

TALK = [Row("a", "one"), Row("a", "two", "assistant"), Row("b", "three")]

ROWLESS = """
CREATE TABLE s2(id TEXT PRIMARY KEY, source TEXT, title TEXT, started_at REAL) WITHOUT ROWID;
INSERT INTO s2 SELECT id, source, title, started_at FROM sessions;
DROP TABLE sessions; ALTER TABLE s2 RENAME TO sessions;
"""
A_VIEW = "ALTER TABLE sessions RENAME TO s0; CREATE VIEW sessions AS SELECT * FROM s0;"
MESSAGES_A_VIEW = "ALTER TABLE messages RENAME TO m0; CREATE VIEW messages AS SELECT * FROM m0;"


def with_columns(table: str, *columns: str) -> str:
    """SQL that leaves a table only these of its columns, and none of its constraints."""
    return (
        f"CREATE TABLE made AS SELECT {', '.join(columns)} FROM {table};"
        f"DROP TABLE {table}; ALTER TABLE made RENAME TO {table};"
    )


NO_SESSION_ID = with_columns("messages", "id", "role", "content")
NO_MESSAGE_ID = with_columns("messages", "session_id", "role", "content", "timestamp")
NO_KEY = with_columns("state_meta", "value")

ALL = {
    "sessions WITHOUT ROWID": (ROWLESS, "sessions is a table WITHOUT ROWID", True),
    "sessions a view": (A_VIEW, "sessions is a view", True),
    "messages a view": (MESSAGES_A_VIEW, "messages is a view", True),
    "messages without session_id": (NO_SESSION_ID, "messages is without a column session_id", False),
    "messages without id": (NO_MESSAGE_ID, "messages is without a column id", False),
    "state_meta without key": (NO_KEY, "state_meta is without a column key", False),
}
"""What makes the table odd, what is said of it, and whether its rows are read all the same."""


def odd(path: Path, *sql: str) -> Path:
    """A store of `TALK` after these statements."""
    write(path, "none", TALK)
    return script(path, *sql)


def said(found: Transcript) -> list[tuple[int, str, str]]:
    """Ids, sessions and texts of a transcript's messages."""
    return [(message.id, message.session_id, message.text) for message in found.messages]
