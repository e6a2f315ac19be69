"""What of a message is shown to a reader, and where the search matches in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tui.text import highlight, recap, safe_text
from storage.conversation import content
from storage.readings import Message, MessageKind, ToolCall

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery

MAX_CHARS = 100_000
"""Characters of one message that are ever looked at; what lies beyond is counted, not shown."""
CALL_CHARS = 240
"""Characters of one tool call's arguments around what matched in it."""
NEVER_SHOWN = frozenset({MessageKind.SCAFFOLDING, MessageKind.BOOKKEEPING})


@dataclass(frozen=True, slots=True)
class Found:
    """The safe text of a message with its matches; the numbering runs through `name`, `body`, then `calls`."""

    body: str
    spans: tuple[highlight.Span, ...] = ()
    calls: tuple[tuple[str, tuple[highlight.Span, ...]], ...] = ()
    """Tool calls in which something matched, one line each."""
    name: tuple[highlight.Span, ...] = ()
    """In the name of the tool whose answer it is, made safe."""

    @property
    def count(self) -> int:
        """Number of matches."""
        return len(self.name) + len(self.spans) + sum(len(spans) for _, spans in self.calls)


def find(message: Message, query: SessionQuery | None) -> Found:
    """Make a message safe to show and find the matches in it: none, unless it matches as a whole."""
    if query is None or not query.is_search or not _is_hit(message, query):
        return Found(body(message))
    calls = []
    for call in message.tool_calls:
        texts = [text[:MAX_CHARS] for text in reversed(_asked(call))]
        asked = next((text for text in texts if query.spans(text)), "")
        words, spans = highlight.safe_line(asked, query.spans(asked))
        if spans:
            words, spans = highlight.window(words, spans, CALL_CHARS)
            words = words[:CALL_CHARS]
            spans = tuple((start, min(end, len(words))) for start, end in spans if start < len(words))
            calls.append((words, spans))
    # In the text as it is stored: what the search found there may be written with joiners that are not shown.
    said = _said(message)
    tool = message.tool_name if message.role == "tool" else ""
    name = highlight.safe_line(tool, query.spans(tool))[1]
    return Found(*_stripped(*highlight.safe_block(said, query.spans(said))), tuple(calls), tuple(name))


def body(message: Message) -> str:
    """The text of a message, whole but for what a model thought aloud, safe to show."""
    return _stripped(safe_text.block(_said(message)), ())[0]


def folded_calls(message: Message) -> str:
    """Its tool calls as one line, safe to show; "" for none."""
    return safe_text.line(recap.tool_line(call.name for call in message.tool_calls))


def copied(message: Message, query: SessionQuery | None) -> str:
    """What a reader copies of it: the text as it is stored; without any, the calls as they are shown, or the reasoning.

    Empty where it has nothing of all that.
    """
    calls = (folded_calls(message), *(words for words, _ in find(message, query).calls))
    texts = (message.text if body(message) else "", "\n".join(calls), message.reasoning, message.text)
    return next((text for text in texts if text.strip()), "")


def _said(message: Message) -> str:
    text = message.text[:MAX_CHARS]
    return recap.strip_reasoning(text) if message.role == "assistant" else text


def _stripped(text: str, spans: Iterable[highlight.Span]) -> tuple[str, tuple[highlight.Span, ...]]:
    """Without empty lines at its ends."""
    kept = text.lstrip("\n")
    above = len(text) - len(kept)
    kept = kept.rstrip()
    moved = ((max(start - above, 0), min(end - above, len(kept))) for start, end in spans)
    return kept, tuple((start, end) for start, end in moved if start < end)


def left_out(message: Message) -> int:
    """Characters of the message that are not in its `body` because there are too many."""
    return message.cut + max(len(message.text) - MAX_CHARS, 0)


def matching(
    messages: Sequence[Message], query: SessionQuery, first: int | None
) -> Iterator[tuple[int, int]]:
    """Look through the messages, the newest first, but `first` before all others.

    Yields:
        The place of each message and the number of matches in it.
    """
    order = range(len(messages) - 1, -1, -1)
    if first is not None:
        yield first, _count(messages[first], query)
    for place in order:
        if place != first:
            yield place, _count(messages[place], query)


def _count(message: Message, query: SessionQuery) -> int:
    if message.kind in NEVER_SHOWN or not _may_match(message, query):
        return 0
    return find(message, query).count


def _is_hit(message: Message, query: SessionQuery) -> bool:
    """Whether the message is one that the search finds: some words of it may stand anywhere."""
    if query.filters and not query.leaves(message.role, _tools(message)):
        return False
    if len(query.terms) == 1 and not query.excluded:
        return True
    # What is left out of an enormous message may hold the rest.
    return bool(message.cut) or query.matches(*_texts(message), message.tool_name)


def _tools(message: Message) -> set[str]:
    return {message.tool_name, *(call.name for call in message.tool_calls)}


def _may_match(message: Message, query: SessionQuery) -> bool:
    """Rule out, at the speed of `in`, most of the messages in which nothing can match.

    Only text that is ASCII is judged: folding changes nothing in it but the case.
    """
    texts = _texts(message)
    if message.cut or not all(map(str.isascii, texts)):
        return True
    low = "\n".join((*texts, message.tool_name)).lower()
    return any(
        all(all(word in low for word in term.words or (term.text.lower(),)) for term in terms)
        for terms in query.alternatives
    )


def _texts(message: Message) -> list[str]:
    return [message.text, *(text for call in message.tool_calls for text in _asked(call))]


def _asked(call: ToolCall) -> list[str]:
    """The call as it is stored, and as it reads where that is something else."""
    told = content.told(call.arguments)
    return [f"{call.name} {text}" for text in (call.arguments, *([told] if told else ()))]
