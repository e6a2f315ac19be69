"""Who belongs to whom: the rules that turn sessions into conversations (product: Session list). No SQL here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from storage.records import Edge

LATEST_TIME = 32_503_680_000.0
"""Unix time of the year 3000: what claims to be later is milliseconds, infinity or rubbish."""

RESET_REASONS = frozenset(
    {"session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"}
)
"""Ends after which a child with the same `session_key` is a fresh start (spec 4.9)."""

# Kin and Chain are tuples because a store has tens of thousands of them, and a dataclass is made five times slower.

_MARKERS = {"_delegate_from": "delegate", "_branched_from": "branch", "_reset_from": "reset"}


class Kin(NamedTuple):
    """What decides where one session belongs."""

    id: str
    parent: str | None
    source: str
    started_at: float | None
    ended_at: float | None
    ended: bool
    """An end is recorded, readable or not."""
    end_reason: str
    session_key: str
    markers: frozenset[str]
    """Of "delegate", "branch", "reset": what `model_config` says about its origin."""
    last_active: float | None
    """Its newest message, else its start; None where neither is readable."""
    archived: bool
    hidden: bool
    pinned: bool


class Chain(NamedTuple):
    """One conversation: everything that compressions connect."""

    parts: tuple[str, ...]
    """The main line from the first part to the live tip, then the dead ends."""
    main: int
    edge: Edge
    """Why its first part hangs where it hangs."""

    @property
    def tip(self) -> str:
        """The live tip."""
        return self.parts[self.main - 1]


def readable(value: object) -> float | None:
    """The value as a believable Unix time (after 1970, before the year 3000), else None."""
    if type(value) is float:  # nearly all are, and this is asked three times of every session
        return value if 0 < value < LATEST_TIME else None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < LATEST_TIME:
        return float(value)
    return None


def markers(model_config: object) -> frozenset[str]:
    """The origin markers in the stored `model_config`; any text at all is accepted."""
    if not isinstance(model_config, str) or "_from" not in model_config:
        return frozenset()
    try:
        config = json.loads(model_config)
    except (ValueError, RecursionError):
        return frozenset()
    if not isinstance(config, dict):
        return frozenset()
    return frozenset(name for key, name in _MARKERS.items() if config.get(key) is not None)


def edge(child: Kin, parent: Kin | None) -> Edge:
    """Why `child` hangs below `parent` (None: there is no such row): the first rule that fits."""
    if "delegate" in child.markers or child.source == "subagent":
        return Edge.SUBAGENT
    if parent is None:
        return Edge.MISSING if child.parent is not None else Edge.ROOT
    if "branch" in child.markers or (parent.end_reason == "branched" and _started_after(child, parent)):
        return Edge.BRANCH
    if "reset" in child.markers or (
        parent.end_reason in RESET_REASONS and child.session_key == parent.session_key != ""
    ):
        return Edge.RESET
    if parent.end_reason == "compression" and child.source != "tool":
        return Edge.COMPRESSED
    return Edge.SUBAGENT


def links(kin: Mapping[str, Kin]) -> dict[str, str]:
    """The parent of each session that has one among `kin`, with every loop cut open.

    A loop loses one link: where the loop is not one compression, else at its oldest session.
    """
    above = {one.id: one.parent for one in kin.values() if one.parent is not None and one.parent in kin}
    done: set[str] = set()
    for start in list(above):
        trail: dict[str, None] = {}
        here: str | None = start
        while here is not None and here not in done and here not in trail:
            trail[here] = None
            here = above.get(here)
        if here is not None and here in trail:
            loop = list(trail)
            loop = loop[loop.index(here) :]
            del above[min(loop, key=lambda id_: _cutting_order(kin[id_], kin[above[id_]]))]
        done.update(trail)
    return above


def edges(kin: Mapping[str, Kin], above: Mapping[str, str]) -> dict[str, Edge]:
    """Why each session hangs where it hangs, `above` being its `links`."""
    reasons = {}
    for one in kin.values():
        parent = above.get(one.id)
        if parent is not None:
            reasons[one.id] = edge(one, kin[parent])
        elif one.parent in kin:  # the link that a loop lost
            reasons[one.id] = edge(one._replace(parent=None), None)
        else:
            reasons[one.id] = edge(one, None)
    return reasons


def chains(kin: Mapping[str, Kin]) -> list[Chain]:
    """The conversations of these sessions: every session is in exactly one chain."""
    above = links(kin)
    reasons = edges(kin, above)
    following = continuations(kin, above, reasons)
    return [
        _chain(id_, reason, following) for id_, reason in reasons.items() if reason is not Edge.COMPRESSED
    ]


def continuations(
    kin: Mapping[str, Kin], above: Mapping[str, str], reasons: Mapping[str, Edge]
) -> dict[str, list[Kin]]:
    """The sessions that continue each session which was compressed."""
    found: dict[str, list[Kin]] = {}
    for id_, reason in reasons.items():
        if reason is Edge.COMPRESSED:
            found.setdefault(above[id_], []).append(kin[id_])
    return found


def next_part(candidates: Iterable[Kin]) -> Kin:
    """The continuation that the conversation went on in (spec 4.9, get_compression_tip)."""
    return max(candidates, key=_liveliness)


def _chain(top: str, reason: Edge, following: Mapping[str, list[Kin]]) -> Chain:
    if top not in following:
        return Chain((top,), 1, reason)
    line = [top]
    beside: list[Kin] = []
    while children := following.get(line[-1]):
        live = next_part(children)
        line.append(live.id)
        beside.extend(child for child in children if child is not live)
    dead = [id_ for child in sorted(beside, key=by_age) for id_ in _with_descendants(child, following)]
    return Chain((*line, *dead), len(line), reason)


def _with_descendants(start: Kin, following: Mapping[str, list[Kin]]) -> Iterator[str]:
    waiting = [start]
    while waiting:
        one = waiting.pop()
        yield one.id
        waiting.extend(sorted(following.get(one.id, ()), key=by_age, reverse=True))


def by_age(one: Kin) -> tuple[float, str]:
    """Sorting key: oldest first; without a readable start, first of all."""
    return (one.started_at or 0.0, one.id)


def _liveliness(one: Kin) -> tuple[int, float, float, str]:
    rank = 2 if one.end_reason == "compression" else 0 if one.ended else 1
    return (rank, one.last_active or 0.0, *by_age(one))


def _started_after(child: Kin, parent: Kin) -> bool:
    """Whether the child started at or after the end of the parent."""
    return (
        child.started_at is not None and parent.ended_at is not None and child.started_at >= parent.ended_at
    )


def _cutting_order(one: Kin, parent: Kin) -> tuple[bool, float, str]:
    return (edge(one, parent) is Edge.COMPRESSED, *by_age(one))
