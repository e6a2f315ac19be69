"""What the store answers, as far as a screen must know it before it asks anything."""

from __future__ import annotations

from textual.message import Message


class StoreAnswer(Message):
    """Anything that `StoreWorker` posts."""


class WriteAnswer(Message):
    """Anything that `WriteLane` posts."""
