"""Where a conversation goes on, and what is done to a conversation as one (spec 4.8, 4.9)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Literal

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
    return bool(flag_conversation(store, session_id, "archived", archived))


def set_session_pinned(store: Store, session_id: str, pinned: bool) -> bool:
    """Pin a conversation to the top of the lists, or let it go: every part of it, as `set_session_archived`."""
    return bool(flag_conversation(store, session_id, "pinned", pinned))


def flag_conversation(
    store: Store,
    session_id: str,
    column: Literal["archived", "pinned"],
    value: bool,
    but: Mapping[str, int | None] | None = None,
) -> dict[str, int | None]:
    """Archive or pin every part of a conversation, or take it back.

    Args:
        but: Parts that get a value of their own: what an earlier call returned, to undo it exactly.

    Returns:
        What each part had before; empty where there is no such session.
    """

    def work(within: Within) -> dict[str, int | None]:
        within.require("sessions", column)
        parts = json.dumps(parts_of(within, session_id))
        of_parts = "id IN (SELECT value FROM json_each(?))"
        rows = within.rows(f"SELECT id, {column} FROM sessions WHERE {of_parts}", (parts,))
        before: dict[str, int | None] = dict(rows)
        within.change(f"UPDATE sessions SET {column} = ? WHERE {of_parts}", (int(value), parts))
        for part, own in (but or {}).items():
            within.change(f"UPDATE sessions SET {column} = ? WHERE id = ? AND {of_parts}", (own, part, parts))
        return before

    return store.write(work)


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


def _latest_child(reader: Reading, session_id: str) -> str | None:
    config, source = (reader.layout.column("sessions", name) for name in ("model_config", "source"))
    children = reader.rows(
        f"SELECT id, {config} FROM sessions WHERE parent_session_id = ? AND {source} IS NOT 'tool'"
        " ORDER BY started_at DESC, id DESC",
        (session_id,),
    )
    return next((id_ for id_, mc in children if not markers(mc) & _NO_CONTINUATION), None)
