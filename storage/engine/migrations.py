"""Brings a store to schema version 23: a ledger of small steps, each safe to be killed in and run again.

Everything but indexing the messages anew happens in one transaction, at whose end the version is raised, once. A
process that is killed leaves the old store or the new one, whose index the next opener goes on building.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.engine import fts, relayout
from storage.engine.creation import SCHEMA_VERSION, statements
from storage.engine.journal import use_wal
from storage.engine.layout import Layout
from storage.engine.reconcile import is_reconciled, key_of, reconcile_indexes, reconcile_tables
from storage.engine.relayout import Progress

if TYPE_CHECKING:
    from storage.engine.writer import Writer

_ANY_NULL_ACTIVE = "SELECT EXISTS (SELECT 1 FROM messages WHERE active IS NULL)"


def migrate(writer: Writer, progress: Progress | None = None) -> tuple[int, int]:
    """Bring the store to the current schema version, or make a new one of an empty file.

    A newer store and a fenced one are left as they are; an inline index stays inline (`optimize_storage` moves it).

    Args:
        progress: Called while messages are indexed anew.

    Returns:
        The version before (0 for an empty file) and after.

    Raises:
        What `Writer.write` raises: nothing was changed then, or what was done stays valid and the next call goes on.
    """
    layout = writer.read(lambda _: writer.layout)
    before = layout.version or 0
    if before > SCHEMA_VERSION or layout.turn_fences:
        return before, before
    writer.outside(use_wal)
    # Looked at first, for an opener that has nothing to change should not wait for others' locks.
    if not writer.read(lambda connection: _is_current(connection, writer.layout)):
        before = writer.write(lambda connection: _bring_up(connection, writer.path, writer.layout))
    if writer.read(lambda connection: relayout.is_pending(connection, writer.layout)):
        relayout.finish(writer, progress)
    return before, SCHEMA_VERSION


def _is_current(connection: sqlite3.Connection, layout: Layout) -> bool:
    return (
        layout.version == SCHEMA_VERSION
        and is_reconciled(layout)
        and fts.kind_of(layout) != "one column"
        and not fts.incomplete(connection, layout)
        and not _is_unstamped(connection, layout)
        and not connection.execute(_ANY_NULL_ACTIVE).fetchone()[0]
    )


def _bring_up(connection: sqlite3.Connection, path: Path, layout: Layout) -> int:
    reconcile_tables(connection)
    reconcile_indexes(connection)
    if connection.execute(_ANY_NULL_ACTIVE).fetchone()[0]:
        connection.execute("UPDATE messages SET active = 1 WHERE active IS NULL")
    # Rows without a version are as new as the program that opens them (spec 2.1).
    rows = connection.execute("SELECT version FROM schema_version").fetchall()
    before = max((version for (version,) in rows), default=SCHEMA_VERSION if layout.columns else 0)
    if layout.columns:
        for step in LEDGER:
            if step.version > before and step.run is not None:
                step.run(connection, path)
    _bring_up_the_index(connection, layout)
    if not rows:
        connection.execute("INSERT INTO schema_version(version) VALUES (?)", (SCHEMA_VERSION,))
    elif before < SCHEMA_VERSION:
        connection.execute("UPDATE schema_version SET version = ?", (SCHEMA_VERSION,))
    return before


def _bring_up_the_index(connection: sqlite3.Connection, layout: Layout) -> None:
    kind = fts.kind_of(layout)
    if kind in (None, "one column"):
        relayout.begin(connection)
        return
    fts.complete(connection, layout)
    if kind == "inline":
        # An older release has made the index inline again while it was being moved.
        fts.forget(connection, fts.HIGH_WATER, fts.PROGRESS)
    elif _is_unstamped(connection, layout):
        fts.stamp(connection)


def _is_unstamped(connection: sqlite3.Connection, layout: Layout) -> bool:
    keys = ", ".join(f"'{key}'" for key in (fts.STORAGE_VERSION, fts.HIGH_WATER))
    return (
        fts.is_ours(layout)
        and not connection.execute(f"SELECT 1 FROM state_meta WHERE key IN ({keys})").fetchall()
    )


# --- the ledger

Run = Callable[[sqlite3.Connection, Path], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One schema version: what it brought, and what has to be done beyond the declared tables, columns, indexes."""

    version: int
    what: str
    run: Run | None = None


def _mark_subagents(connection: sqlite3.Connection, _: Path) -> None:
    """Children that nobody resumes get `_delegate_from`, and so do what look like orphans of them (spec 2.2)."""
    marked = "json_set(CASE WHEN json_valid(model_config) THEN model_config ELSE '{{}}' END, '$._delegate_from', {})"
    connection.execute(f"""
        UPDATE sessions SET model_config = {marked.format("parent_session_id")}
        WHERE parent_session_id IS NOT NULL
          AND {_mark("_delegate_from")} IS NULL AND {_mark("_branched_from")} IS NULL
          AND NOT EXISTS (SELECT 1 FROM sessions AS p WHERE p.id = sessions.parent_session_id
              AND (p.end_reason = 'compression'
                   OR (p.end_reason = 'branched' AND sessions.started_at >= p.ended_at)))
    """)
    connection.execute(f"""
        UPDATE sessions SET model_config = {marked.format("'__orphaned__'")}
        WHERE parent_session_id IS NULL AND title IS NULL AND message_count <= 25
          AND {_mark("_delegate_from")} IS NULL AND {_mark("_branched_from")} IS NULL
          AND EXISTS (SELECT 1 FROM messages AS m WHERE m.session_id = sessions.id AND m.role = 'tool')
          AND NOT EXISTS (SELECT 1 FROM sessions AS c WHERE c.parent_session_id = sessions.id)
    """)


