"""A conversation as a Markdown document, for a pager and for what renders it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hermes_tui.export.document import UNTITLED, Document
from hermes_tui.export.markdown_text import contained, fenced, plain, quoted
from hermes_tui.text import figures, relative_time
from hermes_tui.text.blocks import Block, Kind
from storage.readings import Message

_SPEAKERS = {Kind.USER: "● You", Kind.ASSISTANT: "◆ Hermes", Kind.TOOL: "◆ Hermes"}


def pages(document: Document) -> Iterator[str]:
    """The document in pieces, to be written one after another."""
    facts = "".join(f"- **{name}:** {plain(value)}\n" for name, value in document.facts)
    if document.masked:
        facts += f"- **Masked:** {figures.plural(document.masked, 'secret')}\n"
    yield f"# {plain(document.title or UNTITLED)}\n\n{facts}"
    for block in document.blocks:
        for piece in _pieces(block, document):
            yield f"\n{piece}\n"


def _pieces(block: Block, document: Document) -> Iterator[str]:
    if block.kind is Kind.SEAM:
        yield f"**── {plain(block.text)} ──**"
    elif block.kind in (Kind.NOTE, Kind.EARLIER):
        yield f"*{plain(block.text)}*"
    else:
        message = document.messages[block.place]
        if block.heading:
            speaker = _SPEAKERS.get(block.kind) or plain(message.role)
            yield f"## {speaker} · {relative_time.minute(message.timestamp)}"
        yield from _told(block.kind, message)
        if message.cut:
            yield f"*{figures.count(message.cut)} more characters are left out here; an export as JSON has them.*"


def _told(kind: Kind, message: Message) -> Iterator[str]:
    if kind is Kind.TOOL:
        yield _folded(f"Result of {message.tool_name or 'a tool'}", fenced(message.text))
        return
    if kind is Kind.SUMMARY:
        yield _folded("Summary of what came before", quoted(contained(message.text)))
    elif kind is Kind.ASSISTANT:
        if message.text:
            yield contained(message.text)
    else:
        yield quoted(contained(message.text, keep_lines=True))
    for call in message.tool_calls:
        yield _folded(f"Called {call.name}", fenced(call.arguments))


def _folded(summary: str, inner: str) -> str:
    lines = inner.count("\n") - 1
    size = f" · {figures.plural(lines, 'line')}" if lines > 1 else ""
    return f"<details>\n<summary>{escape(summary)}{size}</summary>\n\n{inner}\n\n</details>"
