"""What crosses the wall: small frozen facts. No row, cursor or connection ever does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class HiddenClass(StrEnum):
    """Why a conversation is not in the list unless asked for; in this precedence, one class each."""

    ARCHIVED = "archived"
    HIDDEN = "hidden"
    SUBAGENT = "subagent"
    CRON = "cron"
    TOOL = "tool"


class Status(StrEnum):
    """How the live tip of a conversation stands, from its last active message."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    ERROR = "error"
    EMPTY = "empty"
    RUNNING = "running"


class Edge(StrEnum):
    """Why a session hangs below its parent; the first rule that fits (product: Session list)."""

    ROOT = "root"
    MISSING = "parent missing"
    COMPRESSED = "compressed"
    BRANCH = "branch"
    RESET = "reset"
    SUBAGENT = "subagent"


class Sort(StrEnum):
    """Orders of the list; every order but TITLE puts the largest or newest first."""

    ACTIVE = "last active"
    STARTED = "started"
    TITLE = "title"
    MESSAGES = "messages"
    TOKENS = "tokens"
    COST = "cost"


class SearchOrder(StrEnum):
    """Orders of what a search finds."""

    NEWEST = "newest first"
    RELEVANT = "most relevant first"


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store is and what cannot be done with it."""

    path: Path
    version: int | None
    """The number in `schema_version`; None where there is none."""
    layout: str
    """The search index in words: "inline", "external content", "one column", "none"."""
    journal: str
    """"wal", "delete", … as the file says."""
    immutable: bool
    """Opened with immutable=1: a WAL file on read-only media, nobody can be writing to it."""
    size: int
    """Bytes of the main file."""
    sessions: int
    unnamed: int = 0
    """Those of the sessions that no id can name: they are neither shown nor exported."""
    notes: tuple[str, ...] = ()
    """What cannot be done and why, one clear sentence each."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One conversation as the order knows it: enough to place it, not to draw it."""

    id: str
    """The live tip."""
    parts: tuple[str, ...]
    """Every session of the chain, the main line from first to live tip, then the dead ends."""
    last_active: float | None
    """Unix seconds, the latest of all parts; None where the store holds no readable time."""
    source: str
    hidden: HiddenClass | None = None
    pinned: bool = False
    edge: Edge = Edge.ROOT
    """Why its first part hangs where it hangs."""
    main: int = 1
    """How many of `parts` are the main line."""
    started_at: float | None = None
    """Unix seconds, the start of the first part."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The order of the conversations on show, whole or its first page."""

    entries: tuple[Entry, ...]
    hidden: Mapping[HiddenClass, int] = field(default_factory=dict)
    """Conversations of each hidden class, shown or not; empty while not `complete`."""
    complete: bool = True
    """False for a first page that was read ahead of the whole."""
    total: int = 0
    """Conversations on show (the length of the whole order), 0 while not `complete`."""
    notes: tuple[str, ...] = ()
    """What the query asks for that is not there, one short clause each."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """One row of the list, summed over its chain."""

    id: str
    title: str
    """Empty for an untitled one; exactly as stored, unsafe to print."""
    preview: str
    source: str
    model: str
    started_at: float | None
    last_active: float | None
    ended_at: float | None
    status: Status
    messages: int
    """Counted from the rows: active, or compacted."""
    tokens: int
    cost: float | None
    """US dollars, actual where known, else estimated; None where neither is."""
    parts: tuple[str, ...]
    cwd: str = ""
    branch: str = ""
    archived: bool = False
    pinned: bool = False
    hidden: HiddenClass | None = None
    edge: Edge = Edge.ROOT

    @property
    def is_branch(self) -> bool:
        """Whether it left another conversation to go its own way."""
        return self.edge is Edge.BRANCH


@dataclass(frozen=True, slots=True)
class Changes:
    """What other processes did since the last look."""

    session_ids: tuple[str, ...] = ()
    """Sessions with new messages, or new themselves."""
    reordered: bool = False
    """Sessions came or went, or so much changed that the whole order should be read again."""
