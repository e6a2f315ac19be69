"""Text inside a Markdown document that cannot leave its place in it, whatever it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

OUR_HEADINGS = 2
"""Levels of headings that the document keeps for itself; those of a message are below them."""

_LOWEST = 6
_MEANINGFUL = re.compile(r"[\\`*\[\]<>&|~]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#+(?!\S)")
_MARGIN = re.compile(r"^(?:[ \t>*+-]|\d{1,9}[.)])+")
_TICKS = re.compile("`+")
_INLINE = re.compile(r"\\.|`+|<(?=[A-Za-z/!?])|!(?=\[)|&(?=#)", re.DOTALL)
_REACHING = re.compile(r"<|!\[|&#")
_TAG_LINE = re.compile(r"\n[ \t>]*<")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^\s<>`\\]*>", re.IGNORECASE)
_CELL_EDGE = re.compile(r"((?<!\\)\|)")


def plain(text: str) -> str:
    """One line of text that means nothing in Markdown."""
    return _MEANINGFUL.sub(r"\\\g<0>", text)


def quoted(text: str) -> str:
    """Lines as a block quote."""
    # A tab reaches less far behind the mark of the quote.
    lines = (_MARGIN.sub(lambda margin: margin[0].expandtabs(4), line) for line in text.split("\n"))
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code that nothing in them can close."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def contained(text: str, *, keep_lines: bool = False) -> str:
    """The Markdown of a message, able to stand in a document: as it is, except for what would reach beyond it.

    Its headings go below those of the document, HTML becomes text, pictures become links (to show one would tell
    its owner who reads), characters written as numbers stay numbers, and a block of code that stays open is closed.

    Args:
        keep_lines: Line ends stay where Markdown would join the lines of a paragraph.
    """
    text = text.strip("\n").rstrip()
    lines: list[str | None] = [*text.split("\n")]
    tokens = _parser().parse(text)
    tables: list[range] = []
    headings: list[Token] = []
    for token in tokens:
        if token.map is None:
            continue
        here = range(*token.map)
        if token.type == "table_open":
            tables.append(here)
            for row in here:
                lines[row] = "".join(map(_tame, _CELL_EDGE.split(lines[row] or "")))
        elif token.type == "inline" and not (tables and here.start in tables[-1]):
            _contain_inline(lines, here, keep_lines=keep_lines)
        elif token.type == "heading_open" and token.level == 0:
            headings.append(token)
    for token in headings:
        _lower(lines, token)
    if tokens and tokens[-1].type == "fence" and not _is_closed(lines, tokens[-1]):
        lines.append(tokens[-1].markup)
    return "\n".join(line for line in lines if line is not None)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Where HTML is not known, blocks are as they will be when it is escaped.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _contain_inline(lines: list[str | None], here: range, *, keep_lines: bool) -> None:
    text = _tame("\n".join(_given(lines[here.start : here.stop])))
    if keep_lines:
        text = re.sub(r"(?<![ \\\n])\n", "  \n", text)
    tamed = text.split("\n")
    lines[here.start : here.stop] = [*tamed, *[None] * (len(here) - len(tamed))]


def _tame(text: str) -> str:
    """Inline text without tags, pictures, and characters written as numbers; code stays as it is."""
    if not _REACHING.search(text):
        return text
    ticks: dict[int, list[int]] = {}
    for run in _TICKS.finditer(text):
        ticks.setdefault(len(run[0]), []).append(run.start())
    kept: list[str] = []
    done = place = 0
    while (found := _INLINE.search(text, place)) is not None:
        place = found.end()
        size = len(found[0])
        if found[0].startswith("`"):
            closing = ticks.get(size, [])
            after = bisect_right(closing, found.start())
            if after < len(closing):
                place = closing[after] + size
                # A tag that begins a line is one even there; in code a line end is a blank.
                kept += (text[done : found.start()], _TAG_LINE.sub(" <", text[found.start() : place]))
                done = place
        elif link := _AUTOLINK.match(text, found.start()):
            place = link.end()
        elif size == 1:
            kept += (text[done : found.start()], "\\", found[0])
            done = place
    kept.append(text[done:])
    return "".join(kept)


def _lower(lines: list[str | None], token: Token) -> None:
    """Put a heading below those of the document."""
    here = range(*token.map or ())
    given = [line.strip() for line in _given(lines[here.start : here.stop])]
    if token.markup in ("=", "-"):
        text, level = " ".join(given[:-1]), 1 if token.markup == "=" else 2
    else:
        level = len(token.markup)
        text = given[0][level:].strip()
    lines[here.start] = f"{'#' * min(level + OUR_HEADINGS, _LOWEST)} {text}"
    for place in here[1:]:
        lines[place] = None


def _is_closed(lines: list[str | None], token: Token) -> bool:
    start, stop = token.map or (0, 0)
    closing = re.compile(rf" {{0,3}}{re.escape(token.markup)}{token.markup[0]}*[ \t]*")
    return stop - 1 > start and closing.fullmatch(lines[stop - 1] or "") is not None


def _given(lines: Iterable[str | None]) -> list[str]:
    return [line or "" for line in lines]
