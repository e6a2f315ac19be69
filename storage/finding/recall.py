"""`session_search`: what was said once, for a model that remembers (seed 004, spec 4.11).

Which of its four shapes is meant shows in what is given: a session and a message scroll, a session alone is read, a
query discovers, nothing browses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from storage import locations
from storage.conversation import expressions
from storage.conversation.reading import get_messages, get_messages_around
from storage.conversation.roots import root_of
from storage.conversation.sessions import get_session
from storage.conversation.stored import sound
from storage.engine.store import Store
from storage.errors import StoreError
from storage.finding.recall_discover import HIDDEN, discover
from storage.finding.recall_shape import Answer, about, failed, message, plain, session_meta
from storage.finding.rich_list import list_sessions_rich

_HEAD, _TAIL = 20, 10
"""Messages that are told of the beginning and of the end of a long session."""

_INT64 = range(-(2**63), 2**63)


def session_search(
    query: str = "",
    role_filter: str | None = None,
    limit: int = 3,
    db: Store | None = None,
    current_session_id: str | None = None,
    session_id: str | None = None,
    around_message_id: int | None = None,
    window: int = 5,
    sort: str | None = None,
    profile: str | None = None,
) -> Answer:
    """Look for past talks, or look around in one.

    Args:
        query: Words that must all match, `"a phrase"`, `prefix*`, AND, OR and NOT.
        role_filter: Roles to look in, with commas between; without it user and assistant.
        limit: Sessions to return, 1 to 10.
        db: The store; without one, the store that `hermes` would use is opened for this call, read-only.
        current_session_id: The session that is asking: its own lineage is known to it and left out.
        session_id: The session to scroll in or to read; "profile/id" names the profile too.
        around_message_id: The message to scroll to.
        window: Messages on each side of it, 1 to 20.
        sort: "newest" or "oldest"; anything else by relevance.
        profile: Look into the store of this profile.

    Returns:
        What JSON can hold: `success`, and `error` where that is False; else `mode` and, by mode,

        discover: `query`, `count`, `sessions_searched` and `results`, each with session_id, when, source, model,
        title, matched_role, match_message_id, snippet (matches between >>> and <<<), bookend_start, messages (the
        hit has `anchor`), bookend_end, messages_before, messages_after, and parent_session_id, the root of its
        lineage, where that is another session.

        scroll: `messages` around the one with `anchor`, messages_before, messages_after, session_meta, and a
        `warning` where the message is in another session of the same lineage.

        read: `messages`, of a long session (`truncated`) the first 20 and the last 10, message_count, session_meta.

        browse: `count` and `results`, each with session_id, title, source, started_at, last_active, message_count,
        preview.

    Raises:
        StoreError: The store cannot be opened or read.
    """

    def answer(store: Store, asked: str, current: str | None) -> Answer:
        if asked and around_message_id is not None:
            return _scroll(store, asked, around_message_id, window, current)
        if asked:
            return _read(store, asked)
        shown = _within(limit, 1, 10, otherwise=3)
        if not (isinstance(query, str) and query.strip()):
            return _browse(store, shown, current)
        return discover(store, sound(query.strip()), role_filter, shown, sort, current)

    asked = sound(session_id).strip() if isinstance(session_id, str) else ""
    named = str(profile or "").strip()
    try:
        with _opened(db, named) as store:
            # An id is free text: only what is none may be a profile and an id.
            before, slash, rest = asked.partition("/")
            if not (slash and rest) or get_session(store, asked):
                return answer(store, asked, None if named else current_session_id)
        named = named or before
        with _opened(db, named) as store:
            return answer(store, rest, None if named else current_session_id)
    except _NoProfile as error:
        return failed(str(error))


class _NoProfile(StoreError):
    """The store of the profile that was asked for cannot be opened."""


@contextmanager
def _opened(db: Store | None, profile: str) -> Iterator[Store]:
    if db is not None and not profile:
        yield db
        return
    try:
        path = locations.profile_store(profile) if profile else locations.default_store()
        store = Store(path, read_only=True)
    except StoreError as error:
        if not profile:
            raise
        raise _NoProfile(f"profile '{profile}': {error}") from error
    try:
        yield store
    finally:
        store.close()


def _scroll(store: Store, session_id: str, around: object, window: object, current: str | None) -> Answer:
    anchor, reader = _integer(around), store.reading()
    if anchor is None:
        return failed("scroll requires integer around_message_id")
    if current and root_of(reader, session_id) == root_of(reader, current):
        return failed(
            "scroll rejected: anchor lives in the current session lineage (already in your active context)"
        )
    if not get_session(store, session_id):
        return failed(f"session_id not found: {session_id}")
    size = _within(window, 1, 20, otherwise=5)
    asked, warning = session_id, {}
    view = get_messages_around(store, session_id, anchor, size)
    if not view["window"]:
        holder = reader.one("SELECT session_id FROM messages WHERE id = ?", (anchor,))
        if holder and root_of(reader, holder[0]) == root_of(reader, session_id):
            session_id = holder[0]
            view = get_messages_around(store, session_id, anchor, size)
            said = (
                f"around_message_id {anchor} lives in {session_id} (child of {asked}); rebound transparently"
            )
            warning = {"warning": said}
    if not view["window"]:
        return failed(f"around_message_id {anchor} not in session_id {session_id}")
    return {
        "success": True,
        "mode": "scroll",
        "session_id": session_id,
        "around_message_id": anchor,
        "session_meta": session_meta(about(reader, session_id)),
        "window": size,
        "messages": [message(row, anchor) for row in view["window"]],
        "messages_before": view["messages_before"],
        "messages_after": view["messages_after"],
        **warning,
    }


def _read(store: Store, session_id: str) -> Answer:
    reader = store.reading()
    facts = about(reader, session_id)
    if not facts:
        return failed(f"session_id not found: {session_id}")
    live = f"m.session_id = ? AND {expressions.live(reader.layout)}"
    total = int(reader.rows(f"SELECT count(*) FROM messages m WHERE {live}", (session_id,))[0][0])
    truncated = total > _HEAD + _TAIL
    rows = get_messages(store, session_id, limit=_HEAD if truncated else None)
    if truncated:
        rows += get_messages(store, session_id, limit=_TAIL, offset=total - _TAIL)
    answer = {
        "success": True,
        "mode": "read",
        "session_id": session_id,
        "session_meta": session_meta(facts),
        "message_count": total,
        "truncated": truncated,
        "messages": [message(row) for row in rows],
    }
    if truncated:
        answer["message"] = (
            f"Session has {total} messages; showing first {_HEAD} + last {_TAIL}."
            " Pass around_message_id (any id above) to scroll the middle."
        )
    return answer


def _browse(store: Store, limit: int, current: str | None) -> Answer:
    own = (root_of(store.reading(), current), current) if current else ()
    # Some more, for those that are left out.
    rows = list_sessions_rich(store, limit=limit + 5, exclude_sources=HIDDEN, order_by_last_active=True)
    results = [
        {
            "session_id": row["id"],
            "title": row.get("title") or None,
            "source": row["source"],
            "started_at": row["started_at"],
            "last_active": row["last_active"],
            "message_count": row.get("message_count") or 0,
            "preview": row["preview"],
        }
        for row in rows
        if row["id"] not in own and not row.get("parent_session_id")
    ][:limit]
    return {
        "success": True,
        "mode": "browse",
        "results": [plain(row) for row in results],
        "count": len(results),
        "message": f"Showing {len(results)} most recent sessions."
        " Pass a query= to search, or session_id+around_message_id to scroll.",
    }


def _integer(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number in _INT64 else None


def _within(value: object, least: int, most: int, *, otherwise: int) -> int:
    number = _integer(value)
    return otherwise if number is None else max(least, min(number, most))
