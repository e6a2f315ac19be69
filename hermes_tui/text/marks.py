"""The glyphs of the interface, each one cell wide, and their stand-ins where there is no UTF-8."""

from __future__ import annotations

import codecs
from typing import NamedTuple


class Marks(NamedTuple):
    """One set of glyphs."""

    sign: str
    """Before the program's name: Mercury, the planet of Hermes."""
    cursor: str
    marked: str
    pinned: str
    ticked: str
    """A box that is ticked, and one that is not; as wide as each other."""
    unticked: str

    complete: str
    interrupted: str
    error: str
    empty: str
    running: str

    user: str
    assistant: str
    live_tip: str

    tee: str
    """Tree guide before a relative that has siblings below it; two cells, like the next three."""
    corner: str
    pipe: str
    blank: str

    rule: str
    vertical: str
    dot: str
    """Between two facts on one line."""
    dash: str
    """Where there is nothing to show."""
    ellipsis: str
    arrow: str
    up: str
    down: str
    left_edge: str
    """Of a filter in the search box, in the blank before it; the right one in the blank behind it."""
    right_edge: str


UNICODE = Marks(
    sign="☿",
    cursor="▸",
    marked="●",
    pinned="★",
    ticked="☑",
    unticked="☐",
    complete="✓",
    interrupted="!",
    error="✗",
    empty="·",
    running="◉",
    user="●",
    assistant="◆",
    live_tip="◂",
    tee="├ ",
    corner="└ ",
    pipe="│ ",
    blank="  ",
    rule="─",
    vertical="│",
    dot="·",
    dash="—",
    ellipsis="…",
    arrow="→",
    up="↑",
    down="↓",
    left_edge="▐",
    right_edge="▌",
)

ASCII = Marks(
    sign="*",
    cursor=">",
    marked="*",
    pinned="^",
    ticked="[x]",
    unticked="[ ]",
    complete="+",
    interrupted="!",
    error="x",
    empty=".",
    running="@",
    user="*",
    assistant="+",
    live_tip="<",
    tee="|-",
    corner="`-",
    pipe="| ",
    blank="  ",
    rule="-",
    vertical="|",
    dot="-",
    dash="-",
    ellipsis="...",
    arrow="->",
    up="^",
    down="v",
    left_edge=" ",
    right_edge=" ",
)


def for_encoding(encoding: str | None) -> Marks:
    """The marks that a stream of this encoding can carry."""
    try:
        name = codecs.lookup(encoding or "ascii").name
    except LookupError:
        return ASCII
    return UNICODE if name.startswith("utf") else ASCII
