"""A transcript as blocks: which messages are shown, in what form, and what stands between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum, auto

from hermes_tui.text import figures, recap
from hermes_tui.text.matches import NEVER_SHOWN
from hermes_tui.text.relative_time import day
from storage.readings import Message, MessageKind, Transcript

EXCHANGES = 10
"""Exchanges shown at first: a prompt and all that follows it."""
FOLDED_LINES = 20
"""Lines of a tool result that are shown."""
MAX_LINES = 2000
"""Lines of one block."""


class Kind(Enum):
    EARLIER = auto()
    """How many messages come before; stands for them."""
    NOTE = auto()
    SEAM = auto()
    """A context compression."""
    USER = auto()
    ASSISTANT = auto()
    TOOL = auto()
    """The result of a tool call."""
    OTHER = auto()
    """A message of the system, or of a role that is not known."""
    SUMMARY = auto()
    """What a compression left of the messages before it."""


@dataclass(frozen=True, slots=True)
class Block:
    kind: Kind
    place: int
    """Of its message; of the message that follows, where it has none."""
    heading: bool = False
    """Begins with who speaks."""
    gap: bool = False
    """Begins with an empty line."""
    whole: bool = False
    """The text is not shortened."""
    inner: bool = False
    """What the model thought is shown too."""
    day: str = ""
    """The date, where it is another one than that of the heading before."""
    text: str = ""
    """What the line says, where there is no message."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a transcript is asked for."""

    tools: bool = False
    """Tool results."""
    inner: bool = False
    """Reasoning, system messages, the text of summaries."""
    whole: bool = False
    """Long messages uncut."""
    unfolded: bool = False
    """Every exchange that is here, not only the last ones."""
    matching: AbstractSet[int] = field(default_factory=frozenset)
    """Places of messages that are shown, and whole, whatever else is asked for."""


def arrange(transcript: Transcript, shown: Shown, live: str | None = None) -> list[Block]:
    """Put the blocks of a transcript in order.

    Args:
        live: The session that Hermes would continue; its seam says so.
    """
    messages = transcript.messages
    first = 0 if shown.unfolded else _last_exchanges(messages)
    blocks: list[Block] = []
    earlier = transcript.earlier + sum(1 for message in messages[:first] if _is_talk(message))
    if earlier:
        text = f"{figures.plural(earlier, 'earlier message')}"
        blocks.append(Block(Kind.EARLIER, first, text=text))
    if first == 0:
        blocks += (Block(Kind.NOTE, 0, gap=bool(blocks), text=note) for note in transcript.notes)
    spoken = next(
        (place for place in range(len(messages) - 1, -1, -1) if _is_answer(messages[place])), len(messages)
    )
    speaker = ""
    seam = ""
    last_day = ""
    for place in range(first, len(messages)):
        message = messages[place]
        if place:
            seam = _seam(transcript, place, live) or seam
        kind = _kind(message, place, shown)
        if kind is None:
            continue
        if seam:
            blocks.append(Block(Kind.SEAM, place, gap=bool(blocks), text=seam))
            seam = speaker = ""
        says = "assistant" if kind is Kind.TOOL else message.role
        heading = says != speaker if kind is Kind.ASSISTANT else kind in (Kind.USER, Kind.OTHER)
        today = day(message.timestamp) if heading and message.timestamp is not None else last_day
        blocks.append(
            Block(
                kind,
                place,
                heading=heading,
                gap=bool(blocks) and (heading or says != speaker or _ends_in_text(blocks[-1], messages)),
                whole=shown.whole or place == spoken or place in shown.matching,
                inner=shown.inner,
                day=today if today != last_day else "",
            )
        )
        last_day = today
        # A result that opens a part has no heading of its own, and the answer after it needs one.
        speaker = "" if kind is Kind.SUMMARY or (kind is Kind.TOOL and not speaker) else says
    return blocks


def _ends_in_text(block: Block, messages: Sequence[Message]) -> bool:
    """Whether the next message of the same speaker would read as the same paragraph."""
    return block.kind is Kind.ASSISTANT and not messages[block.place].tool_calls


def _kind(message: Message, place: int, shown: Shown) -> Kind | None:
    """The kind of block a message becomes; None for one that is not shown."""
    if message.kind in NEVER_SHOWN:
        return None
    if message.kind is MessageKind.SUMMARY:
        return Kind.SUMMARY
    if message.role == "user":
        return Kind.USER if message.text and not message.text.isspace() else None
    if message.role == "assistant":
        if message.tool_calls or _is_answer(message):
            return Kind.ASSISTANT
        return Kind.ASSISTANT if shown.inner and (message.reasoning or message.text) else None
    if message.role == "tool":
        return Kind.TOOL if shown.tools or place in shown.matching else None
    asked = shown.inner or place in shown.matching
    return Kind.OTHER if asked or message.role != "system" else None


def _is_answer(message: Message) -> bool:
    """Whether the assistant says something in it, beside thinking aloud and calling tools."""
    if message.role != "assistant" or message.kind is not MessageKind.MESSAGE or not message.text:
        return False
    # Stripping is slow, and only a text that opens with a tag can be nothing but reasoning.
    opening = message.text.lstrip()[:1]
    return bool(opening) and (opening != "<" or bool(recap.strip_reasoning(message.text)))


def _is_talk(message: Message) -> bool:
    if message.kind is not MessageKind.MESSAGE or message.role not in ("user", "assistant"):
        return False
    return bool(message.text or message.tool_calls)


def _last_exchanges(messages: Sequence[Message]) -> int:
    """Place of the prompt that opens the last ten exchanges; 0 where there are no more."""
    prompts = 0
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "user" and messages[place].kind is MessageKind.MESSAGE:
            prompts += 1
            if prompts == EXCHANGES:
                return place if any(map(_is_talk, messages[:place])) else 0
    return 0


def _seam(transcript: Transcript, place: int, live: str | None) -> str:
    before, message = transcript.messages[place - 1], transcript.messages[place]
    words = "context compressed here"
    if before.session_id != message.session_id:
        if message.session_id in transcript.parts:
            part = transcript.parts.index(message.session_id) + 1
            words += f" · part {part} of {len(transcript.parts)}"
        return words + " · live" if message.session_id == live else words
    return words if before.compacted and not message.compacted else ""


def estimate(block: Block, message: Message | None, width: int) -> int:
    """Guess the lines of a block that was not laid out yet, without reading its text."""
    lines = block.gap + block.heading
    if message is None or (block.kind is Kind.SUMMARY and not (block.inner or block.whole)):
        return lines + 1
    lines += bool(message.tool_calls)
    if not message.text:
        return max(lines, 1)
    room = max(width - 2, 1)
    if block.whole:
        return lines + min(message.text.count("\n") + len(message.text) // room + 1, MAX_LINES)
    if block.kind is Kind.TOOL:
        return lines + min(message.text.count("\n") + len(message.text) // room + 2, FOLDED_LINES + 2)
    if block.kind is Kind.ASSISTANT:
        return lines + min(max(message.text.count("\n", 0, 200), min(len(message.text), 200) // room) + 1, 3)
    return lines + min(len(message.text), 300) // room + message.text.count("\n", 0, 300) + 1


def places(blocks: Iterable[Block]) -> list[int]:
    """Of their messages, in order: what to bisect to find the block of a message."""
    return [block.place for block in blocks]
