"""Sessions put into a store under test, and read off it."""

from __future__ import annotations

from typing import Any

from storage import SessionDB


def row(db: SessionDB, session: str) -> dict[str, Any]:
    found = db.get_session(session)
    assert found is not None
    return found


def add(db: SessionDB, session: str, parent: str | None = None, **columns: Any) -> None:
    """A session with a message, its columns as given."""
    db.create_session(session, str(columns.pop("source", "cli")), parent_session_id=parent)
    for name, value in columns.items():
        put(db, session, name, value)
    db.append_message(session, "user", f"word{session}")


def put(db: SessionDB, session: str, name: str, value: Any) -> None:
    """Set one column of a session."""
    db.write(lambda within: within.change(f"UPDATE sessions SET {name} = ? WHERE id = ?", (value, session)))
