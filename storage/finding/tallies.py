"""What statistics answer with: numbers that add up, and the records that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Tally:
    """What some sessions add up to."""

    conversations: int = 0
    sessions: int = 0
    messages: int = 0
    """Counted from the rows: active, or compacted."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """US dollars, actual where known, else estimated; None where neither is."""

    @property
    def tokens(self) -> int:
        """Input and output."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a store adds up to. Sources and models are as stored: unsafe to print."""

    total: Tally
    sources: Mapping[str, Tally]
    """Most sessions first; "" for what has none."""
    models: Mapping[str, Tally]
    """Dearest first, then most tokens; "" for what has none."""
    days: Mapping[date, Tally]
    """Of the local calendar, in order; only those on which there was something."""
    hours: tuple[Tally, ...]
    """The 24 of the local clock, over all days."""
    undated: Tally
    """What has no readable time, and is in no day and no hour."""


@dataclass(frozen=True, slots=True)
class TopSession:
    """One of the largest sessions. Its text is as stored: unsafe to print."""

    id: str
    title: str
    source: str
    model: str
    started_at: float | None
    messages: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class StorePart:
    """A table or an index of the file."""

    name: str
    kind: str
    """"table", "index", "search index"; "in use" for all of it together; "other" for what SQLite itself needs."""
    table: str
    """The table that an index is of, and the search index that a table is a part of."""
    size: int
    """Bytes, in whole pages."""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """What a store takes on the disk, in bytes."""

    total: int
    """Of the store itself; `free` and all parts together."""
    free: int
    """Pages that hold nothing any more: what a vacuum gives back."""
    wal: int
    """What lies in the file beside it and is not in the store yet."""
    parts: tuple[StorePart, ...]
    """The largest first."""
    measured_by: str
    """"dbstat", page by page; "page counts" where this SQLite cannot look: then there is one part."""


@dataclass(slots=True)
class Sum:
    """A Tally that still grows."""

    conversations: int = 0
    sessions: int = 0
    messages: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    def add_session(self, sent: float, received: float, cost: float | None) -> None:
        """Count one session with its tokens and its cost."""
        self.sessions += 1
        self.input_tokens += int(sent)
        self.output_tokens += int(received)
        if cost is not None:
            self.cost = cost + (self.cost or 0.0)

    def tally(self) -> Tally:
        """What it has grown to."""
        return Tally(
            self.conversations, self.sessions, self.messages, self.input_tokens, self.output_tokens, self.cost
        )
