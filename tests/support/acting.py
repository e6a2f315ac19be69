"""A small store to act on, with a family in it, and what a test asks of it behind the browser's back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from textual.widgets import Static

from hermes_tui.app import BrowserApp
from tests.support.browsing import browser

FAMILY = """
INSERT INTO sessions(id, source, title, parent_session_id, started_at, ended_at, end_reason, model_config) VALUES
 ('a', 'cli', 'alpha', NULL, 1780000500, 1780000501, 'user_exit', NULL),
 ('b1', 'cli', 'beta', NULL, 1780000400, 1780000410, 'compression', NULL),
 ('b2', 'cli', 'beta #2', 'b1', 1780000411, 1780000412, 'user_exit', NULL),
 ('sub', 'subagent', NULL, 'b2', 1780000411.5, 1780000411.6, 'completed', '{"_delegate_from": "b2"}'),
 ('branch', 'cli', 'beta branch', 'b1', 1780000405, 1780000406, 'user_exit', '{"_branched_from": "b1"}'),
 ('c', 'telegram', 'gamma', NULL, 1780000300, 1780000301, 'user_exit', NULL),
 ('d', 'cli', 'delta', NULL, 1780000200, 1780000201, 'user_exit', NULL);
INSERT INTO messages(session_id, role, content, timestamp)
 SELECT id, 'user', 'word ' || id, started_at FROM sessions;
INSERT INTO messages(session_id, role, content, timestamp, finish_reason)
 SELECT id, 'assistant', 'answer ' || id, started_at + 0.1, 'stop' FROM sessions;
"""
"""Conversations a, b2 (parts b1 and b2, a subagent below b2), branch, c, d: as the list orders them."""

FLAGS = """
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
"""
"""What a store of version 11 lacks for archiving and pinning."""

ORDER = ["a", "b2", "branch", "c", "d"]
EVERYTHING = ["a", "b1", "b2", "branch", "c", "d", "sub"]
"""Every session, as `ids` names them."""


def rows(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Ask the store itself."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return connection.execute(sql, values).fetchall()


def ids(path: Path, condition: str = "1") -> list[str]:
    """Sessions in the store, in the order of their ids."""
    return [row[0] for row in rows(path, f"SELECT id FROM sessions WHERE {condition} ORDER BY id")]


def content(path: Path) -> list[tuple[Any, ...]]:
    """Every session and every message; what stands in the index's own tables is left out."""
    return rows(path, "SELECT * FROM sessions ORDER BY id") + rows(path, "SELECT * FROM messages ORDER BY id")


def marked(app: BrowserApp) -> list[str]:
    """The marked conversations, in the order they were marked."""
    return [entry.id for entry in browser(app).acting.marking.entries]


def dialog_text(app: BrowserApp) -> str:
    """What the dialog on top says, its frame and its choices left out; nothing is cut or wrapped."""
    return "\n".join(str(static.content) for static in app.screen.query(Static) if static.display)
