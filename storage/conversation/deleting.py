"""Sessions taken away: what goes with them, and what becomes of their children (product: Decided)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from storage.conversation import relatives
from storage.conversation.family import Kin, chains, edge
from storage.conversation.stored import marked
from storage.engine.store import Store
from storage.engine.within import Reading, Within
from storage.records import Edge

_DAY = 86400

_WITHOUT_MESSAGES = "NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)"


def delete_session(
    store: Store, session_id: str, sessions_dir: Path | None = None, *, with_subagents: bool = False
) -> bool:
    """Delete a session with its messages, at once and for good.

    Its children stay, without a parent; one that was hidden as a subagent is marked so that it stays hidden.

    Args:
        sessions_dir: Where files of the session lie (`<id>.json`, `<id>.jsonl`, `request_dump_<id>_*.json`) that
            should go too.
        with_subagents: Also deletes the sessions that worked for it, and for those, whatever their marks; never
            a branch, a fresh start or a continuation.

    Returns:
        False if there is no such session.
    """
    return bool(_delete(store, lambda within: [session_id], sessions_dir, with_subagents=with_subagents))


def delete_sessions(store: Store, session_ids: Iterable[str], sessions_dir: Path | None = None) -> int:
    """Delete several sessions in one transaction, as `delete_session` does; returns how many there were."""
    ids = list(session_ids)
    return len(_delete(store, lambda within: ids, sessions_dir))


def delete_session_if_empty(store: Store, session_id: str, sessions_dir: Path | None = None) -> bool:
    """Delete a session that has no title, no message and no child; False where it was left alone."""

    def chosen(within: Within) -> list[str]:
        title = within.layout.column("sessions", "title")
        return _ids(
            within,
            f"id = ? AND {title} IS NULL AND {_WITHOUT_MESSAGES}"
            " AND NOT EXISTS (SELECT 1 FROM sessions child WHERE child.parent_session_id = sessions.id)",
            session_id,
        )

    return bool(_delete(store, chosen, sessions_dir))


def delete_empty_sessions(store: Store, sessions_dir: Path | None = None) -> int:
    """Delete every ended session that counts no message and is not archived; returns how many."""

    def chosen(within: Within) -> list[str]:
        archived = within.layout.column("sessions", "archived", "0")
        return _ids(
            within, f"COALESCE(message_count, 0) = 0 AND ended_at IS NOT NULL AND COALESCE({archived}, 0) = 0"
        )

    return len(_delete(store, chosen, sessions_dir))


def prune_empty_ghost_sessions(store: Store, sessions_dir: Path | None = None) -> int:
    """Delete what a screen that was closed at once left behind; returns how many.

    Those are ended sessions of source "tui" without title or message that were begun more than a day ago.
    """
    before = store.clock() - _DAY

    def chosen(within: Within) -> list[str]:
        title = within.layout.column("sessions", "title")
        return _ids(
            within,
            f"source = 'tui' AND {title} IS NULL AND ended_at IS NOT NULL AND started_at < ? AND {_WITHOUT_MESSAGES}",
            before,
        )

    return len(_delete(store, chosen, sessions_dir))


def going(reader: Reading, session_ids: Collection[str], *, with_subagents: bool) -> list[str]:
    """Those of the sessions that are there, in their order, then those that worked for them if those go too."""
    there = {
        id_
        for (id_,) in reader.rows(
            "SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(session_ids)),),
        )
    }
    found = {id_: None for id_ in session_ids if id_ in there}
    if with_subagents and found:
        _add_subagents(reader, found)
    return list(found)


def remove(within: Within, session_ids: Collection[str], *, with_subagents: bool = False) -> list[str]:
    """Delete these sessions inside a transaction; returns the ids of all that went."""
    all_that_go = going(within, session_ids, with_subagents=with_subagents)
    if not all_that_go:
        return []
    _let_go(within, all_that_go)
    listed = (json.dumps(all_that_go),)
    # Messages first: nothing cascades from sessions to them.
    within.change("DELETE FROM messages WHERE session_id IN (SELECT value FROM json_each(?))", listed)
    within.change("DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?))", listed)
    return all_that_go


def unlink_files(directory: Path | None, session_ids: Iterable[str]) -> None:
    """Remove the files that these sessions left in the directory."""
    if directory is None:
        return
    for _, name in files_of(directory, session_ids):
        with suppress(OSError, ValueError):
            os.unlink(directory / name)


def files_of(directory: Path, session_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Session and name of each file in the directory that is named as those of these sessions are (spec 4.6)."""
    names: list[str] = []
    with suppress(OSError):
        names = sorted(os.listdir(directory))
    for session_id in session_ids:
        # An id is any text; as a name it must not lead out of the directory.
        if not session_id or os.path.basename(session_id) != session_id:
            continue
        whole = (f"{session_id}.json", f"{session_id}.jsonl")
        dumps = f"request_dump_{session_id}_"
        for name in names:
            if name in whole or (name.startswith(dumps) and name.endswith(".json")):
                yield session_id, name


def _delete(
    store: Store,
    chosen: Callable[[Within], Collection[str]],
    sessions_dir: Path | None,
    *,
    with_subagents: bool = False,
) -> list[str]:
    gone = store.write(
        lambda within: remove(within, chosen(within), with_subagents=with_subagents), touches_messages=True
    )
    unlink_files(sessions_dir, gone)
    return gone


def _ids(within: Within, condition: str, *values: object) -> list[str]:
    return [row[0] for row in within.rows(f"SELECT id FROM sessions WHERE {condition}", values)]


def children(reader: Reading, parents: Collection[str]) -> dict[str, Kin]:
    """The children of these sessions, and around each whatever decides what it is."""
    ids = [
        row[0]
        for row in reader.rows(
            "SELECT id FROM sessions WHERE parent_session_id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(parents)),),
        )
    ]
    return relatives.around(reader, ids) if ids else {}


def _add_subagents(reader: Reading, found: dict[str, None]) -> None:
    fresh = list(found)
    while fresh:
        kin = children(reader, fresh)
        parents = set(fresh)
        fresh = [
            one.id
            for one in kin.values()
            if one.parent in parents
            and one.id not in found
            and edge(one, kin.get(one.parent)) is Edge.SUBAGENT
        ]
        found.update(dict.fromkeys(fresh))


def _let_go(within: Within, session_ids: Collection[str]) -> None:
    """Take the parent from every child that stays, marking what would otherwise turn into a conversation."""
    leaving = set(session_ids)
    kin = children(within, leaving)
    orphans = {one.id: one for one in kin.values() if one.parent in leaving and one.id not in leaving}
    if not orphans:
        return
    for chain in chains(kin):
        if chain.edge is Edge.SUBAGENT:
            for id_ in orphans.keys() & set(chain.parts):
                _mark(within, orphans[id_])
    within.change(
        "UPDATE sessions SET parent_session_id = NULL WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(orphans)),),
    )


def _mark(within: Within, orphan: Kin) -> None:
    if "delegate" in orphan.markers or orphan.parent is None:
        return
    within.require("sessions", "model_config")
    config = within.one("SELECT model_config FROM sessions WHERE id = ?", (orphan.id,))
    within.change(
        "UPDATE sessions SET model_config = ? WHERE id = ?",
        (marked(config and config[0], "_delegate_from", orphan.parent), orphan.id),
    )
