"""Handing a live session over to a messaging platform, through three columns of the store (seed 004).

The command line requests and waits; a gateway claims, then says how it went. Each step is one statement that looks
and changes at once, so of several processes exactly one succeeds.
"""

from __future__ import annotations

from typing import Any

from storage.conversation.stored import sound, text
from storage.engine.store import Store
from storage.engine.within import Within

_PENDING, _RUNNING, _COMPLETED, _FAILED = "pending", "running", "completed", "failed"

_REASON = 500
"""Characters of a reason that are kept."""


def request_handoff(store: Store, session_id: str, platform: str) -> bool:
    """Ask that a gateway takes the session over to this platform.

    Returns:
        False while an earlier request is pending or being worked on, and for an unknown session. After one that
        completed or failed it may be asked for again.

    Raises:
        VersionTooOld: The store is from before version 11.
    """
    return _change(
        store,
        session_id,
        f"COALESCE(handoff_state, '') NOT IN ('{_PENDING}', '{_RUNNING}')",
        handoff_state=_PENDING,
        handoff_platform=text(platform, "platform"),
        handoff_error=None,
    )


def claim_handoff(store: Store, session_id: str) -> bool:
    """Take a pending request: of all who try, one is told True."""
    return _change(store, session_id, f"handoff_state = '{_PENDING}'", handoff_state=_RUNNING)


def complete_handoff(store: Store, session_id: str) -> bool:
    """Say that a claimed hand-over is done; False if nobody has claimed one, or it was given up meanwhile."""
    return _change(
        store,
        session_id,
        f"handoff_state = '{_RUNNING}'",
        handoff_state=_COMPLETED,
        handoff_error=None,
    )


def fail_handoff(store: Store, session_id: str, error: str) -> bool:
    """Give a hand-over up, claimed or not, and say why (500 characters); False if none is under way."""
    return _change(
        store,
        session_id,
        f"handoff_state IN ('{_PENDING}', '{_RUNNING}')",
        handoff_state=_FAILED,
        handoff_error=sound(str(error))[:_REASON],
    )


def get_handoff_state(store: Store, session_id: str) -> dict[str, Any] | None:
    """How the session's last hand-over stands.

    Returns:
        `state` ("pending", "running", "completed", "failed"; None where none was requested), `platform` and `error`;
        None for an unknown session.
    """
    reader = store.reading()
    names = ("state", "platform", "error")
    columns = ", ".join(f"{reader.layout.column('sessions', f'handoff_{name}')} AS {name}" for name in names)
    found = reader.dicts(f"SELECT {columns} FROM sessions WHERE id = ?", (session_id,))
    return found[0] if found else None


def list_pending_handoffs(store: Store) -> list[dict[str, Any]]:
    """The sessions whose hand-over nobody has claimed, all columns each, the one that started first in front."""
    reader = store.reading()
    if not reader.layout.has("sessions", "handoff_state"):
        return []
    return reader.dicts("SELECT * FROM sessions WHERE handoff_state = ? ORDER BY started_at, id", (_PENDING,))


def _change(store: Store, session_id: str, condition: str, **values: str | None) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in values)

    def work(within: Within) -> bool:
        for name in values:
            within.require("sessions", name)
        sql = f"UPDATE sessions SET {assignments} WHERE id = ? AND {condition}"
        return within.change(sql, (*values.values(), session_id)) > 0

    return store.write(work)
