"""Small stores in every layout of the search index, made from rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

TABLES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (23);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, parent_session_id TEXT, title TEXT,
    started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, model_config TEXT, archived INTEGER DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT, tool_name TEXT, tool_calls TEXT, timestamp REAL NOT NULL,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
"""

ONE_COLUMN = """
CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
END;
"""

INLINE = """
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id,
        COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''));
END;
"""

EXTERNAL = """
CREATE VIRTUAL TABLE messages_fts USING fts5(
    content, tool_name, tool_calls, content='messages', content_rowid='id');
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages
WHEN (new.id > COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_high_water'), -1)
   OR new.id <= COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_progress'), -1))
BEGIN
    INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
    VALUES (new.id, new.content, new.tool_name, new.tool_calls);
END;
"""

SAID = (
    "COALESCE(new.content, '') || ' ' || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, '')"
)

TRIGRAMS = {
    "one column": """
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
    content, content=messages, content_rowid=id, tokenize='trigram');
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, new.content);
END;
""",
    "inline": f"""
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tokenize='trigram');
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (new.id, {SAID});
END;
""",
    "external": """
CREATE VIEW messages_fts_trigram_src AS
    SELECT id, role, content, tool_name, tool_calls FROM messages WHERE role <> 'tool';
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tool_name, tool_calls,
    content='messages_fts_trigram_src', content_rowid='id', tokenize='trigram');
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
    AND (new.id > COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_high_water'), -1)
    OR new.id <= COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = 'fts_rebuild_progress'), -1))
BEGIN
    INSERT INTO messages_fts_trigram(rowid, content, tool_name, tool_calls)
    VALUES (new.id, new.content, new.tool_name, new.tool_calls);
END;
""",
    "without tool calls": """
CREATE VIEW messages_fts_trigram_src AS
    SELECT m.id, m.role, m.content, m.tool_name FROM messages m JOIN sessions s ON s.id = m.session_id
    WHERE m.role <> 'tool' AND s.source NOT IN ('cron', 'subagent');
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tool_name,
    content='messages_fts_trigram_src', content_rowid='id', tokenize='trigram');
CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages WHEN new.role <> 'tool'
    AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = new.session_id AND s.source NOT IN ('cron', 'subagent'))
BEGIN
    INSERT INTO messages_fts_trigram(rowid, content, tool_name) VALUES (new.id, new.content, new.tool_name);
END;
""",
}
"""The index of trigrams of version 10, 11, 23 and 29."""

CUT = """
CREATE VIEW messages_fts_src AS SELECT id, CASE WHEN role = 'tool' THEN substr(COALESCE(content, ''), 1, 8192)
    ELSE content END AS content, tool_name, tool_calls FROM messages;
CREATE VIRTUAL TABLE messages_fts USING fts5(
    content, tool_name, tool_calls, content='messages_fts_src', content_rowid='id');
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
    SELECT id, content, tool_name, tool_calls FROM messages_fts_src WHERE id = new.id;
END;
"""
"""What a tool said is indexed up to a length (version 30)."""

REBUILDING = "INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '6'), ('fts_rebuild_progress', '3');"

INDEXES = {
    "one column": ONE_COLUMN,
    "inline": INLINE,
    "external": EXTERNAL,
    "rebuilding": EXTERNAL + REBUILDING,
    "none": "",
    "stale": EXTERNAL + "DROP TRIGGER messages_fts_insert;",
    "marked stale": EXTERNAL + "INSERT INTO state_meta VALUES ('fts_stale', '1');",
    "damaged": INLINE,
    "v10": ONE_COLUMN + TRIGRAMS["one column"],
    "v11": INLINE + TRIGRAMS["inline"],
    "v23": EXTERNAL + TRIGRAMS["external"],
    "v23 rebuilding": EXTERNAL + TRIGRAMS["external"] + REBUILDING,
    "v29": EXTERNAL + TRIGRAMS["without tool calls"],
    "v30": CUT + TRIGRAMS["without tool calls"],
    "trigrams stale": EXTERNAL
    + TRIGRAMS["external"]
    + "INSERT INTO state_meta VALUES ('fts_trigram_stale', '1');",
    "damaged trigrams": INLINE + TRIGRAMS["inline"],
}
"""What to run before the rows are written, by layout."""


class Row(NamedTuple):
    """A message; its id is its place in the list, its time as many seconds after START."""

    session_id: str
    content: object
    role: str = "user"
    tool_name: str | None = None
    tool_calls: str | None = None
    active: int = 1
    compacted: int = 0
    display_kind: str | None = None


START = 1_780_000_000


def write(path: Path, layout: str, messages: Sequence[Row], sessions: Iterable[dict[str, Any]] = ()) -> Path:
    """A store with these messages; sessions that are not given are untitled ones of source cli."""
    given = {session["id"]: session for session in sessions}
    ids = dict.fromkeys((*given, *(row.session_id for row in messages)))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript("PRAGMA synchronous = OFF; BEGIN;" + TABLES + INDEXES[layout])
        for id_ in ids:
            session = {"id": id_, "source": "cli", "started_at": START, **given.get(id_, {})}
            names, values = ", ".join(session), ", ".join("?" * len(session))
            db.execute(f"INSERT INTO sessions({names}) VALUES ({values})", tuple(session.values()))
        for id_, row in enumerate(messages, start=1):
            db.execute(
                "INSERT INTO messages(id, session_id, content, role, tool_name, tool_calls, active, compacted,"
                " display_kind, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (id_, *row, START + id_),
            )
        if layout == "damaged":
            db.execute("DELETE FROM messages_fts_data WHERE id > 10")
        if layout == "damaged trigrams":
            db.execute("DELETE FROM messages_fts_trigram_data WHERE id > 10")
        db.execute("COMMIT")
    return path
