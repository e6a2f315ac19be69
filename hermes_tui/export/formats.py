"""What can be exported, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from storage.errors import StoreError


class Format(StrEnum):
    """The value is the ending of the file's name."""

    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    """One array, an object each conversation."""
    JSONL = "jsonl"
    """A line each conversation."""

    @property
    def is_document(self) -> bool:
        """Whether it is written for people: one file a conversation, without its secrets unless asked for."""
        return self in (Format.MARKDOWN, Format.HTML)


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    path: str
    """Of the file, or of the directory with one file each conversation; "" for a stream."""
    conversations: int
    messages: int
    masked: int = 0
    """Secrets that were masked."""
    missing: tuple[str, ...] = ()
    """Ids of sessions that were not there."""
    cancelled: bool = False
    """It was stopped: `conversations` says how many files of a directory are finished; a single file is not there."""


class ExportRefused(StoreError):
    """Nothing more can be written there; what was there before is as it was."""
