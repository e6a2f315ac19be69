"""Sessions copied out just before they go, inside the transaction that deletes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from storage.conversation import relatives
from storage.conversation.deleting import remove
from storage.conversation.family import chains
from storage.engine.within import Within
from storage.errors import StoppedByTrigger
from storage.keeping import trash_links
from storage.keeping.trash_blocks import BlockWriter, CopiedSession
from storage.keeping.trash_legacy import LegacyFile, own_files, read_files, to_record
from storage.keeping.trash_reach import Reach, Table, quoted, release
from storage.keeping.trash_values import Value, exactly, shown, written
from storage.records import Edge


@dataclass(frozen=True, slots=True)
class Taken:
    """What was copied and deleted."""

    sessions: tuple[str, ...]
    messages: int
    files: tuple[LegacyFile, ...]
    """To be removed when the deletion has been committed."""
    purged: tuple[str, ...] = ()
    """Names of files without a copy, to be removed then too."""


def copy_and_remove(
    within: Within,
    reach: Reach,
    session_ids: Sequence[str],
    write: Callable[[bytes], object],
    legacy: Path | None,
) -> Taken:
    """Write all that goes with these sessions as one block of a copy, and delete it.

    Args:
        legacy: Where they may have left files.
    """
    block = BlockWriter(write)
    files = []
    hidden = _hidden_by_parent(within, session_ids)
    # Around all of it, not in whoever reads: after a failure the connection is as it was.
    with exactly(within.connection):
        seen: set[tuple[str, object]] = set()
        copied = [
            replace(_copy_session(within, reach, id_, block, seen), hidden_by_parent=id_ in hidden)
            for id_ in session_ids
        ]
        for table, condition in reach.named:
            for rowid, values in _rows(within, table, condition, session_ids):
                block.add({"kind": "named", "table": table.name, "rowid": rowid, "values": values})
        for file in read_files(within, legacy, session_ids) if legacy else ():
            block.add(to_record(file))
            files.append(file.stub())
        children = _children(within, session_ids)
    _remove(within, reach, session_ids)
    with exactly(within.connection):
        for link in _links(within, children):
            block.add(link)
    block.end(copied)
    return Taken(tuple(session_ids), sum(one.messages for one in copied), tuple(files))


def remove_all(within: Within, reach: Reach, session_ids: Sequence[str], legacy: Path | None) -> Taken:
    """Delete all that goes with these sessions without a copy."""
    listed = json.dumps(list(session_ids))
    counted = None
    if "messages" in within.layout.columns:
        counted = within.one(
            "SELECT count(*) FROM messages WHERE session_id IN (SELECT value FROM json_each(?))", (listed,)
        )
    names = [name for _, name in own_files(within, legacy, session_ids)] if legacy else []
    _remove(within, reach, session_ids)
    return Taken(tuple(session_ids), counted[0] if counted else 0, (), tuple(names))


def _remove(within: Within, reach: Reach, session_ids: Sequence[str]) -> None:
    """Delete them, or nothing: a trigger of the store may keep a row without a word.

    Raises:
        StoppedByTrigger
    """
    release(within, reach, session_ids)
    remove(within, session_ids)
    ids = (json.dumps(list(session_ids)),)
    for row in reach.going:
        if row.table.name in ("sessions", "messages") and within.one(
            f"SELECT 1 FROM {quoted(row.table.name)} WHERE {row.condition} LIMIT 1", ids
        ):
            raise StoppedByTrigger(f"session '{session_ids[0]}' out")


def _copy_session(
    within: Within, reach: Reach, session_id: str, block: BlockWriter, seen: set[tuple[str, object]]
) -> CopiedSession:
    messages = 0
    own: dict[str, Any] = {}
    ids = [session_id]
    for going in reach.going:
        table = going.table
        for rowid, values in _rows(within, table, going.condition, ids):
            # A row of a table that we do not know may belong to two of the sessions.
            if table.name not in ("sessions", "messages") and rowid is not None:
                if (table.name, rowid) in seen:
                    continue
                seen.add((table.name, rowid))
            record = {"kind": "row", "session": session_id, "table": table.name}
            block.add({**record, "rowid": rowid, "values": values})
            if table.name == "sessions":
                own = {name.lower(): value for name, value in values.items()}
            messages += table.name == "messages"
    for loose in reach.loosened:
        table = replace(loose.table, columns=(loose.column,))
        for rowid, values in _rows(within, table, loose.condition, ids):
            record = {"kind": "loosened", "session": session_id, "table": table.name}
            block.add({**record, "rowid": rowid, "values": values})
    return _described(within, session_id, own, messages)


def _hidden_by_parent(within: Within, session_ids: Sequence[str]) -> set[str]:
    kin = relatives.around(within, session_ids)
    return {
        id_
        for chain in chains(kin)
        if chain.edge is Edge.SUBAGENT
        for id_ in chain.parts
        if "delegate" not in kin[id_].markers
    }


def _described(within: Within, session_id: str, own: dict[str, Any], messages: int) -> CopiedSession:
    has_title = within.layout.has("sessions", "title")
    title = within.one("SELECT title FROM sessions WHERE id = ?", (session_id,)) if has_title else None
    facts = within.one(
        f"""SELECT {within.layout.column("sessions", "parent_session_id")} IS NOT NULL AND NOT EXISTS
            (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id),
            {"EXISTS (SELECT 1 FROM sessions o WHERE o.title = s.title AND o.id <> s.id)" if has_title else "0"}
        FROM sessions s WHERE s.id = ?""",
        (session_id,),
    )
    return CopiedSession(
        session_id,
        shown(title[0]) if title and title[0] is not None else None,
        messages,
        own.get("started_at"),
        lost_parent=bool(facts and facts[0]),
        shared_title=bool(facts and facts[1]),
    )


def _rows(
    within: Within, table: Table, condition: str, session_ids: Sequence[str]
) -> Iterator[tuple[Value, dict[str, Any]]]:
    """Rowid and values of each row, one after the other: a conversation may be large."""
    columns = ", ".join(quoted(name) for name in table.columns)
    order = f" ORDER BY {quoted(table.rowid)}" if table.rowid else ""
    sql = f"SELECT {quoted(table.rowid) if table.rowid else 'NULL'}, {columns} FROM {quoted(table.name)}"
    for rowid, *values in within.connection.execute(
        f"{sql} WHERE {condition}{order}", (json.dumps(list(session_ids)),)
    ):
        yield rowid, {name: written(value) for name, value in zip(table.columns, values, strict=True)}


def _children(within: Within, session_ids: Sequence[str]) -> dict[str, tuple[str, Value]]:
    """Parent and `model_config` of each child that stays."""
    if not within.layout.has("sessions", "parent_session_id"):
        return {}
    config = within.layout.column("sessions", "model_config")
    going = set(session_ids)
    rows = within.rows(
        f"SELECT id, parent_session_id, {config} FROM sessions"
        " WHERE parent_session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(session_ids)),),
    )
    return {
        id_: (parent, config) for id_, parent, config in rows if id_ not in going and isinstance(id_, str)
    }


def _links(within: Within, children: dict[str, tuple[str, Value]]) -> Iterator[dict[str, Any]]:
    """What brings these children back to their parents, and their `model_config` to what it was."""
    for child, (parent, before) in children.items():
        link = trash_links.link(child, parent)
        if within.layout.has("sessions", "model_config"):
            row = within.one("SELECT model_config FROM sessions WHERE id = ?", (child,))
            after = row[0] if row else None
            if after != before:
                link["config"] = [written(before), written(after)]
        yield link
