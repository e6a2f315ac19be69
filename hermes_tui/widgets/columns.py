"""Which columns of the session list fit a width, and how wide each is."""

from __future__ import annotations

from typing import Any, NamedTuple

GAP = 2
MARKER = 3
"""The cursor, the mark or the star, and a blank; the star of a marked row stands in the blank."""
TITLE = 20
"""A title as narrow as this is still a title; beside nothing but a time it may shrink to `BARE_TITLE`."""
BARE_TITLE = 16
PREVIEW = 18
TITLE_SHARE = 0.36
"""The most that titles take of the room they share with previews."""
SHORT_SOURCE = 4
"""`telegram` → `tele`: the first letters, told apart by a rule."""


class Columns(NamedTuple):
    """Cells of each column, from left to right; 0 for one that is not there."""

    title: int = 0
    preview: int = PREVIEW
    hits: int = 0
    active: int = 11
    source: int = 8
    messages: int = 5
    status: int = 1

    @property
    def fixed(self) -> int:
        """Cells of everything but title and preview, gaps included."""
        others = (self.hits, self.active, self.source, self.messages, self.status)
        return MARKER + sum(cells + GAP for cells in others if cells)

    @property
    def needed(self) -> int:
        """Cells that title and preview cannot do without."""
        return TITLE + GAP + PREVIEW if self.preview else BARE_TITLE


# What gives way first is what helps least to recognise a conversation.
_STEPS: tuple[dict[str, Any], ...] = (
    {"source": SHORT_SOURCE},
    {"messages": 0},
    {"source": 0},
    {"hits": 0},
    {"preview": 0},
    {"status": 0},
    {"active": 0},
)


def plan(width: int, *, searching: bool, title: int) -> Columns:
    """Choose the columns for a width.

    Args:
        width: Cells of the whole line.
        searching: There are hits to show.
        title: Cells of the widest title known.
    """
    columns = Columns(hits=4 if searching else 0)
    for step in _STEPS:
        if width - columns.fixed >= columns.needed:
            break
        columns = columns._replace(**step)
    room = max(width - columns.fixed, 0)
    if not columns.preview:
        return columns._replace(title=room)
    room -= GAP
    share = max(TITLE, int(room * TITLE_SHARE))
    wide = min(max(title, TITLE), share)
    return columns._replace(title=wide, preview=room - wide)
