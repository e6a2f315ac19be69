"""The Hermes session store: reading it without touching it, writing it beside others. Standard library only."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.engine.connection import Cancel
    from storage.errors import (
        Interrupted,
        NotAStore,
        StoreBusy,
        StoreError,
        StoreMissing,
        StoreUnreadable,
        UnknownSession,
        WritingNotSupported,
    )
    from storage.finding.query import Filter, SessionQuery, Term, parse
    from storage.records import (
        Changes,
        Conversation,
        ConversationHit,
        Edge,
        Entry,
        Excerpt,
        HiddenClass,
        Lineage,
        LineageNode,
        Listing,
        Message,
        MessageKind,
        SearchOrder,
        SearchResult,
        Sort,
        Status,
        StoreInfo,
        ToolCall,
        Transcript,
    )
    from storage.session_db import SessionDB

__all__ = [
    "Cancel",
    "Changes",
    "Conversation",
    "ConversationHit",
    "Edge",
    "Entry",
    "Excerpt",
    "Filter",
    "HiddenClass",
    "Interrupted",
    "Lineage",
    "LineageNode",
    "Listing",
    "Message",
    "MessageKind",
    "NotAStore",
    "SearchOrder",
    "SearchResult",
    "SessionDB",
    "SessionQuery",
    "Sort",
    "Status",
    "StoreBusy",
    "StoreError",
    "StoreInfo",
    "StoreMissing",
    "StoreUnreadable",
    "Term",
    "ToolCall",
    "Transcript",
    "UnknownSession",
    "WritingNotSupported",
    "parse",
]

_ROOMS = {
    "storage.engine.connection": ("Cancel",),
    "storage.finding.query": (
        "Filter",
        "SessionQuery",
        "Term",
        "parse",
    ),
    "storage.session_db": ("SessionDB",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    # A start pays only for the rooms it enters: the first screen needs the records, not the store.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    room = import_module("storage.records")
    return getattr(room if hasattr(room, name) else import_module("storage.errors"), name)
