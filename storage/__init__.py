"""The Hermes session store: reading it without touching it, writing it beside others. Standard library only."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from storage.conversation.renaming import Renamed, TitleCheck
    from storage.engine.connection import Cancel
    from storage.engine.repair import Repaired, repair
    from storage.engine.upkeep import Shrunk
    from storage.engine.writer import WritePolicy
    from storage.errors import (
        BadFilter,
        BadPolicy,
        CannotCreate,
        CannotRepair,
        DiskFull,
        IndexDamaged,
        Interrupted,
        NotAStore,
        NotEnoughRoom,
        NotTheUsersMessage,
        OpenedReadOnly,
        RowRefused,
        StoppedByTrigger,
        StoreBusy,
        StoreClosed,
        StoreDamaged,
        StoreError,
        StoreFenced,
        StoreMissing,
        StoreNotWritable,
        StoreReplaced,
        StoreTooNew,
        StoreUnreadable,
        TitleChanged,
        TitleTaken,
        TitleTooLong,
        TrajectoryNotSaved,
        TrashDamaged,
        TrashUnusable,
        UnknownMessage,
        UnknownSession,
        UnknownStep,
        VersionTooOld,
        WritingNotSupported,
    )
    from storage.finding.counting import MatchCount
    from storage.finding.query import Filter, SessionQuery, Term, parse
    from storage.finding.recall import session_search
    from storage.finding.tallies import Statistics, StorePart, StoreSize, Tally, TopSession
    from storage.gateway.keys import SessionSource, build_session_key
    from storage.gateway.resets import ResetMode, SessionResetPolicy
    from storage.keeping.structure import migrate
    from storage.keeping.trash_records import DeletePreview, Deletion, Restored, TrashedStep
    from storage.readings import (
        ConversationHit,
        Excerpt,
        Lineage,
        LineageNode,
        Message,
        MessageKind,
        PrunePreview,
        SearchResult,
        ToolCall,
        Transcript,
    )
    from storage.records import (
        Changes,
        Conversation,
        Edge,
        Entry,
        HiddenClass,
        Listing,
        SearchOrder,
        Sort,
        Status,
        StoreInfo,
    )
    from storage.session_db import SessionDB
    from storage.trajectory import convert_scratchpad_to_think, has_incomplete_scratchpad, save_trajectory

__all__ = [
    "BadFilter",
    "BadPolicy",
    "Cancel",
    "CannotCreate",
    "CannotRepair",
    "Changes",
    "Conversation",
    "ConversationHit",
    "DeletePreview",
    "Deletion",
    "DiskFull",
    "Edge",
    "Entry",
    "Excerpt",
    "Filter",
    "HiddenClass",
    "IndexDamaged",
    "Interrupted",
    "Lineage",
    "LineageNode",
    "Listing",
    "MatchCount",
    "Message",
    "MessageKind",
    "NotAStore",
    "NotEnoughRoom",
    "NotTheUsersMessage",
    "OpenedReadOnly",
    "PrunePreview",
    "Renamed",
    "Repaired",
    "ResetMode",
    "Restored",
    "RowRefused",
    "SearchOrder",
    "SearchResult",
    "SessionDB",
    "SessionQuery",
    "SessionResetPolicy",
    "SessionSource",
    "Shrunk",
    "Sort",
    "Statistics",
    "Status",
    "StoppedByTrigger",
    "StoreBusy",
    "StoreClosed",
    "StoreDamaged",
    "StoreError",
    "StoreFenced",
    "StoreInfo",
    "StoreMissing",
    "StoreNotWritable",
    "StorePart",
    "StoreReplaced",
    "StoreSize",
    "StoreTooNew",
    "StoreUnreadable",
    "Tally",
    "Term",
    "TitleChanged",
    "TitleCheck",
    "TitleTaken",
    "TitleTooLong",
    "ToolCall",
    "TopSession",
    "TrajectoryNotSaved",
    "Transcript",
    "TrashDamaged",
    "TrashUnusable",
    "TrashedStep",
    "UnknownMessage",
    "UnknownSession",
    "UnknownStep",
    "VersionTooOld",
    "WritePolicy",
    "WritingNotSupported",
    "build_session_key",
    "convert_scratchpad_to_think",
    "has_incomplete_scratchpad",
    "migrate",
    "parse",
    "repair",
    "save_trajectory",
    "session_search",
]

_ROOMS = {
    "storage.conversation.renaming": ("Renamed", "TitleCheck"),
    "storage.engine.connection": ("Cancel",),
    "storage.engine.repair": ("Repaired", "repair"),
    "storage.engine.upkeep": ("Shrunk",),
    "storage.engine.writer": ("WritePolicy",),
    "storage.finding.counting": ("MatchCount",),
    "storage.finding.query": (
        "Filter",
        "SessionQuery",
        "Term",
        "parse",
    ),
    "storage.keeping.structure": ("migrate",),
    "storage.readings": (
        "ConversationHit",
        "Excerpt",
        "Lineage",
        "LineageNode",
        "Message",
        "MessageKind",
        "PrunePreview",
        "SearchResult",
        "ToolCall",
        "Transcript",
    ),
    "storage.keeping.trash_records": ("DeletePreview", "Deletion", "Restored", "TrashedStep"),
    "storage.finding.recall": ("session_search",),
    "storage.finding.tallies": ("Statistics", "StorePart", "StoreSize", "Tally", "TopSession"),
    "storage.gateway.keys": ("SessionSource", "build_session_key"),
    "storage.gateway.resets": ("ResetMode", "SessionResetPolicy"),
    "storage.session_db": ("SessionDB",),
    "storage.trajectory": ("convert_scratchpad_to_think", "has_incomplete_scratchpad", "save_trajectory"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    # A start pays only for the rooms it enters: the first screen needs the records, not the store.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    # Whatever fails early needs an error and no record.
    room = import_module("storage.errors")
    return getattr(room if hasattr(room, name) else import_module("storage.records"), name)
