"""One conversation put back into the store, inside one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.conversation.stored import marked
from storage.conversation.titles import next_title
from storage.engine.within import Within
from storage.errors import StoppedByTrigger, StoreNotWritable
from storage.keeping import trash_legacy, trash_links
from storage.keeping.trash_blocks import CopiedSession, Record, is_there
from storage.keeping.trash_rows import RowsBack
from storage.keeping.trash_values import mark, read, shown

_ONE_TITLE = "idx_sessions_title_unique"


@dataclass(frozen=True, slots=True)
class Back:
    """What of a conversation is back; see `Restored`."""

    sessions: tuple[str, ...]
    messages: int
    retitled: tuple[tuple[str, str, str], ...]
    skipped: tuple[str, ...]
    links: list[Record]
    """Of which an end is missing yet."""
    gone: frozenset[str]
    """Sessions that the copy is not needed for any more."""


def put_back(
    within: Within,
    sessions: Sequence[CopiedSession],
    records: Sequence[Record],
    links: Sequence[Record],
    legacy: Path | None,
) -> Back:
    """Put these sessions back, of all that the records hold.

    Args:
        links: Of conversations that came back before, each with an end that may be among these.
        legacy: Where the files that they left go.
    """
    skipped = tuple(one.id for one in sessions if _exists(within, one.id))
    coming = {one.id: one for one in sessions if one.id not in skipped}
    same = frozenset(one.id for one in sessions if one.id in skipped and is_there(within, one))
    rows = RowsBack(within)
    messages = 0
    retitled: list[tuple[str, str, str]] = []
    waiting = [*links, *(one for one in records if one["kind"] == "link")]
    if coming:
        for record in records:
            if record["kind"] == "named":
                rows.provide(record["table"], record["rowid"], record["values"])
    for (session, table), found in _by_table(records, coming).items():
        if table == "sessions":
            for _, values in found:
                retitled += _free_title(within, coming[session], values)
                waiting += _free_parent(within, coming, coming[session], values)
        put = rows.put(table, found)
        messages += put if table == "messages" else 0
    for record in records:
        if record["kind"] == "loosened" and record["session"] in coming:
            rows.tighten(record["table"], record["rowid"], record["values"])
    rows.undo_triggers()
    _see_them(within, coming)
    _put_files_back(records, coming, legacy)
    return Back(
        tuple(coming),
        messages,
        tuple(retitled),
        skipped,
        trash_links.tie(within, waiting),
        same if rows.left_out else same | coming.keys(),
    )


def _see_them(within: Within, coming: Mapping[str, CopiedSession]) -> None:
    """See that all of it is there now: the copy is let go of then, and a trigger may keep a row out without a word.

    Raises:
        StoppedByTrigger
    """
    for one in coming.values():
        kept = _exists(within, one.id)
        if kept and one.messages and "messages" in within.layout.columns:
            found = within.one("SELECT count(*) FROM messages WHERE session_id = ?", (one.id,))
            kept = found is not None and found[0] >= one.messages
        if not kept:
            raise StoppedByTrigger(f"session '{one.id}' back in")


def _by_table(
    records: Sequence[Record], coming: Mapping[str, CopiedSession]
) -> dict[tuple[str, str], list[tuple[Any, dict[str, Any]]]]:
    """The rows of each session by table, in the order of the copy: what others name comes first."""
    found: dict[tuple[str, str], list[tuple[Any, dict[str, Any]]]] = {}
    for record in records:
        if record["kind"] == "row" and record["session"] in coming:
            key = record["session"], record["table"]
            found.setdefault(key, []).append((record["rowid"], dict(record["values"])))
    return found


def _exists(within: Within, session_id: str) -> bool:
    return within.one("SELECT 1 FROM sessions WHERE id = ?", (session_id,)) is not None


def _free_title(within: Within, session: CopiedSession, values: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Number the title if somebody has it by now; where titles may be shared and it was, it is again."""
    column = _spelled(values, "title")
    if column is None or values[column] is None or not within.layout.has("sessions", "title"):
        return []
    title = read(values[column])
    if not within.one(f"SELECT 1 FROM sessions WHERE title = {mark(title)}", (title,)):
        return []
    if session.shared_title and _ONE_TITLE not in within.layout.indexes:
        return []
    values[column] = next_title(within, shown(title))
    return [(session.id, shown(title), values[column])]


def _free_parent(
    within: Within, coming: Mapping[str, CopiedSession], session: CopiedSession, values: dict[str, Any]
) -> list[Record]:
    """Take the parent away if it is not there, and return the link that gives it back.

    What was hidden as a subagent is marked so that it stays hidden, as a deletion of the parent would have done.
    """
    column = _spelled(values, "parent_session_id")
    parent = values[column] if column is not None else None
    if column is None or not isinstance(parent, str) or session.lost_parent:
        return []
    if parent in coming or _exists(within, parent):
        return []
    values[column] = None
    link = trash_links.link(session.id, parent)
    config = _spelled(values, "model_config")
    if session.hidden_by_parent and config is not None:
        before = values[config]
        values[config] = marked(None if before is None else shown(read(before)), "_delegate_from", parent)
        link["config"] = [before, values[config]]
    return [link]


def _spelled(values: Mapping[str, Any], column: str) -> str | None:
    return next((name for name in values if name.lower() == column), None)


def _put_files_back(
    records: Sequence[Record], coming: Mapping[str, CopiedSession], legacy: Path | None
) -> None:
    if legacy is None:
        return
    for one in records:
        if one["kind"] == "file" and one["session"] in coming:
            file = trash_legacy.of_record(one)
            try:
                trash_legacy.put_back(legacy, file)
            except OSError as error:
                raise StoreNotWritable(legacy / file.name, error.strerror or str(error)) from error
