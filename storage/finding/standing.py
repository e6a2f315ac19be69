"""How the search indexes of a store stand: learned once until somebody commits (spec 1.5, 1.7, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from storage.engine.connection import Cancel, Reader
from storage.engine.layout import FtsTable
from storage.finding import trigrams, vocabulary
from storage.finding.scope import NEWEST
from storage.finding.spellings import GLUE, Escapes

ENCODED = '^"json"'
"""Finds content that is a list of parts: its marker makes it begin with this word, as little else does."""


_KEPT = 4
"""Short texts of which it is kept where they are."""

PAIRS = "cjk_unicode61"
"""The tokenizer that makes a word of every two CJK characters in a row."""


@dataclass(frozen=True)
class Standing:
    """Each fact is looked at when it is first asked for.

    Raises:
        IndexDamaged: From what asks an index.
    """

    reader: Reader
    _places: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    _beside: dict[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    @cached_property
    def marks(self) -> dict[str, int]:
        """What Hermes notes of its indexes in `state_meta`, as numbers."""
        if not self.reader.layout.has("state_meta", "value"):
            return {}
        return dict(
            self.reader.rows(
                # Read as the triggers of the index read them: what is NULL is none.
                "SELECT key, coalesce(CAST(value AS INTEGER), -1) FROM state_meta WHERE key IN"
                " ('fts_rebuild_high_water', 'fts_rebuild_progress', 'fts_stale', 'fts_trigram_stale',"
                " 'fts_cjk_stale', 'fts_cjk_rebuild_high_water')"
            )
        )

    @cached_property
    def is_stale(self) -> bool:
        """Whether the index of words does not know what was written last."""
        return "fts_stale" in self.marks or not self._is_fed("messages_fts")

    @cached_property
    def knows_all(self) -> bool:
        """Whether the index of words can be asked, and knows every message as far as its words are ones to it."""
        layout = self.reader.layout
        return (
            layout.has("messages", "session_id")
            and layout.fts is not None
            and layout.fts.tokenizer.startswith("unicode61")
            and not self.is_stale
            and self.gap is None
        )

    @cached_property
    def trigram(self) -> FtsTable | None:
        """The index of trigrams, if it knows every message that it should."""
        table = self.reader.layout.trigram
        if table is None or table.tokenizer != "trigram" or "fts_trigram_stale" in self.marks:
            return None
        return table if self._is_fed("messages_fts_trigram") else None

    @cached_property
    def has_pairs(self) -> bool:
        """Whether the index of pairs of CJK characters can be asked, and knows what the trigrams know (spec 1.6)."""
        table, trigram = self.reader.layout.cjk, self.trigram
        return (
            table is not None
            and trigram is not None
            and table.tokenizer == PAIRS
            and (table.kind, trigram.kind) == ("external", "external")
            and self.marks.keys().isdisjoint(("fts_cjk_stale", "fts_cjk_rebuild_high_water"))
            and self._is_fed("messages_fts_cjk")
            and self.reader.can_read_cjk()
        )

    @cached_property
    def gap(self) -> tuple[int, int] | None:
        """First id and end of what a rebuild has not reached: the index holds the ids <= progress and > high water."""
        high, reached = (self.marks.get(f"fts_rebuild_{mark}", -1) for mark in ("high_water", "progress"))
        return (reached + 1, high + 1) if reached < high else None

    @cached_property
    def has_wide(self) -> bool:
        """Whether there is CJK, as far as it begins a word or stands three characters from the end of a text."""
        return vocabulary.has_wide(self.reader) or (
            self.trigram is not None and trigrams.has_wide(self.reader)
        )

    @cached_property
    def has_encoded(self) -> bool:
        """Whether any content is stored as JSON, or looks like it to the index."""
        return bool(
            self.reader.rows("SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT 1", (ENCODED,))
        )

    @cached_property
    def escaped(self) -> tuple[str, ...] | None:
        """The words that begin like an escape of JSON; None where there are very many."""
        return vocabulary.escaped(self.reader)

    @cached_property
    def has_calls(self) -> bool:
        """Whether the index of words knows tool calls, which are stored as JSON."""
        fts = self.reader.layout.fts
        has = self.reader.layout.has("messages", "tool_calls")
        return has and fts is not None and (fts.kind == "inline" or "tool_calls" in fts.columns)

    @cached_property
    def escapes(self) -> Escapes | None:
        """The words that begin like an escape, but for writing without cases; None where there are very many."""
        found = vocabulary.escaped_letters(self.reader)
        return None if found is None else Escapes(found)

    @cached_property
    def has_other_escapes(self) -> bool:
        """Whether there are others, right behind which a word may stand."""
        return vocabulary.has_other_escapes(self.reader)

    @cached_property
    def has_escapes(self) -> bool:
        """Whether anything may be spelt with an escape of more than one letter."""
        return self.escapes is None or not self.escapes.is_empty or self.has_other_escapes

    @cached_property
    def is_of_columns(self) -> bool:
        """Whether the index of words can be asked for tool calls alone."""
        fts = self.reader.layout.fts
        return fts is not None and fts.kind == "external"

    @cached_property
    def letters_behind(self) -> str | None:
        """Letters that stand behind a backslash in tool calls, of those that may; None where no trigram tells."""
        table = self.trigram
        if table is None or not (table.kind == "inline" or "tool_calls" in table.columns):
            return None
        return trigrams.behind_backslashes(self.reader, GLUE)

    @cached_property
    def fronts(self) -> Mapping[str, Sequence[str]] | None:
        """See `trigrams.fronts`; None also where there are no trigrams."""
        return trigrams.fronts(self.reader) if self.trigram is not None else None

    def places(self, text: str, cancel: Cancel) -> tuple[int, ...] | None:
        """See `trigrams.places`; what was asked last is kept, for a search goes on from page to page."""
        if text not in self._places:
            found = trigrams.places(self.reader, text, cancel)
            if len(self._places) >= _KEPT:
                self._places.clear()
            self._places[text] = found
        return self._places[text]

    def beside(self, condition: str, first: int, cancel: Cancel) -> tuple[int, ...]:
        """Messages that fulfil this, the newest first: all from an id on, and what was looked at below it."""
        lowest, found = self._beside.get(condition, (NEWEST, ()))
        if first < lowest:
            more = self.reader.json(
                f"""SELECT json_group_array(m.id) FROM messages m
                WHERE m.id >= {first} AND m.id < {lowest} AND ({condition})""",
                (),
                cancel,
            )
            found = (*found, *sorted(more, reverse=True))
            self._beside[condition] = first, found
        return found

    def _is_fed(self, table: str) -> bool:
        """Whether new messages still enter the index: a Hermes that finds it damaged takes its triggers away."""
        return bool(
            self.reader.rows(
                "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = ?", (f"{table}_insert",)
            )
        )


def standing(reader: Reader) -> Standing:
    """How they stand now."""
    reader.refresh_layout()
    return reader.learned("search indexes", lambda: Standing(reader))
