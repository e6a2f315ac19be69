"""What ties a session to its parent, kept while one of the two is away."""

from __future__ import annotations

from collections.abc import Iterable

from storage.engine.within import Reading, Within
from storage.keeping.trash_blocks import Record
from storage.keeping.trash_values import mark, read


def link(child: str, parent: str) -> Record:
    """That this session is a child of that one; `config` may follow: its `model_config` with and without it."""
    return {"kind": "link", "child": child, "parent": parent}


def ends(one: Record) -> set[str]:
    return {one["child"], one["parent"]}


def missing(reading: Reading, links: Iterable[Record]) -> set[str]:
    """The sessions of these links that are not there."""
    return {
        id_
        for one in links
        for id_ in ends(one)
        if not reading.one("SELECT 1 FROM sessions WHERE id = ?", (id_,))
    }


def tie(within: Within, links: Iterable[Record]) -> list[Record]:
    """Give back their parents to the sessions that have none now; returns the links of which an end is missing.

    The `model_config` is put back too, unless it was changed meanwhile.
    """
    unresolved = []
    for one in links:
        if missing(within, [one]):
            unresolved.append(one)
            continue
        tied = within.change(
            "UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL",
            (one["parent"], one["child"]),
        )
        if tied and "config" in one and within.layout.has("sessions", "model_config"):
            before, after = (read(value) for value in one["config"])
            within.change(
                f"UPDATE sessions SET model_config = {mark(before)}"
                f" WHERE id = ? AND model_config IS {mark(after)}",
                (before, one["child"], after),
            )
    return unresolved
