"""All conversations of a store and their order, as one immutable snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from storage.conversation.family import Chain, Kin, chains
from storage.records import Edge, Entry, HiddenClass

CLASS_OF_SOURCE = {
    "subagent": HiddenClass.SUBAGENT,
    "cron": HiddenClass.CRON,
    "tool": HiddenClass.TOOL,
}
"""Asking for one of these sources by name is asking for its hidden class."""


class Placed(NamedTuple):
    """A conversation with what only its place in the order depends on."""

    entry: Entry
    started_at: float | None
    """Start of its first part, in Unix seconds."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The conversations by last activity, newest first, and where each session belongs."""

    placed: tuple[Placed, ...]
    by_session: Mapping[str, Placed]

    def replaced(self, current: Mapping[str, Placed]) -> Catalog:
        """A catalog in which these sessions belong to these conversations.

        Conversations that share a session with one of them must be given whole.
        """
        outdated = {id_ for id_ in current if id_ in self.by_session}
        stale = {self.by_session[id_].entry.id for id_ in outdated}
        kept = [one for one in self.placed if one.entry.id not in stale]
        return Catalog(
            in_order((*kept, *_distinct(current.values()))),
            {**self.by_session, **current},
        )


def catalog(kin: Mapping[str, Kin]) -> Catalog:
    """The snapshot of these sessions."""
    by_session = conversations(kin)
    return Catalog(in_order(_distinct(by_session.values())), by_session)


def conversations(kin: Mapping[str, Kin]) -> dict[str, Placed]:
    """The conversation of each of these sessions, as far as `kin` knows them."""
    found = {}
    for chain in chains(kin):
        one = _placed(chain, kin)
        for id_ in chain.parts:
            found[id_] = one
    return found


def in_order(placed: Iterable[Placed]) -> tuple[Placed, ...]:
    """By last activity, then start, then id, the newest first; what has no readable time comes last."""
    return tuple(
        sorted(
            placed,
            key=lambda one: (one.entry.last_active or 0.0, one.started_at or 0.0, one.entry.id),
            reverse=True,
        )
    )


def _distinct(placed: Iterable[Placed]) -> Iterable[Placed]:
    return {one.entry.id: one for one in placed}.values()


def _placed(chain: Chain, kin: Mapping[str, Kin]) -> Placed:
    tip = kin[chain.tip]
    if len(chain.parts) == 1:
        last_active, pinned = tip.last_active, tip.pinned
    else:
        parts = [kin[id_] for id_ in chain.parts]
        last_active = max((part.last_active for part in parts if part.last_active is not None), default=None)
        pinned = any(part.pinned for part in parts)
    entry = Entry(
        chain.tip,
        chain.parts,
        last_active,
        tip.source,
        _hidden_class(chain, tip),
        pinned,
        chain.edge,
        chain.main,
    )
    return Placed(entry, kin[chain.parts[0]].started_at)


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
