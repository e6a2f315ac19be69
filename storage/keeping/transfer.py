"""Sessions that were exported put into a store again: nothing that is there is overwritten (spec 4.6)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from storage.conversation.stored import call_count, encode, sound
from storage.engine.session_ids import is_usable
from storage.engine.store import Store
from storage.engine.within import Reading, Within
from storage.keeping.exporting import BYTES, EXACT

Row = dict[str, Any]

_BATCH = 2_000
"""Messages of one transaction: other writers get in between."""

_ADDED = frozenset(
    {
        "messages",
        "model_usage",
        "segments",
        "lineage_session_ids",
        "last_active",
        "preview",
        "_lineage_root_id",
        EXACT,
    }
)
"""What an export holds besides the columns of the session."""


@dataclass(slots=True)
class _Session:
    """A session that is to be imported: rows as they will be stored."""

    id: str
    row: Row
    messages: list[Row]
    usage: list[Row]


@dataclass(slots=True)
class _Report:
    imported: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    detached: list[str] = field(default_factory=list)
    conflicts: list[dict[str, str]] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    """Parent and session, where the parent comes later."""

    def told(self, errors: list[dict[str, Any]]) -> dict[str, Any]:
        """As the caller gets it."""
        return {
            "ok": not errors,
            "imported": len(self.imported),
            "skipped": len(self.skipped),
            "detached": len(self.detached),
            "imported_ids": self.imported,
            "skipped_ids": self.skipped,
            "detached_ids": self.detached,
            "conflicts": self.conflicts,
            "left_out": sorted(self.left_out),
            "errors": errors,
        }


def import_sessions(
    store: Store, sessions: Iterable[Mapping[str, Any]], *, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Put sessions into the store that `export_session`, `export_all` or `export_session_lineage` took out of one.

    Ids, titles, parents, counters, times and search come back. A session that is there already is skipped. A title
    that another session has by now is left out, and so is a parent that is in neither. Messages keep their ids
    where those are free. An import that was interrupted goes on when it is run again.

    Args:
        progress: Gets how many sessions are done, and how many there are.

    Returns:
        `ok`; `imported`, `skipped` and `detached` as numbers, `imported_ids`, `skipped_ids` and `detached_ids`;
        `conflicts` (session_id, title, held_by); `left_out`, the columns that this store lacks and that held
        something; `errors` (index, error, and session_id where there is one). With errors nothing was imported.
    """
    wanted, errors = _wanted(store, sessions)
    report = _Report()
    if not errors:
        done = 0
        for batch in _batches(_parents_first(wanted)):
            # A transaction may run twice: what it reports counts only when it has been committed.
            _add(report, store.write(partial(_imported, batch, frozenset(wanted)), touches_messages=True))
            done += len(batch)
            if progress:
                progress(done, len(wanted))
        _link(store, report.waiting)
    return report.told(errors)