def _mark(name: str) -> str:
    return f"CASE WHEN json_valid(model_config) THEN json_extract(model_config, '$.{name}') END"


def _adopt_gateway_sessions(connection: sqlite3.Connection, path: Path) -> None:
    """What the gateway kept in sessions.json moves into the rows; only where they hold nothing yet (spec 2.2)."""
    for entry in _gateway_entries(path.parent / "sessions" / "sessions.json"):
        origin = entry.get("origin")
        known = origin if isinstance(origin, dict) else {}
        found = {
            "session_key": entry["session_key"],
            "chat_id": known.get("chat_id"),
            "chat_type": entry.get("chat_type"),
            "thread_id": known.get("thread_id"),
            "display_name": entry.get("display_name"),
            "origin_json": json.dumps(origin) if isinstance(origin, dict) else None,
        }
        filled = ", ".join(f"{column} = COALESCE({column}, ?)" for column in found)
        texts = [str(value) if isinstance(value, str | int) else None for value in found.values()]
        connection.execute(f"UPDATE sessions SET {filled} WHERE id = ?", (*texts, entry["session_id"]))
        if entry.get("expiry_finalized") or entry.get("memory_flushed"):
            connection.execute(
                "UPDATE sessions SET expiry_finalized = 1 WHERE id = ?", (entry["session_id"],)
            )


def _gateway_entries(file: Path) -> Iterator[Mapping[str, Any]]:
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # Not every home has a gateway, and its file is a courtesy to this step, not a part of the store.
        return
    if not isinstance(entries, dict):
        return
    for key, entry in entries.items():
        if not key.startswith("_") and isinstance(entry, dict) and isinstance(entry.get("session_id"), str):
            yield {**entry, "session_key": entry.get("session_key") or key}


def _attribute_usage(connection: sqlite3.Connection, _: Path) -> None:
    """Each session's totals become the first row of its usage by model."""
    connection.execute("""
        INSERT OR IGNORE INTO session_model_usage(
            session_id, model, billing_provider, billing_base_url, billing_mode, task, api_call_count,
            input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
            estimated_cost_usd, actual_cost_usd, cost_status, cost_source, first_seen, last_seen)
        SELECT id, COALESCE(model, 'unknown'), COALESCE(billing_provider, ''), COALESCE(billing_base_url, ''),
            COALESCE(billing_mode, ''), '', COALESCE(api_call_count, 0),
            COALESCE(input_tokens, 0), COALESCE(output_tokens, 0), COALESCE(cache_read_tokens, 0),
            COALESCE(cache_write_tokens, 0), COALESCE(reasoning_tokens, 0),
            COALESCE(estimated_cost_usd, 0), COALESCE(actual_cost_usd, 0), cost_status, cost_source,
            started_at, COALESCE(ended_at, started_at)
        FROM sessions
        WHERE COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0) + COALESCE(cache_read_tokens, 0)
            + COALESCE(cache_write_tokens, 0) + COALESCE(reasoning_tokens, 0) > 0
    """)


def _key_usage_by_task(connection: sqlite3.Connection, _: Path) -> None:
    """The task becomes part of the primary key of the usage rows, which only a new table can have."""
    if "task" in key_of(connection, "session_model_usage"):
        return
    columns = ", ".join(
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info('session_model_usage')")
    )
    connection.execute("CREATE TEMP TABLE usage_before AS SELECT * FROM session_model_usage")
    connection.execute("UPDATE usage_before SET task = ''")
    connection.execute("DROP TABLE session_model_usage")
    for statement in (*statements("tables"), *statements("indexes")):
        connection.execute(statement)
    connection.execute(f"INSERT INTO session_model_usage({columns}) SELECT {columns} FROM usage_before")
    connection.execute("DROP TABLE usage_before")


def _offer_the_compact_index(connection: sqlite3.Connection, _: Path) -> None:
    """An inline index stays, with a note that it can be moved."""
    sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'messages_fts'").fetchone()
    if sql is not None and "tool_name" not in sql[0]:
        fts.note(connection, fts.OPTIMIZE_AVAILABLE, 1)


LEDGER: tuple[Step, ...] = (
    Step(1, "sessions, messages and their index of one column"),
    Step(2, "messages.finish_reason"),
    Step(3, "sessions.title"),
    Step(4, "titles are unique"),
    Step(5, "what was paid to whom: eleven columns"),
    Step(6, "the reasoning of a message"),
    Step(7, "messages.reasoning_content"),
    Step(8, "sessions.api_call_count"),
    Step(9, "messages.codex_message_items"),
    Step(10, "the substring index; built with layout C at once"),
    Step(11, "indexes of three columns; an older one becomes layout C, whatever the version says"),
    Step(12, "messages.active is never NULL; looked at in every opening"),
    Step(13, "platform message ids"),
    Step(14, "archived, rewound, in which directory; compression locks"),
    Step(15, "columns"),
    Step(16, "subagents say whose they are", _mark_subagents),
    Step(17, "columns"),
    Step(18, "what the gateway knows of a session", _adopt_gateway_sessions),
    Step(19, "columns"),
    Step(20, "usage by model", _attribute_usage),
    Step(21, "columns"),
    Step(22, "usage by task", _key_usage_by_task),
    Step(23, "an index that leaves the text where it is; pinned, display_kind", _offer_the_compact_index),
)
"""Every version, oldest first. A step without a function is declared whole in `schema/*.sql`."""
