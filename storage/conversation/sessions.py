"""A session's life but its end: made, ended, opened again, looked up (spec 4.1)."""

from __future__ import annotations

from typing import Any

from storage.conversation.stored import json_text, text
from storage.engine.store import Store
from storage.engine.within import Within
from storage.errors import RowRefused, UnknownSession

_UNKNOWN = "unknown"
"""The source of a session that somebody wrote to before it was made."""

_ORPHAN_AGE = 7 * 86400
"""Seconds after which a continuation that never called a model is taken for abandoned."""


def create_session(
    store: Store,
    session_id: str,
    source: str,
    model: str | None = None,
    model_config: dict[str, Any] | None = None,
    system_prompt: str | None = None,
    user_id: str | None = None,
    parent_session_id: str | None = None,
    *,
    session_key: str | None = None,
    chat_id: str | None = None,
    chat_type: str | None = None,
    thread_id: str | None = None,
    cwd: str | None = None,
    profile_name: str | None = None,
) -> str:
    """Make a session, started now. Where the id is taken, only what is still NULL there is filled.

    Args:
        source: Where it was begun: "cli", "telegram", …; an existing session keeps its own, and its `user_id`.
        parent_session_id: What it continues, branches from or works for.

    Returns:
        `session_id`.

    Raises:
        RowRefused: The parent does not exist, or what was given cannot be stored.
    """
    fillable = {
        "model": model,
        "model_config": json_text(model_config, "model_config"),
        "system_prompt": system_prompt,
        "session_key": session_key,
        "chat_id": chat_id,
        "chat_type": chat_type,
        "thread_id": thread_id,
        "parent_session_id": parent_session_id,
        "cwd": cwd,
        "profile_name": profile_name,
    }
    given = {name: text(value, name) for name, value in fillable.items() if value is not None}
    new = {"id": session_id, "source": source, "user_id": user_id}
    for name in ("id", "source"):
        if not new[name]:
            raise RowRefused(f"a session needs its {name}")
    if "\0" in str(session_id):
        raise RowRefused("an id holds no NUL")
    new = {name: None if value is None else text(value, name) for name, value in new.items()}
    now = store.clock()

    def work(within: Within) -> None:
        for name in given:
            within.require("sessions", name)
        _require_parent(within, parent_session_id)
        if within.one("SELECT 1 FROM sessions WHERE id = ?", (session_id,)) is None:
            within.insert("sessions", {**new, "started_at": now, **given})
        elif given:
            filled = ", ".join(f"{name} = COALESCE({name}, ?)" for name in given)
            within.change(f"UPDATE sessions SET {filled} WHERE id = ?", (*given.values(), session_id))

    store.write(work)
    return session_id


def ensure_session(
    store: Store, session_id: str, source: str = _UNKNOWN, model: str | None = None, **given: Any
) -> str:
    """As `create_session`, for whoever only knows that there should be one."""
    return create_session(store, session_id, source, model, **given)


def ensured(within: Within, session_id: str, now: float) -> None:
    """Make the session inside a transaction if it is not there."""
    within.change(
        "INSERT INTO sessions(id, source, started_at) SELECT ?1, ?2, ?3"
        " WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)",
        (session_id, _UNKNOWN, now),
    )


def require(within: Within, session_id: str) -> None:
    """Refuse to go on without the session.

    Raises:
        UnknownSession
    """
    if within.one("SELECT 1 FROM sessions WHERE id = ?", (session_id,)) is None:
        raise UnknownSession(session_id)


def end_session(store: Store, session_id: str, end_reason: str) -> None:
    """End a session now. The first end stays; without such a session nothing happens."""
    now = store.clock()
    store.write(
        lambda within: within.change(
            "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL",
            (now, end_reason, session_id),
        )
    )


def reopen_session(store: Store, session_id: str) -> None:
    """Take the end of a session back, so that it can go on."""
    store.write(
        lambda within: within.change(
            "UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", (session_id,)
        )
    )


def get_session(store: Store, session_id: str) -> dict[str, Any] | None:
    """All columns of a session as they are stored (`model_config` is JSON text); None for an unknown id."""
    found = store.reading().dicts("SELECT * FROM sessions WHERE id = ?", (session_id,))
    return found[0] if found else None


def resolve_session_id(store: Store, session_id_or_prefix: str) -> str | None:
    """The session with this id, else the only one whose id begins so; None if there is none or several.

    An empty prefix is no prefix, and upper and lower case are one, as LIKE compares.
    """
    reader = store.reading()
    exact = reader.one("SELECT id FROM sessions WHERE id = ?", (session_id_or_prefix,))
    if exact:
        return str(exact[0])
    if not session_id_or_prefix:
        return None
    found = find_session_ids(store, session_id_or_prefix, limit=2)
    return found[0] if len(found) == 1 else None


def find_session_ids(store: Store, prefix: str, limit: int) -> list[str]:
    """Some ids that begin so, upper and lower case alike, in their order: at most `limit`."""
    found = store.reading().rows(
        "SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY id LIMIT ?",
        (f"{like_escaped(prefix)}%", limit),
    )
    return [str(id_) for (id_,) in found]


def finalize_orphaned_compression_sessions(store: Store) -> int:
    """End continuations that were begun more than 7 days ago, hold messages, and never called a model.

    Returns:
        How many were ended ("orphaned_compression").
    """
    now = store.clock()

    def work(within: Within) -> int:
        calls = within.layout.column("sessions", "api_call_count", "0")
        return within.change(
            f"""
            UPDATE sessions SET ended_at = ?, end_reason = 'orphaned_compression'
            WHERE ended_at IS NULL AND COALESCE({calls}, 0) = 0 AND started_at < ?
              AND parent_session_id IN (SELECT id FROM sessions WHERE end_reason = 'compression')
              AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)
            """,
            (now, now - _ORPHAN_AGE),
        )

    return store.write(work)


def like_escaped(text: str) -> str:
    """The text as a LIKE pattern (ESCAPE '\\') that means itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _require_parent(within: Within, parent: str | None) -> None:
    if parent is not None and within.one("SELECT 1 FROM sessions WHERE id = ?", (parent,)) is None:
        raise RowRefused(f"there is no session {parent!r} to be the parent")
