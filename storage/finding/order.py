"""The orders of the list that the catalog does not hold: each costs one pass over the store, when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from storage.conversation.expressions import cost, text, tokens, visible
from storage.engine.connection import Reader
from storage.records import Entry, Sort


def ordered(reader: Reader, entries: Iterable[Entry], sort: Sort) -> list[Entry]:
    """The conversations in this order; where it sees no difference, the order they came in stays."""
    match sort:
        case Sort.ACTIVE:
            return list(entries)
        case Sort.STARTED:
            return sorted(entries, key=lambda entry: entry.started_at or 0.0, reverse=True)
        case Sort.TITLE:
            title = _titles(reader)
            return sorted(entries, key=lambda entry: _title_key(title(entry)))
        case Sort.MESSAGES | Sort.TOKENS | Sort.COST:
            amount = _amounts(reader, sort)
            return sorted(entries, key=amount, reverse=True)


def _titles(reader: Reader) -> Callable[[Entry], str]:
    """The title that a conversation is shown with: the newest one on its main line."""
    if not reader.layout.has("sessions", "title"):
        return lambda entry: ""
    titles = _by_session(
        reader, f"SELECT {text('id')} AS id, {text('title')} AS value FROM sessions WHERE title IS NOT NULL"
    )
    return lambda entry: next(
        (title for id_ in reversed(entry.parts[: entry.main]) if (title := titles.get(id_))), ""
    )


def _title_key(title: str) -> tuple[bool, str]:
    return (not title, title.casefold())


def _amounts(reader: Reader, sort: Sort) -> Callable[[Entry], float]:
    """Messages, tokens or dollars of all parts of a conversation; below zero where no cost is known."""
    layout = reader.layout
    if sort is not Sort.MESSAGES:
        value = (tokens if sort is Sort.TOKENS else cost)(layout, "s")
        query = f"SELECT {text('s.id')} AS id, {value} AS value FROM sessions s WHERE {value} IS NOT NULL"
    elif layout.has("messages", "session_id"):
        query = f"""SELECT {text("m.session_id")} AS id, count(*) AS value FROM messages m
            WHERE {visible(layout)} GROUP BY m.session_id"""
    else:
        return lambda entry: 0
    amounts = _by_session(reader, query)

    def amount(entry: Entry) -> float:
        known = [amounts[id_] for id_ in entry.parts if id_ in amounts]
        return sum(known) if known else -1

    return amount


def _by_session(reader: Reader, query: str) -> dict[str, Any]:
    return dict(
        reader.json(f"SELECT json_group_array(json_array(id, value)) FROM ({query}) WHERE id IS NOT NULL")
    )
