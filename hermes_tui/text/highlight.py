"""Where the matches lie in text that was made safe, and what of it to show when the room is short."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hermes_tui.text import safe_text

Span = tuple[int, int]


def safe_line(text: str, spans: Iterable[Span]) -> tuple[str, tuple[Span, ...]]:
    """Make store text one safe line and carry ranges of its characters over to it.

    Joiners, skin tones and escape sequences are not shown: of a range only what is left of it is, if anything.
    """
    safe, spans = safe_text.line(text), tuple(spans)
    if safe == text or not spans:
        return safe, spans
    from hermes_tui.text import moved  # what is found in plain text does without

    return safe, _carried(spans, moved.into_line(text))


def safe_block(text: str, spans: Iterable[Span]) -> tuple[str, tuple[Span, ...]]:
    """The same for safe lines."""
    safe, spans = safe_text.block(text), tuple(spans)
    if safe == text or not spans:
        return safe, spans
    from hermes_tui.text import moved

    return safe, _carried(spans, moved.into_block(text))


def _carried(spans: Iterable[Span], place: Callable[[int], int]) -> tuple[Span, ...]:
    both = ((place(start), place(end)) for start, end in spans)
    return tuple((start, end) for start, end in both if start < end)


def pieces(text: str, spans: Iterable[Span]) -> Iterator[tuple[str, int]]:
    """Cut safe text at the edges of its matches.

    Yields:
        Text and the number of the span it lies in, -1 for none. No piece begins inside a character that is
        made of several: a combining mark stays with its base.
    """
    place = 0
    for number, (start, end) in enumerate(spans):
        start, end = max(_whole(text, start), place), _whole(text, end)
        if start >= end:
            continue
        if place < start:
            yield text[place:start], -1
        yield text[start:end], number
        place = end
    if place < len(text):
        yield text[place:], -1


def _whole(text: str, index: int) -> int:
    while 0 < index < len(text) and safe_text.width(text[index]) == 0:
        index += 1
    return min(index, len(text))


def window(text: str, spans: Sequence[Span], cells: int, ellipsis: str = "…") -> tuple[str, tuple[Span, ...]]:
    """Leave out the beginning of a safe line when its first match would not be seen in `cells`."""
    if not spans or safe_text.width(text[: spans[0][1]]) <= cells - safe_text.width(ellipsis):
        return text, tuple(spans)
    start, end = spans[0]
    before = max((cells - safe_text.width(text[start:end])) // 3, 0)
    first = start
    while first > 0 and safe_text.width(text[first - 1 : start]) <= before - safe_text.width(ellipsis):
        first -= 1
    blank = text.find(" ", first, start)
    first = _whole(text, blank + 1 if blank >= 0 else first)
    shift = len(ellipsis) - first
    return ellipsis + text[first:], tuple((a + shift, b + shift) for a, b in spans if a >= first)
