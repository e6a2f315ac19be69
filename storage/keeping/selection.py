"""Which conversations are old, ended and wanted enough to be let go (spec 4.7; product: Decided).

A chain is one: its age is its last activity, an open part keeps all of it, and a filter looks at the whole, as the
list does: text at the live tip, the start at the first part, counters at the sum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from storage.conversation import relatives
from storage.conversation.family import Chain, Kin, chains
from storage.engine.within import Reading
from storage.errors import BadFilter

_DAY = 86400

Row = dict[str, Any]

_FACTS = (
    "source",
    "model",
    "title",
    "started_at",
    "ended_at",
    "end_reason",
    "cwd",
    "git_branch",
    "billing_provider",
    "user_id",
    "chat_id",
    "chat_type",
    "message_count",
    "tool_call_count",
    "input_tokens",
    "output_tokens",
    "estimated_cost_usd",
    "actual_cost_usd",
    "archived",
)


_KINDS: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "bool": bool,
    "int": (int, float),
    "float": (int, float),
}
"""What the values of a filter may be, by the word that its annotation begins with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What must hold for a conversation; None holds for every one. Times are Unix seconds."""

    source: str | None = None
    started_before: float | None = None
    started_after: float | None = None
    active_before: float | None = None
    """By the last activity, as the age is."""
    active_after: float | None = None
    title_like: str | None = None
    """Contained in the title, whatever the case; so are `model_like` and `branch_like`."""
    model_like: str | None = None
    branch_like: str | None = None
    end_reason: str | None = None
    cwd_prefix: str | None = None
    """The directory it worked in, or one above."""
    provider: str | None = None
    """Of billing, whatever the case."""
    user_id: str | None = None
    chat_id: str | None = None
    chat_type: str | None = None
    min_messages: int | None = None
    """By the stored counters."""
    max_messages: int | None = None
    min_tool_calls: int | None = None
    max_tool_calls: int | None = None
    min_tokens: int | None = None
    """Input and output."""
    max_tokens: int | None = None
    min_cost: float | None = None
    """US dollars: actual, else estimated."""
    max_cost: float | None = None
    archived: bool | None = None
    """Only archived ones, or none of them."""
    include_pinned: bool = False
    """Pinned ones too, which are otherwise spared."""
    pinned: bool | None = None
    """Only pinned ones, or none of them, whatever `include_pinned` says."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Filters:
        """The filters with these names.

        Raises:
            BadFilter: There is none of that name, or it takes no such value.
        """
        kinds = {field.name: _KINDS[str(field.type).partition(" ")[0]] for field in fields(cls)}
        for name, value in given.items():
            if name not in kinds:
                raise BadFilter(f"there is no filter named {name!r}")
            if value is not None and not isinstance(value, kinds[name]):
                raise BadFilter(f"{name} cannot be {value!r}")
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Selected:
    """A conversation that was selected."""

    chain: Chain
    last_active: float | None
    rows: tuple[Row, ...]
    """What is known of each part, in the order of the chain: `id` and the columns that filters look at."""

    @property
    def is_open(self) -> bool:
        """Whether any part has not ended."""
        return any(row["ended_at"] is None for row in self.rows)


def select(reading: Reading, now: float, older_than_days: float | None, filters: Filters) -> list[Selected]:
    """The conversations that were last active before that many days and pass the filters, open ones too.

    Raises:
        BadFilter: The days are negative, or no number.
    """
    cutoff = cutoff_of(now, older_than_days)
    kin = relatives.everyone(reading)
    old = [chain for chain in chains(kin) if is_old(chain, kin, cutoff) and _pin_fits(chain, kin, filters)]
    rows = _rows(reading, [part for chain in old for part in chain.parts])
    selected = [
        Selected(chain, last_active(chain, kin), tuple(rows[part] for part in chain.parts))
        for chain in old
        if all(part in rows for part in chain.parts)
    ]
    return [one for one in selected if _passes(one, filters)]


