"""Store text made fit for a file that people read, without its secrets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hermes_tui.text import recap, safe_text
from hermes_tui.text.redact import redact
from storage.readings import Message, ToolCall


class Cleaning:
    """Makes store text safe, and counts the secrets that it masks meanwhile."""

    def __init__(self, *, redacting: bool) -> None:
        self._redacting = redacting
        self.masked = 0

    def line(self, text: str) -> str:
        """Make it one line."""
        return " ".join(self._text(text).split())

    def message(self, message: Message) -> Message:
        """Make all its texts so; what a tool was given and gave in JSON becomes lines to read."""
        text = message.text
        # Elsewhere a tag is spoken of.
        if message.role == "assistant" and text.lstrip().startswith("<"):
            text = recap.strip_reasoning(text)
        return replace(
            message,
            role=self.line(message.role),
            text=self._spelled(text) if message.role == "tool" else self._text(text),
            tool_name=self.line(message.tool_name),
            tool_calls=tuple(
                ToolCall(self.line(call.name), self._spelled(call.arguments)) for call in message.tool_calls
            ),
        )

    def _text(self, text: str) -> str:
        text = safe_text.page(text)
        if self._redacting:
            text, masked = redact(text)
            self.masked += masked
        return text

    def _spelled(self, text: str) -> str:
        """What a tool was given or gave: a JSON object as lines to read, anything else as it is."""
        text = self._text(text)
        if not text.lstrip().startswith("{"):
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return self._text("\n".join(f"{name}:{_value(value)}" for name, value in value.items()))


def _value(value: Any) -> str:
    if not isinstance(value, str):
        return f" {json.dumps(value, ensure_ascii=False)}"
    value = value.rstrip()
    return f"\n{value}" if "\n" in value else f" {value}"
