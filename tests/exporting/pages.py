"""Documents made by hand, and HTML read back by a parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

from hermes_tui.export.cleaning import Cleaning
from hermes_tui.export.document import Document
from hermes_tui.text import blocks
from storage.readings import Message, ToolCall, Transcript

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


def message(place: int, role: str, text: str, *, calls: tuple[ToolCall, ...] = (), tool: str = "") -> Message:
    """A message as a document has it."""
    stored = Message(place, "s", role, text, None, tool_calls=calls, tool_name=tool)
    return Cleaning(redacting=False).message(stored)


def document(*messages: Message, title: str = "Title", facts: tuple[tuple[str, str], ...] = ()) -> Document:
    shown = blocks.Shown(tools=True, whole=True, unfolded=True)
    arranged = blocks.arrange(Transcript(("s",), messages), shown)
    return Document("s", title, facts, tuple(arranged), messages, masked=0, missing=())


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]


@dataclass
class Read:
    elements: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    """End tags that close nothing, or not the innermost element."""

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.read = Read()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.read.elements.append(Element(tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.read.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.read.open and self.read.open[-1] == tag:
            self.read.open.pop()
        else:
            self.read.strays.append(tag)

    def handle_data(self, data: str) -> None:
        self.read.text.append(data)


def read(html: str) -> Read:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.read
