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
class ConversationHit:
    """A conversation that matches a search."""

    entry: Entry
    hits: int
    """Messages that matched so far; 0 when only the title or an id matched."""
    messages: tuple[int, ...] = ()
    """Ids of its newest matching messages, newest first, a few of them."""
    by_name: bool = False
    """The title or an id matched."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found so far, in its order."""

    hits: tuple[ConversationHit, ...]
    exhausted: bool
    """False when the walk stopped early: counts are lower bounds and `after=` goes on."""
    hidden: Mapping[HiddenClass, int] = field(default_factory=dict)
    """Matching conversations that are not shown, by class."""
    scanned: bool = False
    """An index was missing or damaged (or cannot know the term) and the messages were scanned."""
    notes: tuple[str, ...] = ()
    """What was ignored or could not be searched, one short clause each."""
    resume: object | None = None
    """Where the walk goes on; opaque."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The best few words around a match."""

    text: str
    """One line, decoded; unsafe to print."""
    spans: tuple[tuple[int, int], ...]
    """Character ranges of `text` that match."""
    message_id: int
    session_id: str
    role: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: str


class MessageKind(StrEnum):
    """What a row is to a reader."""

    MESSAGE = "message"
    SUMMARY = "summary"
    """A compaction summary: model-facing, in a user's clothes."""
    SCAFFOLDING = "scaffolding"
    """display_kind "hidden": never shown."""
    BOOKKEEPING = "bookkeeping"
    """role session_meta: never shown."""


@dataclass(frozen=True, slots=True)
class Message:
    """One visible message, decoded. All its text is as stored: unsafe to print."""

    id: int
    session_id: str
    role: str
    text: str
    """Content as text; pictures and other parts as "[image]", "[audio]", …"""
    timestamp: float | None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_name: str = ""
    finish_reason: str = ""
    reasoning: str = ""
    compacted: bool = False
    """Archived by a compaction inside its session: not sent to the model any more, still part of the talk."""
    kind: MessageKind = MessageKind.MESSAGE
    cut: int = 0
    """Characters left out at the end because the message is enormous."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages of a conversation, oldest first."""

    parts: tuple[str, ...]
    messages: tuple[Message, ...]
    earlier: int = 0
    """User and assistant messages before the first one here."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LineageNode:
    """One relative, in the order of the tree."""

    id: str
    parent: str | None
    """The node it hangs below in this tree; None for the top."""
    depth: int
    edge: Edge
    title: str
    source: str
    live: bool
    """The live tip of the asked session's chain."""
    messages: int
    tokens: int
    cost: float | None
    started_at: float | None
    chain: str
    """What Hermes resumes when asked for it: the live tip, for a part of the main line; itself, for a dead end."""
    preview: str = ""


@dataclass(frozen=True, slots=True)
class Lineage:
    """The whole family of a session."""

    nodes: tuple[LineageNode, ...]
    messages: int
    tokens: int
    cost: float | None
    tip: str
    """The live tip of the asked session's chain."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What other processes did since the last look."""

    session_ids: tuple[str, ...] = ()
    """Sessions with new messages, or new themselves."""
    reordered: bool = False
    """Sessions came or went, or so much changed that the whole order should be read again."""


@dataclass(frozen=True, slots=True)
class PrunePreview:
    """What a prune would delete, and what it would spare."""

    session_ids: tuple[str, ...]
    conversations: int
    oldest: float | None
    """The last activity of the one that is longest ago, in Unix seconds; None where there is none."""
    newest: float | None
    open_conversations: int
    """Old enough, but not ended."""
