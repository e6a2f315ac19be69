"""What crosses the wall when somebody reads or searches; the list does without. Small frozen facts, as in `records`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from storage.records import Edge, Entry, HiddenClass


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
    """What a message asks a tool for."""

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
class PrunePreview:
    """What a prune would delete, and what it would spare."""

    session_ids: tuple[str, ...]
    conversations: int
    oldest: float | None
    """The last activity of the one that is longest ago, in Unix seconds; None where there is none."""
    newest: float | None
    open_conversations: int
    """Old enough, but not ended."""
