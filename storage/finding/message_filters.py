"""`role:` and `tool:` speak of messages: SQL for whether one message is what they want."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from storage.conversation.expressions import text
from storage.engine.layout import Layout
from storage.finding.filter_values import OF_MESSAGES, Filter, groups


def condition(layout: Layout, filters: Iterable[Filter]) -> tuple[str, list[str]]:
    """SQL that holds for every message `m` that these filters leave, and the values of its parameters."""
    sql, values = ["1"], []
    for group in groups(filters, OF_MESSAGES):
        some, wanted = _any(layout, group)
        sql.append(some)
        values += wanted
    return " AND ".join(sql), values


def _any(layout: Layout, group: Sequence[Filter]) -> tuple[str, list[str]]:
    conditions, values = [], []
    for one in group:
        sql = role(layout) if one.key == "role" else tool(layout)
        conditions.append(f"NOT ({sql})" if one.negated else sql)
        values += [one.value] * sql.count("?")
    return f"({' OR '.join(conditions)})", values


def role(layout: Layout) -> str:
    """SQL with one parameter: whether the message `m` is of this role."""
    return f"{layout.column('messages', 'role', 'NULL', 'm')} IS ?"


def tool(layout: Layout) -> str:
    """SQL with three times the same parameter: whether the message `m` calls this tool or is its answer."""
    calls = text(layout.column("messages", "tool_calls", "NULL", "m"))
    listed = f"""CASE WHEN NOT json_valid({calls}) THEN '[]' WHEN json_type({calls}) = 'array' THEN {calls}
        ELSE json_array(json({calls})) END"""
    # Most rows name no such tool: only what does is taken apart.
    return f"""({layout.column("messages", "tool_name", "NULL", "m")} IS ? OR (
        coalesce(instr({calls}, ?), 0) AND EXISTS (SELECT 1 FROM json_each({listed}) call WHERE call.type = 'object'
            AND coalesce(json_extract(call.value, '$.function.name'), json_extract(call.value, '$.name')) IS ?)))"""
