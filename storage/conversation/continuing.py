"""Where a conversation goes on, and what is done to a conversation as one (spec 4.8, 4.9)."""

from __future__ import annotations

import json
from collections.abc import Collection

from storage.conversation import relatives
from storage.conversation.family import Kin, chains, edges, links, markers, next_part
from storage.engine.store import Store
from storage.engine.within import Reading, Within
from storage.records import Edge

_DEEPEST = 32
"""Steps from child to child that resuming follows."""

_NO_CONTINUATION = frozenset({"branch", "delegate"})


def get_compression_tip(store: Store, session_id: str) -> str:
    """The session that this one went on in through compressions: the live end of its conversation.

    Of several continuations it follows the one that was itself compressed, then an open one; among equals the
    most recently active. A session that was not compressed, or that is not there, is its own tip.
    """
    return compression_tip(store.reading(), session_id)


def compression_tip(reader: Reading, session_id: str) -> str:
    """As `get_compression_tip`, for whoever reads already."""
    return compression_tips(reader, [session_id])[session_id]


def compression_tips(reader: Reading, session_ids: Collection[str]) -> dict[str, str]:
    """The `compression_tip` of each of these sessions."""
    kin = relatives.around(reader, session_ids)
    above = links(kin)
    continuations: dict[str, list[Kin]] = {}
    for id_, reason in edges(kin, above).items():
        if reason is Edge.COMPRESSED:
            continuations.setdefault(above[id_], []).append(kin[id_])
    tips = {}
    for id_ in session_ids:
        tips[id_] = id_
        while following := continuations.get(tips[id_]):
            tips[id_] = next_part(following).id
    return tips


def resolve_resume_session_id(store: Store, session_id: str) -> str:
    """The session to resume when a person asks for this one.

    From the live tip on it follows the child that started last, branches, subagents and tools left out, and
    stops at the deepest one that holds messages; at the tip where none does.
    """
    reader = store.reading()
    best = here = compression_tip(reader, session_id)
    for _ in range(_DEEPEST):
        child = _latest_child(reader, here)
        if child is None:
            break
        here = child
        if reader.one("SELECT 1 FROM messages WHERE session_id = ? LIMIT 1", (here,)):
            best = here
    return best


def set_session_archived(store: Store, session_id: str, archived: bool) -> bool:
    """Put a conversation out of the lists, or back: every part of it, whichever one is named.

    Returns:
        False if there is no such session.
    """
    return _flag(store, session_id, "archived", archived)


def set_session_pinned(store: Store, session_id: str, pinned: bool) -> bool:
    """Pin a conversation to the top of the lists, or let it go: every part of it, as `set_session_archived`."""
    return _flag(store, session_id, "pinned", pinned)


def conversation_parts(store: Store, session_id: str) -> tuple[str, ...]:
    """Every session of the conversation that this one is a part of, the main line from first to live tip, then the
    dead ends; empty for an unknown id."""
    return parts_of(store.reading(), session_id)


def parts_of(reader: Reading, session_id: str) -> tuple[str, ...]:
    """Every session of the conversation that this one is a part of, dead ends too; empty for an unknown id."""
    for chain in chains(relatives.around(reader, [session_id])):
        if session_id in chain.parts:
            return chain.parts
    return ()


def _flag(store: Store, session_id: str, column: str, value: bool) -> bool:
    def work(within: Within) -> bool:
        within.require("sessions", column)
        parts = json.dumps(parts_of(within, session_id))
        return (
            within.change(
                f"UPDATE sessions SET {column} = ? WHERE id IN (SELECT value FROM json_each(?))",
                (int(value), parts),
            )
            > 0
        )

    return store.write(work)


def _latest_child(reader: Reading, session_id: str) -> str | None:
    config, source = (reader.layout.column("sessions", name) for name in ("model_config", "source"))
    children = reader.rows(
        f"SELECT id, {config} FROM sessions WHERE parent_session_id = ? AND {source} IS NOT 'tool'"
        " ORDER BY started_at DESC, id DESC",
        (session_id,),
    )
    return next((id_ for id_, mc in children if not markers(mc) & _NO_CONTINUATION), None)
