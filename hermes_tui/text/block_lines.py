"""A block laid out in lines of text: what stands where, and which style it has. No colours, no screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from hermes_tui.text import figures, highlight, matches, recap, safe_text
from hermes_tui.text.blocks import FOLDED_LINES, MAX_LINES, Block, Kind
from hermes_tui.text.marks import Marks
from hermes_tui.text.relative_time import clock_time
from storage.readings import Message

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery

INDENT = 2
RESULT_INDENT = 5
SEAM = 3
"""Cells of the rule, and a blank, on either side of the words of a seam."""


class Piece(NamedTuple):
    """Safe text in one style."""

    text: str
    style: str
    match: int = -1
    """Its number among the matches of the message; -1 for none."""


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The lines of a block."""

    lines: tuple[Line, ...]
    match_lines: Mapping[int, int] = field(default_factory=dict)
    """In which line each match of the message begins, as far as there are lines."""


def lay_out(
    block: Block, message: Message | None, query: SessionQuery | None, width: int, marks: Marks
) -> LaidOut:
    """Lay one block out.

    Args:
        message: The message of the block; None for a kind that has none.
        query: What to mark in it.
        width: Cells of a line. No line is wider; narrower ones are not padded.
    """
    page = _Page(width, marks)
    if block.gap:
        page.lines.append(())
    if message is None:
        page.say_line(block)
    else:
        _message(page, marks, block, message, matches.find(message, query))
    match_lines: dict[int, int] = {}
    for place, line in enumerate(page.lines):
        for piece in line:
            match_lines.setdefault(piece.match, place)
    return LaidOut(tuple(page.lines), match_lines)


def _message(page: _Page, marks: Marks, block: Block, message: Message, found: matches.Found) -> None:
    if block.heading:
        page.heading(block, message)
    if block.kind is Kind.SUMMARY:
        size = figures.count(len(message.text) + message.cut)
        page.text(f"[context summary {marks.dot} {size} characters]", "dim", INDENT)
        if not (block.inner or block.whole):
            return
    if block.inner and message.reasoning:
        page.text(
            safe_text.block(message.reasoning[: matches.MAX_CHARS]).strip("\n").rstrip(), "reasoning", INDENT
        )
    if block.kind is Kind.TOOL:
        page.result(block, message, found)
    else:
        page.said(block, message, found)
    if block.kind is Kind.ASSISTANT:
        page.calls(message, found)


