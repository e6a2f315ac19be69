"""What a deletion would do, for whoever has to confirm it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from storage.conversation import relatives
from storage.conversation.deleting import children, going
from storage.conversation.family import Kin, chains, edge, readable
from storage.engine.store import Store
from storage.engine.within import Reading
from storage.keeping.trash_reach import quoted
from storage.keeping.trash_records import DeletePreview
from storage.records import Edge

_RUNNING_SECONDS = 600
_CLOCK_SKEW = 60
"""Seconds that the clock of whoever wrote may be ahead of ours."""


def preview_delete(
    store: Store, conversations: Sequence[Sequence[str]], *, with_subagents: bool = True
) -> DeletePreview:
    """What `trash_sessions` would do with the same arguments; reading only."""
    reader = store.reading()
    named = list(dict.fromkeys(id_ for one in conversations for id_ in one))
    all_that_go = going(reader, named, with_subagents=with_subagents)
    leaving = set(all_that_go)
    kin = relatives.around(reader, all_that_go)
    parts = [id_ for id_ in named if id_ in leaving]
    last = [
        max(times)
        for one in conversations
        if (times := [kin[id_].last_active or 0.0 for id_ in one if id_ in kin])
    ]
    readable = [time for time in last if time]
    messages, size = _weight(reader, all_that_go)
    others = _continuations(kin, parts, leaving)
    return DeletePreview(
        conversations=len(last),
        sessions=tuple(all_that_go),
        parts=len(parts),
        subagents=len(all_that_go) - len(parts),
        messages=messages,
        size=size,
        oldest=min(readable, default=None),
        newest=max(readable, default=None),
        running=tuple(_running(reader, all_that_go, kin, store.clock())),
        branches=_branches(reader, leaving),
        continuations=len(others),
        missing=tuple(id_ for id_ in named if id_ not in leaving),
        later=sum(kin[id_].parent in leaving for id_ in others),
    )


def count_subagents(store: Store, session_ids: Sequence[str]) -> int:
    """How many other sessions worked for these, and for those: what `with_subagents` would take along."""
    reader = store.reading()
    named, all_that_go = (going(reader, session_ids, with_subagents=also) for also in (False, True))
    return len(all_that_go) - len(named)


def _weight(reader: Reading, session_ids: Sequence[str]) -> tuple[int, int]:
    """How many messages the sessions have, and how many bytes is in them."""
    if "messages" not in reader.layout.columns:
        return 0, 0
    columns = sorted(reader.layout.columns["messages"])
    # A BLOB's length is its bytes, where a text's is its characters up to the first NUL.
    size = " + ".join(f"COALESCE(length(CAST({quoted(name)} AS BLOB)), 0)" for name in columns)
    row = reader.one(
        f"SELECT count(*), COALESCE(sum({size}), 0) FROM messages"
        " WHERE session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(session_ids)),),
    )
    return (row[0], row[1]) if row else (0, 0)


def _running(reader: Reading, session_ids: Sequence[str], kin: Mapping[str, Kin], now: float) -> list[str]:
    """Those that have not ended and had a message in the last ten minutes."""
    if not reader.layout.has("messages", "timestamp"):
        return []
    newest: dict[str, object] = dict(
        reader.rows(
            "SELECT session_id, max(timestamp) FROM messages"
            " WHERE session_id IN (SELECT value FROM json_each(?)) GROUP BY session_id",
            (json.dumps([id_ for id_ in session_ids if id_ in kin and not kin[id_].ended]),),
        )
    )
    return [
        id_
        for id_ in session_ids
        if (time := readable(newest.get(id_))) and -_CLOCK_SKEW <= now - time <= _RUNNING_SECONDS
    ]


def _branches(reader: Reading, leaving: Collection[str]) -> int:
    kin = children(reader, leaving)
    return sum(
        one.parent in leaving
        and one.id not in leaving
        and edge(one, kin.get(one.parent or "")) in (Edge.BRANCH, Edge.RESET)
        for one in kin.values()
    )


def _continuations(kin: Mapping[str, Kin], parts: Collection[str], leaving: Collection[str]) -> list[str]:
    """Parts of the same chains that stay."""
    named = set(parts)
    touched = (chain.parts for chain in chains(kin) if named & set(chain.parts))
    return [id_ for parts in touched for id_ in parts if id_ not in leaving]
