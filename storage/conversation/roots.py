"""The top of a session's lineage, whatever it is that ties its sessions together."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from storage.conversation.expressions import text
from storage.engine.within import Reading


def roots(reader: Reading, session_ids: Collection[str]) -> dict[str, str]:
    """The oldest known ancestor of each of these sessions, itself where it has none.

    Of parents in a circle it is the one whose id comes first.
    """
    parent = text(reader.layout.column("sessions", "parent_session_id", "NULL", "s"))
    links = reader.json(
        f"""
        WITH RECURSIVE up(id, parent) AS (
            SELECT s.id, {parent} FROM json_each(?1) wanted CROSS JOIN sessions s ON s.id = wanted.value
            UNION
            SELECT s.id, {parent} FROM up CROSS JOIN sessions s ON s.id = up.parent)
        SELECT json_group_array(json_array({text("id")}, parent)) FROM up
        """,
        [json.dumps(list(session_ids))],
    )
    above = dict(links)
    return {id_: _top(id_, above) for id_ in session_ids}


def root_of(reader: Reading, session_id: str) -> str:
    """As `roots`, for one session."""
    return roots(reader, [session_id])[session_id]


def _top(session_id: str, above: Mapping[str, str | None]) -> str:
    trail = [session_id]
    while (parent := above.get(trail[-1])) is not None and parent in above:
        if parent in trail:
            return min(trail[trail.index(parent) :])
        trail.append(parent)
    return trail[-1]
