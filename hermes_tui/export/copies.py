"""What a compression copied: messages that stand before its seam and once more behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from storage.readings import Message, MessageKind


def without_copies(messages: Sequence[Message]) -> Iterator[Message]:
    """Each message once: of the copies that begin a part, those that stand before the seam remain.

    A compression keeps the first messages, replaces the middle by a summary and keeps the last ones (spec 4.3). Only
    what follows in that order is taken for a copy: somebody may say the same thing twice.
    """
    before: list[Message] = []
    for part in _parts(messages):
        yield from _new(part, before)
        before = part


def _parts(messages: Sequence[Message]) -> Iterator[list[Message]]:
    part: list[Message] = []
    for message in messages:
        if part and (
            part[-1].session_id != message.session_id or (part[-1].compacted and not message.compacted)
        ):
            yield part
            part = []
        part.append(message)
    if part:
        yield part


def _new(part: list[Message], before: list[Message]) -> list[Message]:
    head = 0
    while head < min(len(part), len(before)) and _same(part[head], before[head]):
        head += 1
    kept: list[Message] = []
    if head < len(part) and part[head].kind is MessageKind.SUMMARY:
        kept, part = [part[head]], part[head + 1 :]
    for size in range(min(len(part), len(before)), 0, -1):
        if all(map(_same, part[:size], before[-size:])):
            return kept + part[size:]
    return kept + part


def _same(one: Message, other: Message) -> bool:
    if one.role != other.role or one.tool_calls != other.tool_calls or one.tool_name != other.tool_name:
        return False
    # Results are shortened when they are copied.
    return one.role == "tool" or one.text == other.text
