"""All conversations of a store and their order, as one immutable snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from storage.conversation.family import Chain, Kin, chains
from storage.records import Edge, Entry, HiddenClass

CLASS_OF_SOURCE = {
    "subagent": HiddenClass.SUBAGENT,
    "cron": HiddenClass.CRON,
    "tool": HiddenClass.TOOL,
}
"""Asking for one of these sources by name is asking for its hidden class."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The conversations by last activity, newest first, and where each session belongs."""

    entries: tuple[Entry, ...]
    by_session: Mapping[str, Entry]

    def replaced(self, current: Mapping[str, Entry]) -> Catalog:
        """A catalog in which these sessions belong to these conversations.

        Conversations that share a session with one of them must be given whole.
        """
        stale = {self.by_session[id_].id for id_ in current if id_ in self.by_session}
        kept = [entry for entry in self.entries if entry.id not in stale]
        return Catalog(in_order((*kept, *distinct(current.values()))), {**self.by_session, **current})


def catalog(kin: Mapping[str, Kin]) -> Catalog:
    """The snapshot of these sessions."""
    by_session = conversations(kin)
    return Catalog(in_order(distinct(by_session.values())), by_session)


def conversations(kin: Mapping[str, Kin]) -> dict[str, Entry]:
    """The conversation of each of these sessions, as far as `kin` knows them."""
    found = {}
    for chain in chains(kin):
        entry = _entry(chain, kin)
        for id_ in chain.parts:
            found[id_] = entry
    return found


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """By last activity, then start, then id, the newest first; what has no readable time comes last."""
    return tuple(
        sorted(
            entries,
            key=lambda entry: (entry.last_active or 0.0, entry.started_at or 0.0, entry.id),
            reverse=True,
        )
    )


def distinct(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Each conversation once."""
    return {entry.id: entry for entry in entries}.values()


def _entry(chain: Chain, kin: Mapping[str, Kin]) -> Entry:
    tip = kin[chain.tip]
    last_active, pinned = tip.last_active, tip.pinned
    if len(chain.parts) > 1:
        parts = [kin[id_] for id_ in chain.parts]
        last_active = max((part.last_active for part in parts if part.last_active is not None), default=None)
        pinned = any(part.pinned for part in parts)
    return Entry(
        chain.tip,
        chain.parts,
        last_active,
        tip.source,
        _hidden_class(chain, tip),
        pinned,
        chain.edge,
        chain.main,
        kin[chain.parts[0]].started_at,
    )


def _hidden_class(chain: Chain, tip: Kin) -> HiddenClass | None:
    """The class of the live tip, the first that fits.

    A marked delegate is always the top of its chain (the rules ask for the marker first), so the edge of the
    chain says whether it is a subagent, however often it was compressed.
    """
    if tip.archived:
        return HiddenClass.ARCHIVED
    if tip.hidden:
        return HiddenClass.HIDDEN
    if chain.edge is Edge.SUBAGENT:
        return HiddenClass.SUBAGENT
    return CLASS_OF_SOURCE.get(tip.source)