def check_import(store: Store, sessions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What `import_sessions` would answer; nothing is written."""
    wanted, errors = _wanted(store, sessions)
    reader = store.reading()
    report = _Report()
    titles: dict[Any, str] = {}
    for session in () if errors else _parents_first(wanted):
        if _is_there(reader, session.id):
            report.skipped.append(session.id)
            continue
        row = session.row
        parent, title = row.get("parent_session_id"), row.get("title")
        if parent is not None and parent not in wanted and not _is_there(reader, parent):
            report.detached.append(session.id)
        if title is not None and (holder := titles.get(title) or _holder(reader, title)):
            report.conflicts.append({"session_id": session.id, "title": title, "held_by": holder})
        elif title is not None:
            titles[title] = session.id
        for table, rows in (
            ("sessions", [row]),
            ("messages", session.messages),
            ("session_model_usage", session.usage),
        ):
            for one in rows:
                _known(reader, table, one, report)
        report.imported.append(session.id)
    return report.told(errors)


def _wanted(
    store: Store, sessions: Iterable[Mapping[str, Any]]
) -> tuple[dict[str, _Session], list[dict[str, Any]]]:
    """The sessions to import by their ids, and what is wrong with the others."""
    wanted: dict[str, _Session] = {}
    errors: list[dict[str, Any]] = []
    for index, given in enumerate(sessions):
        for one in _segments(given):
            try:
                session = _read(one, store.clock())
            except ValueError as error:
                named = {"session_id": one["id"]} if isinstance(one, Mapping) and one.get("id") else {}
                errors.append({"index": index, "error": str(error), **named})
            else:
                wanted.setdefault(session.id, session)
    return wanted, errors


def _segments(given: Mapping[str, Any]) -> Iterable[Any]:
    segments = given.get("segments") if isinstance(given, Mapping) else None
    return segments if isinstance(segments, list) and segments else [given]


def _read(given: Any, now: float) -> _Session:
    """What an exported session says.

    Raises:
        ValueError: It is no session; the message says why.
    """
    if not isinstance(given, Mapping):
        raise ValueError("session must be an object")
    session_id = given.get("id")
    if not isinstance(session_id, str) or not session_id:
        raise ValueError("session id is required")
    if "\0" in session_id or not is_usable(sound(session_id)):
        raise ValueError("session id holds a character that no id can")
    exact = bool(given.get(EXACT))
    messages = [_message(one, now, exact) for one in _rows(given, "messages")]
    row = {name: _value(value) for name, value in given.items() if name not in _ADDED}
    row.setdefault("source", None)
    row["source"] = "unknown" if row["source"] is None else row["source"]
    if row.get("started_at") is None:
        row["started_at"] = messages[0]["timestamp"] if messages else now
    if row.get("message_count") is None:
        row["message_count"] = len(messages)
        row["tool_call_count"] = sum(call_count(one.get("tool_calls")) for one in _rows(given, "messages"))
    usage = [{name: _value(value) for name, value in one.items()} for one in _rows(given, "model_usage")]
    return _Session(session_id, row, messages, usage)


def _rows(given: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = given.get(name)
    if rows is None:
        return []
    if not isinstance(rows, list):
        raise ValueError(f"{name} must be a list")
    if not all(isinstance(row, Mapping) for row in rows):
        raise ValueError(f"each of {name} must be an object")
    return rows


def _message(given: Mapping[str, Any], now: float, exact: bool) -> Row:
    row = {name: _value(value) for name, value in given.items() if name != "session_id"}
    if not exact:
        row["content"] = encode(given.get("content"))
        row["tool_calls"] = json.dumps(given["tool_calls"]) if given.get("tool_calls") else None
    row["role"] = "unknown" if row.get("role") is None else row["role"]
    row["timestamp"] = now if row.get("timestamp") is None else row["timestamp"]
    return row


def _value(value: Any) -> Any:
    """A value as a column holds it.

    Raises:
        ValueError: No column can.
    """
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, Mapping) and set(value) == {BYTES}:
        return base64.b64decode(str(value[BYTES]), validate=True)
    if value is None or isinstance(value, float | bytes) or (isinstance(value, int) and abs(value) < 1 << 63):
        return value
    try:
        return json.dumps(value)
    except (TypeError, RecursionError):
        raise ValueError(f"{type(value).__name__} is no value of a column") from None


def _parents_first(wanted: Mapping[str, _Session]) -> Iterator[_Session]:
    """Every session after its parent; where parents go round in a circle, it is entered somewhere."""
    done: set[str] = set()
    for start in wanted:
        line: list[str] = []
        here: Any = start
        while here in wanted and here not in done and here not in line:
            line.append(here)
            here = wanted[here].row.get("parent_session_id")
        for id_ in reversed(line):
            done.add(id_)
            yield wanted[id_]


def _batches(sessions: Iterable[_Session]) -> Iterator[list[_Session]]:
    batch: list[_Session] = []
    size = 0
    for session in sessions:
        batch.append(session)
        size += len(session.messages) + 1
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _imported(batch: Iterable[_Session], wanted: frozenset[str], within: Within) -> _Report:
    report = _Report()
    for session in batch:
        if _is_there(within, session.id):
            report.skipped.append(session.id)
            continue
        row = dict(session.row)
        parent = row.get("parent_session_id")
        if parent is not None and not _is_there(within, parent):
            row["parent_session_id"] = None
            if parent in wanted:
                report.waiting.append((parent, session.id))
            else:
                report.detached.append(session.id)
        if row.get("title") is not None and (holder := _holder(within, row["title"])):
            report.conflicts.append({"session_id": session.id, "title": row["title"], "held_by": holder})
            row["title"] = None
        within.insert("sessions", _known(within, "sessions", row, report))
        keeps_ids = _ids_are_free(within, session.messages)
        for message in session.messages:
            known = _known(within, "messages", message, report)
            if not keeps_ids:
                known.pop("id", None)
            within.insert("messages", {**known, "session_id": session.id})
        for usage in session.usage:
            if known := _known(within, "session_model_usage", usage, report):
                within.insert("session_model_usage", {**known, "session_id": session.id})
        report.imported.append(session.id)
    return report


def _known(reading: Reading, table: str, row: Row, report: _Report) -> Row:
    """The columns of the row that the store has."""
    columns = reading.layout.columns.get(table, frozenset())
    known = {name: value for name, value in row.items() if name.lower() in columns}
    report.left_out.update(f"{table}.{name}" for name, value in row.items() if name not in known and value)
    return known


def _is_there(reading: Reading, session_id: str) -> bool:
    return reading.one("SELECT 1 FROM sessions WHERE id = ?", (session_id,)) is not None


def _holder(reading: Reading, title: str) -> str | None:
    if not reading.layout.has("sessions", "title"):
        return None
    row = reading.one("SELECT id FROM sessions WHERE title = ?", (title,))
    return str(row[0]) if row else None


def _ids_are_free(within: Within, messages: Iterable[Row]) -> bool:
    ids = [message.get("id") for message in messages]
    if not all(isinstance(id_, int) for id_ in ids) or len(set(ids)) < len(ids):
        return False
    return not within.one(
        "SELECT 1 FROM messages WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1", (json.dumps(ids),)
    )


def _add(report: _Report, part: _Report) -> None:
    report.imported += part.imported
    report.skipped += part.skipped
    report.detached += part.detached
    report.conflicts += part.conflicts
    report.left_out |= part.left_out
    report.waiting += part.waiting


def _link(store: Store, waiting: Iterable[tuple[str, str]]) -> None:
    """Give these sessions the parent that came after them, as happens where parents go round in a circle."""
    pairs = list(waiting)

    def work(within: Within) -> None:
        for pair in pairs:
            within.change(
                "UPDATE sessions SET parent_session_id = ?1 WHERE id = ?2 AND parent_session_id IS NULL"
                " AND EXISTS (SELECT 1 FROM sessions WHERE id = ?1)",
                pair,
            )

    if pairs:
        store.write(work)
