"""Old conversations let go, by hand and on their own, and the room that they leave given back (spec 4.7)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from storage.conversation import relatives
from storage.conversation.deleting import remove, unlink_files
from storage.conversation.family import chains
from storage.engine import upkeep
from storage.engine.store import Store
from storage.engine.upkeep import Shrunk
from storage.engine.within import Within
from storage.errors import StoreError
from storage.keeping import meta
from storage.keeping.selection import Filters, Selected, cutoff_of, is_old, select
from storage.readings import PrunePreview

_BATCH = 50
"""Conversations of one transaction: other writers get in between."""

_LAST = "last_auto_prune"

_SHOWN = ("id", "source", "model", "title", "started_at", "ended_at", "message_count", "archived")


def prune_sessions(
    store: Store,
    older_than_days: float | None = 90,
    source: str | None = None,
    sessions_dir: Path | None = None,
    **filters: Any,
) -> int:
    """Delete ended conversations that were last active so many days ago, at once and for good.

    A chain goes as one, by the last activity of the whole, and stays while any part is open. Children of another kind
    stay, without a parent, as `delete_session` leaves them. Pinned conversations are spared.

    Args:
        older_than_days: None for any age.
        source: Only conversations from this source.
        sessions_dir: Where files of the sessions lie that should go too (see `delete_session`).
        **filters: Further conditions, by the names in `storage.keeping.selection.Filters`.

    Returns:
        How many sessions were deleted.

    Raises:
        BadFilter: and nothing was deleted.
    """
    now = store.clock()
    cutoff = cutoff_of(now, older_than_days)
    chosen = [one for one in _selected(store, now, older_than_days, source, filters) if not one.is_open]
    count = 0
    for batch in _batches(chosen):
        gone = store.write(partial(_pruned, batch, cutoff), touches_messages=True)
        unlink_files(sessions_dir, gone)
        count += len(gone)
    return count


def list_prune_candidates(
    store: Store,
    older_than_days: float | None = None,
    source: str | None = None,
    *,
    include_open: bool = False,
    **filters: Any,
) -> list[dict[str, Any]]:
    """The sessions that `prune_sessions` would delete with the same arguments, the oldest activity first.

    Args:
        include_open: Also those of conversations that a prune spares because a part of them is open.

    Returns:
        Dicts of id, source, model, title, started_at, ended_at, message_count, archived, and of the conversation:
        `last_active` (Unix seconds) and `conversation` (the id of its live tip).
    """
    selected = _selected(store, store.clock(), older_than_days, source, filters)
    return [
        {
            **{name: row[name] for name in _SHOWN},
            "last_active": one.last_active,
            "conversation": one.chain.tip,
        }
        for one in sorted(selected, key=lambda one: (one.last_active or 0.0, one.chain.tip))
        if include_open or not one.is_open
        for row in one.rows
    ]


def preview_prune(
    store: Store, older_than_days: float | None = 90, source: str | None = None, **filters: Any
) -> PrunePreview:
    """What `prune_sessions` would do with the same arguments, for whoever has to confirm it."""
    selected = _selected(store, store.clock(), older_than_days, source, filters)
    going = [one for one in selected if not one.is_open]
    times = [one.last_active for one in going if one.last_active is not None]
    return PrunePreview(
        session_ids=tuple(part for one in going for part in one.chain.parts),
        conversations=len(going),
        oldest=min(times, default=None),
        newest=max(times, default=None),
        open_conversations=len(selected) - len(going),
    )


def archive_sessions(
    store: Store, older_than_days: float | None = None, source: str | None = None, **filters: Any
) -> int:
    """Archive ended conversations: the arguments are those of `prune_sessions`, archived ones are left out.

    Returns:
        How many sessions were archived.
    """
    filters.setdefault("archived", False)
    selected = _selected(store, store.clock(), older_than_days, source, filters)
    ids = [part for one in selected if not one.is_open for part in one.chain.parts]

    def work(within: Within) -> int:
        within.require("sessions", "archived")
        return within.change(
            "UPDATE sessions SET archived = 1 WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(ids),),
        )

    return store.write(work) if ids else 0


def maybe_auto_prune_and_vacuum(
    store: Store,
    retention_days: float = 90,
    min_interval_hours: float = 24,
    vacuum: bool = True,
    sessions_dir: Path | None = None,
) -> dict[str, Any]:
    """Prune as `prune_sessions` does unless that was done lately, and give the room back. Never raises a StoreError.

    When it was done last stands in `state_meta`, for every process.

    Returns:
        `skipped`, `pruned` (sessions), `vacuumed`, and `error` (a sentence) where something went wrong.
    """
    done: dict[str, Any] = {"skipped": False, "pruned": 0, "vacuumed": False}
    try:
        now = store.clock()
        if _is_recent(meta.get_meta(store, _LAST), now, min_interval_hours * 3600):
            return {**done, "skipped": True}
        done["pruned"] = prune_sessions(store, retention_days, sessions_dir=sessions_dir)
        meta.set_meta(store, _LAST, now)
        if vacuum and done["pruned"]:
            vacuum_store(store)
            done["vacuumed"] = True
    except StoreError as error:
        done["error"] = str(error)
    return done


def optimize_fts(store: Store) -> int:
    """Merge every search index into one piece; returns how many there are."""
    return upkeep.optimize(store.writer())


def vacuum_store(store: Store) -> Shrunk:
    """Merge the search indexes, which drops what they still know of deleted messages, and write the file anew
    without its free pages.

    Returns:
        Its size `before` and `after`, in bytes.

    Raises:
        NotEnoughRoom: There is no room for a second copy beside the first.
    """
    optimize_fts(store)
    return upkeep.vacuum(store.writer())


def _selected(
    store: Store, now: float, older_than_days: float | None, source: str | None, filters: dict[str, Any]
) -> list[Selected]:
    return select(store.reading(), now, older_than_days, Filters.of({"source": source, **filters}))


def _batches(chosen: Sequence[Selected]) -> Iterator[Sequence[Selected]]:
    for start in range(0, len(chosen), _BATCH):
        yield chosen[start : start + _BATCH]


def _pruned(batch: Sequence[Selected], cutoff: float | None, within: Within) -> list[str]:
    """Delete what has not come to life since it was selected."""
    expected = {frozenset(one.chain.parts) for one in batch}
    kin = relatives.around(within, [part for one in batch for part in one.chain.parts])
    going = [
        part
        for chain in chains(kin)
        if frozenset(chain.parts) in expected
        and is_old(chain, kin, cutoff)
        and all(kin[part].ended for part in chain.parts)
        for part in chain.parts
    ]
    return remove(within, going)


def _is_recent(last: str | None, now: float, interval: float) -> bool:
    try:
        return last is not None and 0 <= now - float(last) < interval
    except ValueError:
        return False