def cutoff_of(now: float, older_than_days: float | None) -> float | None:
    """The time before which the last activity must lie.

    Raises:
        BadFilter: The days are negative, or no number.
    """
    if older_than_days is None:
        return None
    if not isinstance(older_than_days, int | float) or not older_than_days >= 0:
        raise BadFilter(f"older_than_days must be a number of days, 0 or more, not {older_than_days!r}")
    return now - older_than_days * _DAY


def is_old(chain: Chain, kin: Mapping[str, Kin], cutoff: float | None) -> bool:
    """Whether the last activity of the whole chain lies before `cutoff`; an unreadable one lies nowhere."""
    if cutoff is None:
        return True
    last = last_active(chain, kin)
    return last is not None and last < cutoff


def last_active(chain: Chain, kin: Mapping[str, Kin]) -> float | None:
    """The latest activity of any part in Unix seconds."""
    return max((time for part in chain.parts if (time := kin[part].last_active) is not None), default=None)


def _pin_fits(chain: Chain, kin: Mapping[str, Kin], filters: Filters) -> bool:
    pinned = any(kin[part].pinned for part in chain.parts)
    if filters.pinned is not None:
        return pinned is filters.pinned
    return filters.include_pinned or not pinned


def _rows(reading: Reading, ids: list[str]) -> dict[str, Row]:
    columns = ", ".join(f"{reading.layout.column('sessions', name)} AS {name}" for name in _FACTS)
    rows = reading.dicts(
        f"SELECT id, {columns} FROM sessions WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(ids),)
    )
    return {row["id"]: row for row in rows}


def _passes(one: Selected, filters: Filters) -> bool:
    first, tip = one.rows[0], one.rows[one.chain.main - 1]
    return (
        _equal(tip, filters)
        and _contained(tip, filters)
        and _within_directory(tip["cwd"], filters.cwd_prefix)
        and _provided(tip["billing_provider"], filters.provider)
        and (filters.archived is None or bool(tip["archived"]) is filters.archived)
        and _between(one.last_active, filters.active_after, filters.active_before, strictly=True)
        and _between(first["started_at"], filters.started_after, filters.started_before, strictly=True)
        and _between(_sum(one.rows, "message_count"), filters.min_messages, filters.max_messages)
        and _between(_sum(one.rows, "tool_call_count"), filters.min_tool_calls, filters.max_tool_calls)
        and _between(_sum(one.rows, "input_tokens", "output_tokens"), filters.min_tokens, filters.max_tokens)
        and _between(sum(map(_cost, one.rows)), filters.min_cost, filters.max_cost)
    )


def _equal(tip: Row, filters: Filters) -> bool:
    names = ("source", "end_reason", "user_id", "chat_id", "chat_type")
    return all((wanted := getattr(filters, name)) is None or tip[name] == wanted for name in names)


def _contained(tip: Row, filters: Filters) -> bool:
    looked_for = (
        (filters.title_like, tip["title"]),
        (filters.model_like, tip["model"]),
        (filters.branch_like, tip["git_branch"]),
    )
    return all(part is None or part.lower() in str(text or "").lower() for part, text in looked_for)


def _within_directory(cwd: str | None, prefix: str | None) -> bool:
    if prefix is None:
        return True
    directory = prefix.rstrip("/\\")
    return cwd is not None and (cwd == directory or cwd.startswith((f"{directory}/", f"{directory}\\")))


def _provided(provider: str | None, wanted: str | None) -> bool:
    return wanted is None or (provider or "").lower() == wanted.lower()


def _between(value: object, low: float | None, high: float | None, *, strictly: bool = False) -> bool:
    if low is None and high is None:
        return True
    if not isinstance(value, int | float):
        return False
    if low is not None and value < low:
        return False
    return high is None or value < high or (value == high and not strictly)


def _sum(rows: Iterable[Row], *names: str) -> float:
    return sum(_number(row[name]) for row in rows for name in names)


def _cost(row: Row) -> float:
    known = (row["actual_cost_usd"], row["estimated_cost_usd"])
    return next((float(value) for value in known if isinstance(value, int | float)), 0.0)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0
