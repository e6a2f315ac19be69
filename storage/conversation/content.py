"""What a message says: stored content and tool calls as text, whatever was stored (spec 4.2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storage.readings import ToolCall

MARKERS = ("\x00json:", "\x01json:")
"""What stands before content that is a list of parts; releases write the first."""

SUMMARY_OPENINGS = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""How a compaction summary begins; it is stored as a user's message (spec 4.9)."""

UNNAMED = "unknown"
"""Shown where a tool call has no name (spec 6)."""

_ARGUMENTS = ("arguments", "input")
"""Where a tool call keeps what the tool was told, mostly as JSON within the JSON."""

_HIDING = re.compile(r"\\[bfnrtu]")
"""An escape of JSON behind which a word is another one than what is stored."""

_PLACEHOLDERS = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "video": "[video]",
    "video_url": "[video]",
    "file": "[file]",
    "input_file": "[file]",
    "document": "[file]",
}


def is_encoded(content: object) -> bool:
    """Whether the content is a list of parts behind a marker, not the text itself."""
    return _text(content).startswith(MARKERS)


def flatten(content: object) -> str:
    """Stored content as text: parts joined by a blank, pictures and the like as "[image]", "[audio]", …

    Bad bytes are replaced, and what follows a marker without being JSON is taken as text. Never raises.
    """
    text = _text(content)
    if not text.startswith(MARKERS):
        return text
    rest = text[len(MARKERS[0]) :]
    try:
        return " ".join(piece for piece in _pieces(json.loads(rest)) if piece)
    except (ValueError, RecursionError):
        return rest


def is_summary(text: str) -> bool:
    """Whether a user's message is a compaction summary, by how it begins."""
    return text.startswith(SUMMARY_OPENINGS)


def tool_calls(raw: object) -> tuple[ToolCall, ...]:
    """The stored `tool_calls` of an assistant's message; none where they are not a JSON list of calls."""
    try:
        calls = json.loads(_text(raw))
    except (ValueError, RecursionError):
        return ()
    if isinstance(calls, dict):
        calls = [calls]
    if not isinstance(calls, list):
        return ()
    return tuple(_tool_call(call) for call in calls if isinstance(call, dict))


def decoded(raw: object) -> str:
    """What the stored `tool_calls` say as they read: every key and string of them, and of arguments that are JSON.

    Empty of what is no JSON. Never raises.
    """
    try:
        return _joined(_strings(json.loads(_text(raw), object_pairs_hook=_Members)))
    except (ValueError, RecursionError):
        return ""


def asked(raw: object) -> str:
    """The stored `tool_calls` for a reader: of each its name and what its arguments say. Never raises."""
    return _joined(said for call in tool_calls(raw) for said in (call.name, *_given(call.arguments)))


def told(raw: object) -> str:
    """The decoded `tool_calls` where the search finds other words in them than in what is stored, else empty."""
    # Other escapes stand for signs, which part words either way.
    return decoded(raw) if _HIDING.search(_text(raw)) else ""


def searched(content: object, tool_name: str | None, tool_calls: str | None) -> tuple[str, str, str, str]:
    """The texts of a message that the search looks through, whatever was stored."""
    return flatten(content), tool_name or "", tool_calls or "", told(tool_calls)


class _Members(list[tuple[str, Any]]):
    """A JSON object with every key, also one that is there twice."""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, _Members):
        for key, member in value:
            yield key
            yield from _given(member) if key in _ARGUMENTS and isinstance(member, str) else _strings(member)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif value is not None:
        yield _text(value)


def _given(arguments: str) -> Iterator[str]:
    try:
        yield from _strings(json.loads(arguments, object_pairs_hook=_Members))
    except (ValueError, RecursionError):
        yield arguments


def _joined(said: Iterable[str]) -> str:
    # Half a pair of surrogates is no text.
    return " ".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return "" if value is None else str(value)


def _pieces(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _pieces(item)
    elif isinstance(value, dict):
        yield from _part(value)
    else:
        yield _text(value)


def _part(part: dict[str, Any]) -> Iterator[str]:
    kind = part.get("type")
    if isinstance(kind, str) and kind in _PLACEHOLDERS:
        yield _PLACEHOLDERS[kind]
    elif isinstance(text := part.get("text"), str):
        yield text
    elif "content" in part:
        yield from _pieces(part["content"])
    elif isinstance(kind, str) and kind:
        yield f"[{kind}]"
    else:
        yield _json(part)


def _tool_call(call: dict[str, Any]) -> ToolCall:
    # Here, for the previews of the list take their text from this room too.
    from storage.readings import ToolCall

    function = call.get("function")
    if not isinstance(function, dict):
        function = call
    name = function.get("name")
    arguments = next((function[key] for key in _ARGUMENTS if key in function), "")
    return ToolCall(
        name=name if isinstance(name, str) and name else UNNAMED,
        arguments=arguments if isinstance(arguments, str) else _json(arguments),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
