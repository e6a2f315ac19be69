"""Conversations as JSON, exact: `import_sessions` puts them back as they were."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tui.text.redact import redact
from storage.keeping.exporting import BYTES

if TYPE_CHECKING:
    from storage import SessionDB


# Lone surrogates are not UTF-8; the others end lines where some read them, or command a terminal that shows them.
_COMMANDING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Backup:
    """One conversation as one JSON object; a chain has its parts in `segments` (spec 4.6)."""

    value: dict[str, Any]
    messages: int
    masked: int
    missing: tuple[str, ...]

    @property
    def title(self) -> str:
        """Of the part that Hermes would continue; empty for an untitled one."""
        title = self.value.get("title")
        return title if isinstance(title, str) else ""

    def text(self, *, ascii_only: bool = False) -> str:
        """The object in one line, for UTF-8 unless only ASCII is carried."""
        text = json.dumps(self.value, ensure_ascii=ascii_only)
        return text if ascii_only else _COMMANDING.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def compose(db: SessionDB, parts: Sequence[str], *, redacting: bool) -> Backup | None:
    """Read a conversation; None if none of its sessions exists."""
    if len(parts) == 1:
        value = db.export_session(parts[0], exact=True)
        held = {parts[0]} if value else set()
    else:
        value = db.export_session_lineage(parts[0], exact=True, parts=parts)
        held = set(value["lineage_session_ids"]) if value else set()
    if value is None:
        return None
    masking = _Masking()
    if redacting:
        value = masking.conversation(value)
    missing = tuple(part for part in parts if part not in held)
    return Backup(value, len(value["messages"]), masking.masked, missing)


class _Masking:
    """Masks secrets in values, and counts them."""

    def __init__(self) -> None:
        self.masked = 0

    def conversation(self, value: dict[str, Any]) -> dict[str, Any]:
        if "segments" not in value:
            masked: dict[str, Any] = self._value(value)
            return masked
        segments = [self._value(segment) for segment in value["segments"]]
        # The rest says the same once more.
        once = self.masked
        columns = {name: self._value(column) for name, column in value.items() if name not in _SAID_ONCE}
        self.masked = once
        messages = [message for segment in segments for message in segment["messages"]]
        return {**value, **columns, "messages": messages, "segments": segments}

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, dict):
            if set(value) == {BYTES}:
                return {BYTES: self._bytes(value[BYTES])}
            return {name: self._value(item) for name, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        text, masked = redact(text)
        self.masked += masked
        return text

    def _bytes(self, written: str) -> str:
        text = base64.b64decode(written).decode("utf-8", "surrogateescape")
        return base64.b64encode(self._text(text).encode("utf-8", "surrogateescape")).decode("ascii")


_SAID_ONCE = frozenset({"messages", "segments", "lineage_session_ids"})
"""What of a chain is made of its segments."""
