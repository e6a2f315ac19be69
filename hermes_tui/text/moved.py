"""Where the characters of store text stand once it was made safe."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from hermes_tui.text import safe_text

Place = Callable[[int], int]
"""From a place in a text, its end included, to the same place in another form of it."""

_GONE = re.compile(f"{safe_text.ESCAPE.pattern}|{safe_text.DROPPED.pattern}")
_BLANKS = re.compile(r"\s+")
_RESIZED = re.compile(r"\r\n|\t")


def into_line(text: str) -> Place:
    """From store text into its `safe_text.line`."""
    cleaned = safe_text.clean(text)

    def blanks() -> Iterator[tuple[int, int, int]]:
        for found in _BLANKS.finditer(cleaned):
            start, end = found.span()
            yield start, end, int(start > 0 and end < len(cleaned))

    return _then(text, _moved(blanks()))


def into_block(text: str) -> Place:
    """From store text into its `safe_text.block`."""
    resized = _RESIZED.finditer(safe_text.clean(text))
    return _then(
        text, _moved((*found.span(), len(safe_text.TAB) if found[0] == "\t" else 1) for found in resized)
    )


def _then(text: str, place: Place) -> Place:
    """First into what is clean of the text, then on."""
    cleaned = _moved((*found.span(), 0) for found in _GONE.finditer(text))
    return lambda index: place(cleaned(index))


def _moved(replaced: Iterable[tuple[int, int, int]]) -> Place:
    """Into a text of which ranges were replaced: start, end and new length of each, in order.

    What was inside of such a range is at the end of what replaced it.
    """
    starts, ranges, shift = [], [], 0
    for start, end, length in replaced:
        starts.append(start)
        ranges.append((end, start + shift, start + shift + length))
        shift += length - (end - start)

    def place(index: int) -> int:
        nearest = bisect_right(starts, index) - 1
        if nearest < 0:
            return index
        end, before, behind = ranges[nearest]
        return before if index == starts[nearest] else behind + max(0, index - end)

    return place
