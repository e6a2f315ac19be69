"""A believable store, made on the spot: for the newcomer's first run, the pictures and the snapshots.

The words are in `demo_data/*.txt`; here they become rows, as Hermes itself would have written them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_tui.demo_data import screenplay
from hermes_tui.demo_data.screenplay import Scene, Turn, seconds
from storage import SessionDB

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp()
"""The demo's clock stands still at this Unix time."""

Row = dict[str, Any]

_MODELS = {  # name in the screenplays: id, US dollars for a million tokens read, read again, written
    "opus": ("anthropic/claude-opus-4.6", 5.0, 0.5, 25.0),
    "sonnet": ("anthropic/claude-sonnet-4.6", 3.0, 0.3, 15.0),
    "gpt": ("openai/gpt-5.4", 1.25, 0.125, 10.0),
    "gemini": ("google/gemini-3-pro", 2.0, 0.2, 12.0),
    "hermes": ("nous/hermes-5-70b", 0.4, 0.04, 1.2),
    "local": ("ollama/qwen3-coder:30b", 0.0, 0.0, 0.0),
}
_ARGUMENT = {
    "terminal": "command",
    "web_search": "query",
    "search_files": "pattern",
    "session_search": "query",
    "delegate_task": "goal",
    "browser_navigate": "url",
    "vision_analyze": "question",
    "cronjob": "schedule",
    "memory": "content",
}
_PROMPT_TOKENS = 11_500
_UNABRIDGED = 20
"""The screenplays abridge what tools return; the bill was for the whole of it."""
_SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] "
_PICTURE = (  # one pixel
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD"
    "hgGAWjR9awAAAABJRU5ErkJggg=="
)


def make(directory: Path) -> Path:
    """Write the demo's store as `state.db` into an existing directory, the same rows every time.

    Raises:
        WritingNotSupported: There is one already.
    """
    scenes = {scene.key: scene for scene in screenplay.read(Path(__file__).parent / "demo_data")}
    talks = {key: _messages(scene) for key, scene in scenes.items()}
    ids = {key: _session_id(scene, talks[key]) for key, scene in scenes.items()}
    ends = _ends(scenes.values())
    sessions = [_session(scene, talks[scene.key], ids, ends) for scene in scenes.values()]
    sessions.sort(key=lambda row: (row["started_at"], row["id"]))
    messages = [{"session_id": ids[key], **row} for key, talk in talks.items() for row in talk]
    # A store grows in the order of time: newer rows have higher ids, whatever session they belong to.
    messages.sort(key=lambda row: row["timestamp"])
    path = directory / "state.db"
    with SessionDB(path) as store:
        store.fill(sessions, messages)
    return path


# --- messages


def _messages(scene: Scene) -> list[Row]:
    rows: list[Row] = []
    clock, reasoning, waiting = 0.0, "", list[Row]()
    for turn in scene.turns:
        match turn.kind:
            case "LATER":
                clock += seconds(turn.text)
                continue
            case "THINKS":
                reasoning = turn.text
                continue
            case "COMPACTED":
                for row in rows:
                    row.update(active=0, compacted=int(row["active"] or row["compacted"]))
                continue
        clock += _pause(turn)
        if turn.kind == "CALLS":
            if not _can_call(rows):
                rows.append(_row("assistant", None, clock, finish_reason="tool_calls"))
            call = _call(scene, len(rows), len(waiting), turn)
            rows[-1].update(finish_reason="tool_calls", tool_calls=[*(rows[-1]["tool_calls"] or ()), call])
            waiting.append(call)
        elif turn.kind == "RETURNS":
            call = waiting.pop(0)
            name = call["function"]["name"]
            rows.append(_row("tool", turn.text, clock, tool_call_id=call["id"], tool_name=name))
        elif turn.kind == "HERMES":
            waiting.clear()
            rows.append(_row("assistant", turn.text, clock, finish_reason=_finish(turn.note)))
        else:
            rows.append(_user(turn, clock))
        if turn.note == "taken back":
            rows[-1]["active"] = 0
        if reasoning and rows[-1]["role"] == "assistant":
            rows[-1]["reasoning"], reasoning = reasoning, ""
    shift = NOW - seconds(scene.facts["last"]) - clock
    for row in rows:
        row["timestamp"] = round(row["timestamp"] + shift, 3)
        row["tool_calls"] = json.dumps(row["tool_calls"]) if row["tool_calls"] else None
    return rows


def _row(role: str, content: str | None, clock: float, **columns: Any) -> Row:
    return {
        "role": role,
        "content": content,
        "timestamp": clock,
        "tool_calls": None,
        "active": 1,
        "compacted": 0,
        "token_count": _tokens(content),
        **columns,
    }


