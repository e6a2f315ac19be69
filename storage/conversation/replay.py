"""A session as the conversation that is sent to a model again (spec 4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

from storage.conversation.reading import TALK, get_messages
from storage.conversation.stored import parsed
from storage.engine.store import Store

Said = dict[str, Any]

_ANCESTORS = 100

_MEMORY = re.compile(r"<memory-context>.*?</memory-context>|</?memory-context>", re.DOTALL | re.IGNORECASE)
"""What Hermes puts into a message before it is sent, and what is left of it."""

_REVIEWS = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)
"""How Hermes asks itself to learn from a talk; neither that nor the answer belongs to it."""

_COPIED = ("tool_call_id", "tool_name", "effect_disposition")
_REASONING_JSON = ("reasoning_details", "codex_reasoning_items", "codex_message_items")


def get_messages_as_conversation(
    store: Store,
    session_id: str,
    include_ancestors: bool = False,
    include_inactive: bool = False,
    repair_alternation: bool = False,
) -> list[Said]:
    """The messages of a session in the form of a chat API: `role`, `content`, and what else is not empty.

    `message_id` is the id on the platform. JSON that cannot be read is [] in `tool_calls`, None elsewhere.

    Args:
        include_ancestors: With everything that the session grew from, of whatever kind, in the order of writing.
        include_inactive: Also what was rewound or archived by a compaction.
        repair_alternation: Joins what one side said in several messages, and drops results of unknown calls.
    """
    wanted = _line(store, session_id) if include_ancestors else [session_id]
    rows = [row for part in wanted for row in get_messages(store, part, include_inactive)]
    said: list[Said] = []
    for row in sorted(rows, key=itemgetter("id")):
        message = _message(row)
        if not (include_ancestors and _repeats(said, message)):
            said.append(message)
    said = list(_without_reviews(said))
    return _alternating(said) if repair_alternation else said


def _line(store: Store, session_id: str) -> list[str]:
    """The session and what it grew from, oldest first."""
    line = [session_id]
    while len(line) <= _ANCESTORS:
        row = store.reading().one("SELECT parent_session_id FROM sessions WHERE id = ?", (line[-1],))
        if row is None or row[0] is None or row[0] in line:
            break
        line.append(row[0])
    return line[::-1]


def _message(row: dict[str, Any]) -> Said:
    content = row.get("content")
    if row["role"] in TALK and isinstance(content, str):
        content = _MEMORY.sub("", content).strip()
    said: Said = {"role": row["role"], "content": content}
    for name in ("api_content", "timestamp", *_COPIED):
        if row.get(name):
            said[name] = row[name]
    # Calls that could not be read are an empty list, which says that there were some.
    calls = row.get("tool_calls")
    if calls or calls == []:
        said["tool_calls"] = calls
    if row.get("platform_message_id"):
        said["message_id"] = row["platform_message_id"]
    if row.get("observed"):
        said["observed"] = True
    if row["role"] == "assistant":
        said.update(_reasoning(row))
    return said


def _reasoning(row: dict[str, Any]) -> Said:
    said = {name: row[name] for name in ("finish_reason", "reasoning") if row.get(name)}
    if row.get("reasoning_content") is not None:
        said["reasoning_content"] = row["reasoning_content"]
    for name in _REASONING_JSON:
        if row.get(name):
            said[name] = parsed(row[name], None)
    return said


def _repeats(said: list[Said], message: Said) -> bool:
    """Whether the user's message only repeats the last one, which nobody has answered."""
    if message["role"] != "user":
        return False
    for earlier in reversed(said):
        if earlier["role"] == "assistant":
            return False
        if earlier["role"] == "user":
            return bool(earlier["content"] == message["content"])
    return False


def _without_reviews(said: Iterable[Said]) -> Iterator[Said]:
    answer_follows = False
    for message in said:
        if message["role"] in ("user", "system") and str(message["content"]).startswith(_REVIEWS):
            answer_follows = True
            continue
        if not (answer_follows and message["role"] == "assistant"):
            yield message
        answer_follows = False


def _alternating(said: Iterable[Said]) -> list[Said]:
    kept: list[Said] = []
    called: set[str] = set()
    for message in said:
        role = message["role"]
        if role == "tool" and str(message.get("tool_call_id")) not in called:
            continue
        for call in message.get("tool_calls") or ():
            if isinstance(call, dict):
                called.add(str(call.get("id")))
        if kept and _joinable(kept[-1], message):
            glue = "\n\n" if role == "user" else "\n"
            kept[-1] = {**kept[-1], "content": kept[-1]["content"] + glue + message["content"]}
        else:
            kept.append(message)
    return kept


def _joinable(one: Said, other: Said) -> bool:
    return (
        one["role"] == other["role"]
        and one["role"] in TALK
        and not ("tool_calls" in one or "tool_calls" in other)
        and isinstance(one["content"], str)
        and isinstance(other["content"], str)
    )