class _Page:
    """Lines as they are written, one under the other."""

    def __init__(self, width: int, marks: Marks) -> None:
        self.width = max(width, 1)
        self.lines: list[Line] = []
        self._marks = marks

    def say_line(self, block: Block) -> None:
        """A line that is not a message."""
        marks = self._marks
        text = safe_text.line(block.text)
        if block.kind is Kind.EARLIER:
            text, style = f"{marks.ellipsis} {text} {marks.ellipsis}", "earlier"
        elif block.kind is Kind.SEAM:
            style = "seam"
            if safe_text.width(text) + 2 * SEAM > self.width:
                text = text.replace("context compressed here", "compressed")
            text = f"{marks.rule * 2} {text.replace('·', marks.dot)} {marks.rule * 2}"
            text += marks.rule * (self.width - safe_text.width(text))
        else:
            style = "note"
        self.lines.append((Piece(safe_text.cut(text, self.width, marks.ellipsis), style),))

    def heading(self, block: Block, message: Message) -> None:
        """Who speaks, and when."""
        marks = self._marks
        if block.kind is Kind.USER:
            mark, name, style = marks.user, "You", "user-mark"
        elif block.kind is Kind.ASSISTANT:
            mark, name, style = marks.assistant, "Hermes", "assistant-mark"
        else:
            role = safe_text.line(message.role)
            mark, name, style = marks.dot, "System" if role == "system" else role or "unknown", "other-mark"
        who = safe_text.cut(f"{mark} {name}", self.width, marks.ellipsis)
        pieces = [Piece(who, style)]
        if message.timestamp is not None:
            clock = clock_time(message.timestamp)
            room = self.width - safe_text.width(who)
            for when in (f"  {block.day} {clock}" if block.day else "", f"  {clock}"):
                if when and len(when) <= room:
                    pieces.append(Piece(when, "time"))
                    break
        self.lines.append(tuple(pieces))

    def said(self, block: Block, message: Message, found: matches.Found) -> None:
        """The text of a message, shortened unless it is to be whole."""
        style = {Kind.USER: "user", Kind.ASSISTANT: "assistant"}.get(block.kind, "dim")
        if block.kind is Kind.ASSISTANT and block.whole:
            style = "answer"
        text, cut = (found.body, False) if block.whole else _shortened(block, found.body)
        limit = FOLDED_LINES if style == "dim" and not block.whole else MAX_LINES
        self.text(text, style, INDENT, found.spans, cut=cut, limit=limit)
        if not cut:
            self._more(matches.left_out(message))

    def result(self, block: Block, message: Message, found: matches.Found) -> None:
        """What a tool gave back."""
        name = safe_text.line(message.tool_name) or "tool"
        before = " " * INDENT + self._marks.corner
        label = safe_text.cut(before + name, self.width, self._marks.ellipsis)
        # A match that is cut off is still one to walk to.
        spans = [
            (min(start + len(before), len(label) - 1), min(end + len(before), len(label)))
            for start, end in found.name
        ]
        self.lines.append(tuple(_styled(label, "tool-name", spans, 0)))
        limit = MAX_LINES if block.whole else FOLDED_LINES
        self.text(found.body, "dim", RESULT_INDENT, found.spans, number=len(found.name), limit=limit)
        self._more(matches.left_out(message))

    def calls(self, message: Message, found: matches.Found) -> None:
        """Tool calls, folded to one line; those in which something matched, each by itself below it."""
        self.text(matches.folded_calls(message), "dim", INDENT)
        number = len(found.spans)
        for text, spans in found.calls:
            self.text(text, "dim", 2 * INDENT, spans, number=number)
            number += len(spans)

    def text(
        self,
        text: str,
        style: str,
        indent: int,
        spans: Sequence[highlight.Span] = (),
        *,
        cut: bool = False,
        number: int = 0,
        limit: int = MAX_LINES,
    ) -> None:
        """Wrap safe text, every line indented.

        Args:
            spans: Ranges that match, in order; the first has this `number`.
            cut: The text was shortened: it ends in an ellipsis.
            limit: Lines that are written; how many more there are is said.
        """
        if not text:
            return
        ranges = safe_text.wrap(text, self._room(indent))
        first = 0
        for start, end in ranges[:limit]:
            while first < len(spans) and spans[first][1] <= start:
                first += 1
            last = first
            while last < len(spans) and spans[last][0] < end:
                last += 1
            here = [(max(left, start) - start, min(right, end) - start) for left, right in spans[first:last]]
            pieces = _styled(text[start:end], style, here, number + first)
            self.lines.append(self._indented(tuple(pieces), indent))
        if cut:
            self._ellipsis(indent)
        if hidden := len(ranges[limit:]):
            words = f"{self._marks.ellipsis} {figures.plural(hidden, 'more line')}"
            words = safe_text.cut(words, self._room(indent), self._marks.ellipsis)
            self.lines.append(self._indented((Piece(words, "dim"),), indent))

    def _ellipsis(self, indent: int) -> None:
        mark = Piece(f" {self._marks.ellipsis}", "dim")
        used = sum(safe_text.width(piece.text) for piece in self.lines[-1])
        if used + safe_text.width(mark.text) <= self.width:
            self.lines[-1] = (*self.lines[-1], mark)
        else:
            alone = safe_text.cut(self._marks.ellipsis, self._room(indent), "")
            self.lines.append(self._indented((Piece(alone, "dim"),), indent))

    def _more(self, characters: int) -> None:
        if characters:
            words = f"{self._marks.ellipsis} cut: {figures.plural(characters, 'more character')}"
            self.text(words, "dim", INDENT)

    def _room(self, indent: int) -> int:
        return self.width - indent if self.width > 3 * indent else self.width

    def _indented(self, pieces: Sequence[Piece], indent: int) -> Line:
        if self.width > 3 * indent:
            return (Piece(" " * indent, "dim"), *pieces)
        return tuple(pieces)


def _shortened(block: Block, text: str) -> tuple[str, bool]:
    if block.kind is Kind.ASSISTANT:
        short = recap.shorten_assistant(text)
    else:
        short = recap.shorten_user(text) if block.kind is Kind.USER else text
    if short == text:
        return text, False
    return short.removesuffix("...").rstrip(), True


def _styled(text: str, style: str, spans: Sequence[highlight.Span], number: int) -> Iterator[Piece]:
    """One line of a text, cut at its matches."""
    for part, which in highlight.pieces(text, spans):
        yield Piece(part, style, number + which if which >= 0 else -1)
