"""Tokens and cost: of a session, and by model and task (spec 4.4)."""

from __future__ import annotations

from typing import Any

from storage.conversation.sessions import ensured
from storage.engine.store import Store
from storage.engine.within import Within

_COUNTERS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "api_call_count",
)
_ROUTE = ("billing_provider", "billing_base_url", "billing_mode")
_COSTS = ("estimated_cost_usd", "actual_cost_usd")
_UNNAMED = "unknown"


def update_token_counts(
    store: Store,
    session_id: str,
    input_tokens: int = 0,
    output_tokens: int = 0,
    model: str | None = None,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
    reasoning_tokens: int = 0,
    estimated_cost_usd: float | None = None,
    actual_cost_usd: float | None = None,
    cost_status: str | None = None,
    cost_source: str | None = None,
    pricing_version: str | None = None,
    billing_provider: str | None = None,
    billing_base_url: str | None = None,
    billing_mode: str | None = None,
    api_call_count: int = 0,
    absolute: bool = False,
) -> None:
    """Account what the model used; a session that is not there yet is made, its source "unknown".

    The first known model and billing route stay, of cost status, source and pricing version the last. A call that
    accounts nothing changes neither model nor route.

    Args:
        estimated_cost_usd: US dollars; None counts as 0.
        actual_cost_usd: US dollars; None leaves what is known.
        absolute: The numbers are totals and replace what was counted, and no usage by model is recorded. Otherwise
            they are added, also to the usage of this model.
    """
    given: dict[str, Any] = {
        name: value for name, value in locals().items() if name not in ("store", "absolute")
    }
    uses = any(given[name] for name in (*_COUNTERS, *_COSTS))
    now = store.clock()

    def work(within: Within) -> None:
        ensured(within, session_id, now)
        row = _session(within, session_id)
        changed = _counted(row, given, absolute) | _priced(given)
        if uses:
            changed |= _routed(row, given)
        _update(within, session_id, changed)
        if uses and not absolute:
            used = {**given, "model": given["model"] or row["model"]}
            for name in _ROUTE:
                used[name] = given[name] or changed.get(name, row.get(name))
            _add_usage(within, used, "", now)

    store.write(work)


def record_auxiliary_usage(
    store: Store,
    session_id: str,
    task: str,
    *,
    model: str | None = None,
    billing_provider: str | None = None,
    billing_base_url: str | None = None,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
    reasoning_tokens: int = 0,
    estimated_cost_usd: float | None = None,
) -> None:
    """Account one call that was made beside the talk (to title it, to compress it, …), in the usage by model only.

    Args:
        task: What it was made for; nothing is recorded without it.
    """
    given: dict[str, Any] = {name: value for name, value in locals().items() if name not in ("store", "task")}
    if not task:
        return
    now = store.clock()

    def work(within: Within) -> None:
        ensured(within, session_id, now)
        _add_usage(within, {**given, "api_call_count": 1}, task, now)

    store.write(work)


def _session(within: Within, session_id: str) -> dict[str, Any]:
    return within.dicts("SELECT * FROM sessions WHERE id = ?", (session_id,))[0]


def _counted(row: dict[str, Any], given: dict[str, Any], absolute: bool) -> dict[str, Any]:
    def total(name: str) -> Any:
        before = row.get(name)
        counted = before if isinstance(before, int | float) and not absolute else 0
        return (given[name] or 0) + counted

    changed = {name: total(name) for name in (*_COUNTERS, "estimated_cost_usd")}
    if given["actual_cost_usd"] is not None:
        changed["actual_cost_usd"] = total("actual_cost_usd")
    return changed


def _priced(given: dict[str, Any]) -> dict[str, Any]:
    names = ("cost_status", "cost_source", "pricing_version")
    return {name: given[name] for name in names if given[name] is not None}


def _routed(row: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    names = ("model", *_ROUTE)
    # What a session was made with is a plan; what its first call went to is a fact.
    if not row.get("api_call_count") and given["model"] and given["billing_provider"]:
        planned = (row.get("model"), row.get("billing_provider"))
        if planned != (given["model"], given["billing_provider"]):
            return {name: given[name] for name in names}
    return {name: given[name] for name in names if row.get(name) is None and given[name] is not None}


def _update(within: Within, session_id: str, changed: dict[str, Any]) -> None:
    kept = {name: value for name, value in changed.items() if within.layout.has("sessions", name) or value}
    for name in kept:
        within.require("sessions", name)
    assignments = ", ".join(f"{name} = ?" for name in kept)
    within.change(f"UPDATE sessions SET {assignments} WHERE id = ?", (*kept.values(), session_id))


def _add_usage(within: Within, used: dict[str, Any], task: str, now: float) -> None:
    """Add to the row of this model, route and task; a store from before such rows goes without."""
    if not within.layout.has("session_model_usage", "task"):
        return
    key = {
        "session_id": used["session_id"],
        "model": used["model"] or _UNNAMED,
        **{name: used.get(name) or "" for name in _ROUTE},
        "task": task,
    }
    added = {name: used.get(name) or 0 for name in (*_COUNTERS, *_COSTS)}
    facts = {name: used.get(name) for name in ("cost_status", "cost_source")}
    row = {**key, **added, **facts, "first_seen": now, "last_seen": now}
    sums = ", ".join(f"{name} = {name} + excluded.{name}" for name in added)
    last = ", ".join(f"{name} = COALESCE(excluded.{name}, {name})" for name in facts)
    within.change(
        f"INSERT INTO session_model_usage({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        f" ON CONFLICT({', '.join(key)}) DO UPDATE SET {sums}, {last}, last_seen = excluded.last_seen",
        tuple(row.values()),
    )
