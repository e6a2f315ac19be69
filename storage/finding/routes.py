"""Which messages the index knows, and which have to be looked at one by one (spec 1.5, 1.7, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from storage.engine.connection import Cancel, Reader
from storage.finding import index, scan
from storage.finding.hits import OLDEST, Route
from storage.finding.query import SessionQuery


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages from the id `first` on, up to where the stretch before it begins, and the way through them."""

    first: int
    route: Route


@dataclass(frozen=True, slots=True)
class Plan:
    """The way through all messages, the newest first."""

    stretches: tuple[Stretch, ...]
    notes: tuple[str, ...] = ()
    """Why messages are scanned, or what is not searched."""

    def below(self, before: int) -> Stretch | None:
        """The stretch that holds the messages right below this id; None where there are none."""
        return next((stretch for stretch in self.stretches if stretch.first < before), None)


def scan_all(why: str) -> Plan:
    """The way without an index."""
    return Plan((Stretch(OLDEST, scan.read),), (f"{why}: scanned",))


def plan(reader: Reader, query: SessionQuery, cancel: Cancel) -> Plan:
    """The quickest way that misses no message."""
    layout = reader.layout
    if not (layout.has("messages", "id") and layout.has("messages", "session_id")):
        return Plan((), ("this store has no messages",))
    if nameless := next((term for term in query.terms if not term.words), None):
        return scan_all(f"“{nameless.text}” is not in the index")
    if layout.fts is None:
        return scan_all("search index missing")
    if not layout.fts.tokenizer.startswith("unicode61"):
        return scan_all("search index unknown")
    marks = _marks(reader, cancel)
    if "fts_stale" in marks or not _is_fed(reader, cancel):
        return scan_all("search index out of date")
    notes = ("old search index: tool calls not searched",) if layout.fts.kind == "one column" else ()
    return Plan(_stretches(marks), notes)


def _stretches(marks: Mapping[str, int]) -> tuple[Stretch, ...]:
    """Around what a rebuild has not reached yet: the index holds a message iff its id <= progress or > high water."""
    everything = Stretch(OLDEST, index.read)
    if "fts_rebuild_high_water" not in marks:
        return (everything,)
    high, reached = marks["fts_rebuild_high_water"], marks.get("fts_rebuild_progress", -1)
    if reached >= high:
        return (everything,)
    return Stretch(high + 1, index.read), Stretch(reached + 1, scan.read), everything


def _marks(reader: Reader, cancel: Cancel) -> dict[str, int]:
    if not reader.layout.has("state_meta", "value"):
        return {}
    return dict(
        reader.rows(
            "SELECT key, CAST(value AS INTEGER) FROM state_meta"
            " WHERE key IN ('fts_rebuild_high_water', 'fts_rebuild_progress', 'fts_stale')",
            (),
            cancel,
        )
    )


def _is_fed(reader: Reader, cancel: Cancel) -> bool:
    """Whether new messages still enter the index: a Hermes that finds it damaged takes its triggers away."""
    return bool(
        reader.rows(
            "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'messages_fts_insert'", (), cancel
        )
    )
