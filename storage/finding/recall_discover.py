"""The first shape of `session_search`: sessions by their best message, each with its beginning and its end."""

from __future__ import annotations

from storage.conversation.reading import TALK, get_anchored_view, get_messages
from storage.conversation.roots import root_of
from storage.conversation.titles import resolve_session_by_title
from storage.engine.store import Store
from storage.finding.recall_hits import best_of_each_lineage
from storage.finding.recall_shape import Answer, about, message, when

HIDDEN = ("subagent", "tool")
"""Sources that are nobody's own talk."""


def discover(
    store: Store, query: str, role_filter: str | None, limit: int, sort: str | None, current: str | None
) -> Answer:
    """The sessions in which the query is found, one of each lineage; see `session_search`."""
    reader = store.reading()
    own = {root_of(reader, current)} if current else set()
    by_title = _titled(store, query, own)
    taken = {by_title[0]} if by_title else set()
    roles = [role for part in str(role_filter or "").split(",") if (role := part.strip())]
    hits = best_of_each_lineage(
        store.searcher,
        query,
        roles=roles or TALK,
        without=HIDDEN,
        sort=str(sort or "").strip().lower(),
        limit=limit - len(taken),
        skip=own | taken,
    )
    results = [by_title[1]] if by_title else []
    for root, hit in hits.items():
        facts = about(reader, root)
        entry = {
            "session_id": hit["session_id"],
            "when": when(facts.get("started_at") or hit["session_started"]),
            "source": facts.get("source") or hit["source"] or "unknown",
            "model": facts.get("model") or hit["model"] or "unknown",
            "title": facts.get("title") or None,
            "matched_role": hit["role"],
            "match_message_id": hit["id"],
            "snippet": hit["snippet"] or "",
        }
        results.append(_with_view(store, entry, root))
    found = {"success": True, "mode": "discover", "query": query, "results": results, "count": len(results)}
    if not results:
        return {**found, "message": "No matching sessions found."}
    return {**found, "sessions_searched": len(results)}


def _titled(store: Store, query: str, own: set[str]) -> tuple[str, Answer] | None:
    """The session with this title, as a result, and the root of its lineage."""
    reader, title = store.reading(), query.strip("`'\"").strip()
    session_id = resolve_session_by_title(store, title) if title else None
    if session_id is None or (root := root_of(reader, session_id)) in own:
        return None
    facts = about(reader, root)
    if facts.get("source") in HIDDEN:
        return None
    first = get_messages(store, session_id, limit=1)
    named = facts.get("title") or title
    entry = {
        "session_id": session_id,
        "when": when(facts.get("started_at")),
        "source": facts.get("source") or "unknown",
        "model": facts.get("model") or "unknown",
        "title": named,
        "matched_role": "session_title",
        "match_message_id": first[0]["id"] if first else None,
        "snippet": f"Session title matched: {named}",
    }
    return root, _with_view(store, entry, root)


def _with_view(store: Store, entry: Answer, root: str) -> Answer:
    """The result with what stands around its message, and how its session began and ended."""
    session_id, anchor = entry["session_id"], entry["match_message_id"]
    view: Answer = {"window": [], "bookend_start": [], "bookend_end": []}
    if anchor is not None:
        view = get_anchored_view(store, session_id, anchor)
    entry["bookend_start"] = [message(row) for row in view["bookend_start"]]
    entry["messages"] = [message(row, anchor) for row in view["window"]]
    entry["bookend_end"] = [message(row) for row in view["bookend_end"]]
    entry["messages_before"] = view.get("messages_before", 0)
    entry["messages_after"] = view.get("messages_after", 0)
    if root != session_id:
        entry["parent_session_id"] = root
    return entry
