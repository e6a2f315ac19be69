"""Every row of a store, as a page of the list would show it."""

from __future__ import annotations

from storage.engine.connection import Reader
from storage.finding import details
from storage.finding.listing import Lister
from storage.records import Conversation, HiddenClass, Sort

NOW = 1795953600.0
"""An hour after the newest message of the stored stores."""


def listed(reader: Reader, now: float = NOW) -> dict[str, Conversation]:
    """The rows of all conversations, hidden ones too, by their ids."""
    entries = Lister(reader).listing(None, Sort.ACTIVE, frozenset(HiddenClass)).entries
    return {row.id: row for row in details.conversations(reader, entries, now)}
