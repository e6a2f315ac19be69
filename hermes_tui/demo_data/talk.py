"""The messages of a scene, as Hermes would have stored them while they came about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from hermes_tui.demo_data.screenplay import Scene, Turn, seconds

Row = dict[str, Any]

_SUMMARY = "[CONTEXT COMPACTION — REFERENCE ONLY] "
_PICTURE = (  # one pixel
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD"
    "hgGAWjR9awAAAABJRU5ErkJggg=="
)
_FIRST_ARGUMENT = {
    "terminal": "command",
    "web_search": "query",
    "search_files": "pattern",
    "session_search": "query",
    "delegate_task": "goal",
    "cronjob": "schedule",
}


def messages(scene: Scene, ends_at: float) -> list[Row]:
    """The rows of a scene, column name → value; the last one at `ends_at` (Unix seconds)."""
    talk = _Talk(scene.key)
    for turn in scene.turns:
        talk.take(turn)
    for row in talk.rows:
        row["timestamp"] = round(row["timestamp"] + ends_at - talk.clock, 3)
    return talk.rows


def digest(text: str, length: int) -> str:
    """So many hexadecimal digits that look random and are always the same for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


class _Talk:
    """What has been said so far; the clock counts seconds from the beginning."""

    def __init__(self, key: str) -> None:
        self.rows: list[Row] = []
        self.clock = 0.0
        self._key = key
        self._reasoning: str | None = None
        self._waiting: list[Row] = []

    def take(self, turn: Turn) -> None:
        self.clock += _pause(turn)
        takers: dict[str, Callable[[Turn], None]] = {
            "YOU": self._you,
            "SUMMARY": lambda turn: self._add("user", _SUMMARY + turn.text),
            "THINKS": self._thinks,
            "HERMES": self._hermes,
            "CALLS": self._calls,
            "RETURNS": self._returns,
            "COMPACTED": lambda turn: self._compact(),
            "LATER": lambda turn: None,
        }
        takers[turn.kind](turn)
        if turn.note == "taken back":
            self.rows[-1]["active"] = 0

    def _add(self, role: str, content: object, **columns: Any) -> None:
        row = {"role": role, "content": content, "timestamp": self.clock, "active": 1, "compacted": 0}
        self.rows.append(row | columns)

    def _you(self, turn: Turn) -> None:
        if turn.note == "picture":
            text = [{"type": "text", "text": turn.text}] if turn.text else []
            self._add("user", [*text, {"type": "image_url", "image_url": {"url": _PICTURE}}])
        else:
            self._add("user", turn.text, display_kind="hidden" if turn.note == "hidden" else None)

    def _thinks(self, turn: Turn) -> None:
        self._reasoning = turn.text

    def _hermes(self, turn: Turn) -> None:
        self._answer(turn.text, "error" if turn.note == "error" else "stop")

    def _answer(self, text: str | None, finish_reason: str) -> None:
        self._add("assistant", text, finish_reason=finish_reason, reasoning=self._reasoning, tool_calls=[])
        self._reasoning = None
        self._waiting.clear()

    def _calls(self, turn: Turn) -> None:
        if not (self.rows and self.rows[-1]["role"] == "assistant"):
            self._answer(None, "tool_calls")
        first, _, rest = turn.text.partition("\n")
        arguments = {_FIRST_ARGUMENT.get(turn.note, "path"): first}
        if rest:
            arguments["patch" if turn.note == "patch" else "content"] = rest
        call = {
            "id": f"call_{digest(f'{self._key} {len(self.rows)} {len(self._waiting)}', 12)}",
            "type": "function",
            "function": {"name": turn.note, "arguments": json.dumps(arguments, ensure_ascii=False)},
        }
        self.rows[-1]["finish_reason"] = "tool_calls"
        self.rows[-1]["tool_calls"].append(call)
        self._waiting.append(call)

    def _returns(self, turn: Turn) -> None:
        call = self._waiting.pop(0)
        self._add("tool", turn.text, tool_call_id=call["id"], tool_name=call["function"]["name"])

    def _compact(self) -> None:
        for row in self.rows:
            row.update(active=0, compacted=row["active"])


def _pause(turn: Turn) -> float:
    """Seconds before a turn: people think, models write, tools run; by length alone, so always the same."""
    length = len(turn.text)
    match turn.kind:
        case "LATER":
            return seconds(turn.text)
        case "YOU":
            return 20 + length * 7 % 170
        case "RETURNS":
            return 1.5 + length % 13
        case "COMPACTED" | "THINKS":
            return 0
        case _:
            return 3 + min(length / 45, 60)