def _user(turn: Turn, clock: float) -> Row:
    if turn.kind == "SUMMARY":
        return _row("user", _SUMMARY + turn.text, clock)
    if turn.note == "picture":
        parts = [{"type": "text", "text": turn.text}] if turn.text else []
        picture = {"type": "image_url", "image_url": {"url": _PICTURE}}
        return _row("user", "\0json:" + json.dumps([*parts, picture], ensure_ascii=False), clock)
    return _row("user", turn.text, clock, display_kind="hidden" if turn.note == "hidden" else None)


def _can_call(rows: list[Row]) -> bool:
    return bool(rows) and rows[-1]["role"] == "assistant" and rows[-1]["active"] == 1


def _call(scene: Scene, row: int, number: int, turn: Turn) -> Row:
    first, _, rest = turn.text.partition("\n")
    arguments = {_ARGUMENT.get(turn.note, "path"): first}
    if rest:
        arguments["patch" if turn.note == "patch" else "content"] = rest
    function = {"name": turn.note, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {
        "id": f"call_{_digest(f'{scene.key} {row} {number}', 12)}",
        "type": "function",
        "function": function,
    }


def _finish(note: str) -> str:
    return note if note in ("error", "content_filter") else "stop"


def _pause(turn: Turn) -> float:
    """Seconds before a turn: people think, models write, tools run; by length alone, so always the same."""
    length = len(turn.text)
    match turn.kind:
        case "YOU":
            return 20 + length * 7 % 170
        case "RETURNS":
            return 1.5 + length % 13
        case _:
            return 3 + min(length / 45, 60)


# --- sessions


def _session_id(scene: Scene, talk: list[Row]) -> str:
    start = datetime.fromtimestamp(_start(scene, talk), UTC)
    if scene.facts["source"] == "cron":
        return f"cron_{_digest(scene.key.partition('-')[0], 12)}_{start:%Y%m%d_%H%M%S}"
    length = 6 if scene.facts["source"] in ("cli", "acp", "tool", "subagent") else 8
    return f"{start:%Y%m%d_%H%M%S}_{_digest(scene.key, length)}"


def _start(scene: Scene, talk: list[Row]) -> float:
    return float(talk[0]["timestamp"]) - 0.5 if talk else NOW - seconds(scene.facts["last"])


def _ends(scenes: Iterable[Scene]) -> dict[str, str]:
    """Why a session ended, where what came after it is the reason."""
    reasons = {"branches": "branched", "resets": "session_reset", "continues": "compression"}
    all_scenes = list(scenes)
    return {
        scene.facts[link]: reason
        for link, reason in reasons.items()
        for scene in all_scenes
        if link in scene.facts
    }


def _session(scene: Scene, talk: list[Row], ids: dict[str, str], ends: dict[str, str]) -> Row:
    facts = scene.facts
    start = _start(scene, talk)
    reason = ends.get(scene.key) or facts.get(
        "ended", "cli_close" if facts["source"] == "cli" else "agent_close"
    )
    parent = next(
        (facts[link] for link in ("continues", "branches", "delegated", "resets") if link in facts), None
    )
    markers = {"branches": "_branched_from", "delegated": "_delegate_from"}
    config = {marker: ids[facts[link]] for link, marker in markers.items() if link in facts}
    counted = [row for row in talk if row["active"]]
    return {
        "id": ids[scene.key],
        "title": scene.title or None,
        "source": facts["source"],
        "parent_session_id": ids[parent] if parent else None,
        "model_config": json.dumps(config) if config else None,
        "started_at": round(start, 3),
        "ended_at": None if reason == "no" else round((talk[-1]["timestamp"] if talk else start) + 1, 3),
        "end_reason": None if reason == "no" else reason,
        "session_key": facts.get("chat"),
        "cwd": facts.get("in"),
        "git_branch": facts.get("on"),
        "archived": int("archived" in facts),
        "pinned": int("pinned" in facts),
        "message_count": len(counted),
        "tool_call_count": sum(row["role"] == "tool" for row in counted),
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
            read, cached, calls = read + context - known, cached + known, calls + 1
            written += _answer_tokens(row)
            known = context
        context += _answer_tokens(row) * (_UNABRIDGED if row["role"] == "tool" else 1)
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


def _answer_tokens(row: Row) -> int:
    return _tokens(row["content"]) + _tokens(row["tool_calls"]) + _tokens(row.get("reasoning"))


def _tokens(text: str | None) -> int:
    return (len(text) + 3) // 4 if text else 0


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
