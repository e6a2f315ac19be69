"""A believable store, made on the spot: for the newcomer's first run, the pictures and the snapshots.

The words are in `demo_data/*.txt`; here they become rows, as Hermes itself would have written them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from hermes_tui.demo_data import screenplay
from hermes_tui.demo_data.screenplay import Scene, seconds
from hermes_tui.demo_data.talk import Row, digest, messages
from storage import SessionDB

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp()
"""The demo's clock stands still at this Unix time."""

_MODELS = {  # name in the screenplays: id, US dollars for a million tokens read, read again, written
    "opus": ("anthropic/claude-opus-4.6", 5.0, 0.5, 25.0),
    "sonnet": ("anthropic/claude-sonnet-4.6", 3.0, 0.3, 15.0),
    "gpt": ("openai/gpt-5.4", 1.25, 0.125, 10.0),
    "gemini": ("google/gemini-3-pro", 2.0, 0.2, 12.0),
    "hermes": ("nous/hermes-5-70b", 0.4, 0.04, 1.2),
    "local": ("ollama/qwen3-coder:30b", 0.0, 0.0, 0.0),
}
_PROMPT_TOKENS = 11_500
_UNABRIDGED = 60
"""The screenplays abridge what tools return; the bill was for the whole of it."""

_ENDS = {"branches": "branched", "resets": "session_reset", "continues": "compression"}
"""Why a session ended, by what came after it: the strongest reason last."""
_MARKERS = {"branches": "_branched_from", "delegated": "_delegate_from"}
_LINKS = ("continues", "branches", "resets", "delegated")


def make(directory: Path) -> Path:
    """Write the demo's store as `state.db` into a directory, the same rows every time.

    Raises:
        WritingNotSupported: There is one already.
    """
    scenes = screenplay.read(Path(__file__).parent / "demo_data")
    talks = {scene.key: messages(scene, NOW - seconds(scene.facts["last"])) for scene in scenes}
    ids = {scene.key: _session_id(scene, _start(scene, talks[scene.key])) for scene in scenes}
    ends = _ends(scenes)
    sessions = [_session(scene, talks[scene.key], ids, ends.get(scene.key)) for scene in scenes]
    rows = [{"session_id": ids[key], **row} for key, talk in talks.items() for row in talk]
    # A store grows in the order of time: newer rows have higher ids, whatever session they belong to.
    sessions.sort(key=lambda row: (row["started_at"], row["id"]))
    rows.sort(key=_timestamp)
    path = directory / "state.db"
    with SessionDB(path) as store:
        store.fill(sessions, rows)
    return path


def _timestamp(row: Row) -> float:
    return float(row["timestamp"])


def _start(scene: Scene, talk: list[Row]) -> float:
    return round(_timestamp(talk[0]) - 0.5 if talk else NOW - seconds(scene.facts["last"]), 3)


def _session_id(scene: Scene, start: float) -> str:
    """An id as Hermes makes them (spec 5.4)."""
    time = datetime.fromtimestamp(start, UTC).strftime("%Y%m%d_%H%M%S")
    match scene.facts["source"]:
        case "cron":
            return f"cron_{digest(scene.key.partition('-')[0], 12)}_{time}"
        case "telegram" | "discord" | "slack":
            return f"{time}_{digest(scene.key, 8)}"
        case _:
            return f"{time}_{digest(scene.key, 6)}"


def _ends(scenes: Iterable[Scene]) -> dict[str, str]:
    written = list(scenes)
    return {
        scene.facts[link]: reason
        for link, reason in _ENDS.items()
        for scene in written
        if link in scene.facts
    }


def _session(scene: Scene, talk: list[Row], ids: dict[str, str], ended: str | None) -> Row:
    facts, start = scene.facts, _start(scene, talk)
    reason = ended or facts.get("ended", "cli_close" if facts["source"] == "cli" else "agent_close")
    last = _timestamp(talk[-1]) if talk else start
    parent = next((facts[link] for link in _LINKS if link in facts), None)
    return {
        "id": ids[scene.key],
        "title": scene.title or None,
        "source": facts["source"],
        "parent_session_id": ids[parent] if parent else None,
        "model_config": {marker: ids[facts[link]] for link, marker in _MARKERS.items() if link in facts},
        "started_at": start,
        "ended_at": None if reason == "no" else round(last + 1, 3),
        "end_reason": None if reason == "no" else reason,
        "session_key": facts.get("chat"),
        "cwd": facts.get("in"),
        "git_branch": facts.get("on"),
        "archived": int("archived" in facts),
        "pinned": int("pinned" in facts),
        "rewind_count": int(any(turn.note == "taken back" for turn in scene.turns)),
        **_usage(facts.get("model", "sonnet"), talk),
    }


def _usage(model: str, talk: list[Row]) -> Row:
    """Tokens and cost as they come about: every answer reads the whole talk so far, mostly from the cache."""
    name, fresh_price, cached_price, written_price = _MODELS[model]
    context, known = _PROMPT_TOKENS, 0
    read = cached = written = calls = 0
    for row in talk:
        if row["role"] == "assistant":
            read, cached, written = read + context - known, cached + known, written + _tokens(row)
            known, calls = context, calls + 1
        context += _tokens(row) * (_UNABRIDGED if row["role"] == "tool" else 1)
    cost = (read * fresh_price + cached * cached_price + written * written_price) / 1e6
    return {
        "model": name,
        "billing_provider": name.partition("/")[0],
        "input_tokens": read,
        "cache_read_tokens": cached,
        "output_tokens": written,
        "api_call_count": calls,
        "estimated_cost_usd": round(cost, 6) if fresh_price else None,
        "cost_status": "estimated" if fresh_price else None,
    }


def _tokens(row: Row) -> int:
    said = (row.get(column) for column in ("content", "tool_calls", "reasoning"))
    return sum((len(str(text)) + 3) // 4 for text in said if text)
