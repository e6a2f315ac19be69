"""A conversation as a document: what is told of it, in what order, cleaned and without its secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hermes_tui.export.cleaning import Cleaning
from hermes_tui.export.copies import without_copies
from hermes_tui.text import blocks, figures, relative_time
from hermes_tui.text.blocks import Block, Kind
from storage.readings import Message
from storage.records import Conversation, Entry

if TYPE_CHECKING:
    from storage import SessionDB

UNTITLED = "Untitled conversation"


@dataclass(frozen=True, slots=True)
class Document:
    """All texts are safe for a file, and nothing more: each format makes them safe for itself."""

    id: str
    """Of the session that Hermes would continue."""
    title: str
    """Empty for an untitled one."""
    facts: tuple[tuple[str, str], ...]
    """What is known of the conversation: name and value, in order."""
    blocks: tuple[Block, ...]
    messages: tuple[Message, ...]
    """Where the blocks find theirs."""
    masked: int
    missing: tuple[str, ...]

    def prompts(self) -> list[tuple[int, Message]]:
        """What the user said, each with its place among the messages."""
        return [(block.place, self.messages[block.place]) for block in self.blocks if block.kind is Kind.USER]


def compose(db: SessionDB, parts: Sequence[str], *, redacting: bool) -> Document | None:
    """Read a conversation; None if none of its sessions exists.

    Told is what was said and done: prompts, answers, tool calls and their results, the summaries of compressions.
    Reasoning and the system's messages are not, nor what was rewound.
    """
    missing = tuple(part for part in parts if db.get_session(part) is None)
    present = [part for part in parts if part not in missing]
    conversations = db.details([_entry(db, present)]) if present else ()
    if not conversations:
        return None
    conversation = conversations[0]
    cleaning = Cleaning(redacting=redacting)
    transcript = db.transcript(present)
    messages = tuple(map(cleaning.message, without_copies(transcript.messages)))
    shown = blocks.Shown(tools=True, whole=True, unfolded=True)
    arranged = blocks.arrange(replace(transcript, messages=messages), shown)
    return Document(
        id=conversation.id,
        title=cleaning.line(conversation.title),
        facts=tuple((name, value) for name, text in _facts(conversation) if (value := cleaning.line(text))),
        blocks=tuple(arranged),
        messages=messages,
        masked=cleaning.masked,
        missing=missing,
    )


def _entry(db: SessionDB, parts: Sequence[str]) -> Entry:
    if len(parts) > 1 and (found := db.find(parts[0])) and set(found.parts) == set(parts):
        return found
    return Entry(parts[-1], tuple(parts), None, "", main=len(parts))


def _facts(conversation: Conversation) -> list[tuple[str, str]]:
    span = [
        relative_time.minute(time)
        for time in (conversation.started_at, conversation.last_active)
        if time is not None
    ]
    parts = len(conversation.parts)
    return [
        ("Session", conversation.id),
        ("Source", conversation.source),
        ("Model", conversation.model),
        ("Time", " – ".join(dict.fromkeys(span))),
        ("Messages", figures.count(conversation.messages)),
        ("Tokens", figures.count(conversation.tokens) if conversation.tokens else ""),
        ("Cost", figures.money(conversation.cost) if conversation.cost else ""),
        ("Parts", f"{parts}, one after each compression" if parts > 1 else ""),
        ("Directory", conversation.cwd),
        ("Branch", conversation.branch),
    ]
