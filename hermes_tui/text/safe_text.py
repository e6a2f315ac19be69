"""Store text made safe for a terminal, and its measure in cells. Nothing else lets store text through."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    # The payload of a string that never ends stays as text: dropping it would hide the rest of the message.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x08\x0a-\x1f\x7f-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]"
)
# Control bytes, lone surrogates and every format character. Joiners, variation selectors, skin tones and
# fillers go too: terminals disagree about the cells they take, and without them a width is a plain sum.
DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
# What a page in a file can do without: as above, but scripts need joiners, and emoji their skin tones.
_UNWRITTEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff0-\ufffb\U000e0000-\U000e001f]"
)
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
TAB = "    "
_NARROW = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2500-\u25fc]*")
"""Text of which each character takes one cell: most of it, and measured without rich's table."""
_NOT_FIRST = frozenset("、。，．・：；！？」』）】〉》〕’”…ー々")
_NOT_LAST = frozenset("「『（【〈《〔‘“")
"""Punctuation of wide scripts that does not begin, or end, a line."""


def clean(text: str) -> str:
    """Drop from store text what no terminal is to see; blanks and line ends stay."""
    return DROPPED.sub("", ESCAPE.sub("", text))


def line(text: str) -> str:
    """Make store text one safe line: every run of white space is one blank, none at the ends."""
    if not text.isprintable() or not text.isascii():
        text = clean(text)
    return " ".join(text.split())


def block(text: str) -> str:
    """Make store text safe lines: line ends become a newline, tabs four blanks, inner blanks stay."""
    if text.isprintable() and text.isascii():
        return text
    return _NEWLINE.sub("\n", clean(text)).replace("\t", TAB)


def page(text: str) -> str:
    """Make store text safe for a file that people read: lines as in `block`, tabs stay, and so does what joins signs.

    Nothing in it can turn the direction of what comes after, or command a terminal.
    """
    if text.isprintable() and text.isascii():
        return text
    return _NEWLINE.sub("\n", _UNWRITTEN.sub("", ESCAPE.sub("", text)))


def width(text: str) -> int:
    """Measure safe text in terminal cells."""
    return len(text) if _is_narrow(text) else sum(map(_cell_size(), text))


def cut(text: str, cells: int, ellipsis: str = "…") -> str:
    """Shorten one safe line to at most `cells`; the ellipsis, where it fits, is part of them."""
    if width(text) <= cells:
        return text
    room = cells - width(ellipsis)
    if room < 0:
        room, ellipsis = cells, ""
    return text[: _reach(text, 0, len(text), room)] + ellipsis


def fit(text: str, cells: int, align: Literal["left", "right"] = "left", ellipsis: str = "…") -> str:
    """Shorten and pad one safe line to exactly `cells`."""
    text = cut(text, cells, ellipsis)
    padding = " " * (cells - width(text))
    return padding + text if align == "right" else text + padding


def wrap(text: str, cells: int) -> list[tuple[int, int]]:
    """Lay a safe block out in lines of at most `cells`; there is always one, if an empty one.

    Returns:
        The character range of each line, in order. Between two of them lies the newline, or the blanks where
        a line was broken. Only a wide character that stands alone in a line of one cell is wider than it.
    """
    cells = max(cells, 1)
    ranges: list[tuple[int, int]] = []
    start = 0
    while (end := text.find("\n", start)) >= 0:
        _wrap_paragraph(text, start, end, cells, ranges)
        start = end + 1
    _wrap_paragraph(text, start, len(text), cells, ranges)
    return ranges


def _wrap_paragraph(text: str, start: int, end: int, cells: int, ranges: list[tuple[int, int]]) -> None:
    while (reach := max(_reach(text, start, end, cells), start + 1)) < end:
        stop = _break_before(text, start, reach)
        ranges.append((start, stop))
        start = stop
        while start < end and text[start] == " ":
            start += 1
        if start == end:
            return
    ranges.append((start, end))


def _break_before(text: str, start: int, limit: int) -> int:
    """The best place in (start, limit] to end a line that cannot go beyond `limit`."""
    narrow = _is_narrow(text[start : limit + 1])
    for stop in range(limit, start, -1):
        if text[stop] == " ":
            # The blanks before the break are not part of the line, unless they are all of it: an indent.
            kept = text[start:stop].rstrip(" ")
            return start + len(kept) if kept else limit
        if not narrow and _may_part(text[stop - 1], text[stop]):
            return stop
    return limit


def _may_part(before: str, after: str) -> bool:
    """Whether a line may end between two characters without a blank: beside a wide one, punctuation apart."""
    size = _cell_size()
    return before not in _NOT_LAST and after not in _NOT_FIRST and size(before) + size(after) > 2


def _reach(text: str, start: int, end: int, cells: int) -> int:
    """How far the characters from `start` go before they take more than `cells`."""
    near = min(end, start + max(cells, 0))
    if _is_narrow(text[start : near + 1].removesuffix("\n")):
        return near
    size = _cell_size()
    used = 0
    for place in range(start, end):
        used += size(text[place])
        if used > cells:
            return place
    return end


def _is_narrow(text: str) -> bool:
    return text.isascii() or _NARROW.fullmatch(text) is not None


def _cell_size() -> Callable[[str], int]:
    # rich takes 15 ms to import; a command without a screen needs it for wide text only.
    from rich.cells import get_character_cell_size

    return get_character_cell_size
