"""A table that fits a terminal: what names a row is never cut, and what says least is left out first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hermes_tui.text.marks import Marks
from hermes_tui.text.safe_text import fit, width

_GAP = 2


@dataclass(frozen=True, slots=True)
class Column:
    """A column of safe text, as wide as what stands in it."""

    head: str
    texts: Sequence[str]
    rank: int
    """The lowest of the ranks shrinks first, and goes first where shrinking is not enough; the highest stays."""
    most: int | None = None
    """Cells at most; None for text that is told in full."""
    least: int | None = None
    """Cells that it shrinks to; None if it does not."""
    align: Literal["left", "right"] = "left"

    @property
    def cells(self) -> int:
        """Cells that it would like to have."""
        content = max(map(width, (self.head, *self.texts)))
        return content if self.most is None else min(content, self.most)


def table(columns: Sequence[Column], room: int, marks: Marks) -> Iterator[str]:
    """The lines of the table: the heads, a rule, the rows.

    Args:
        room: Cells of a line. Only the column that stays may need more: it is told in full.
    """
    cells = _fitted({column.rank: column for column in columns}, room)
    shown = [column for column in columns if column.rank in cells]
    sizes = [cells[column.rank] for column in shown]
    gap = " " * _GAP
    heads, *rows = zip(*((column.head, *column.texts) for column in shown), strict=True)

    def laid(row: Sequence[str]) -> str:
        cells = zip(row, sizes, shown, strict=True)
        return gap.join(
            fit(text, size, column.align, marks.ellipsis) for text, size, column in cells
        ).rstrip()

    yield laid(heads)
    yield marks.rule * min(room, _total(sizes))
    yield from map(laid, rows)


def _fitted(columns: dict[int, Column], room: int) -> dict[int, int]:
    """The cells of each rank that is shown."""
    ranks = sorted(columns)
    wanted = {rank: columns[rank].cells for rank in ranks}
    for left_out in range(len(ranks)):
        cells = {rank: wanted[rank] for rank in ranks[left_out:]}
        for rank in cells:
            least = columns[rank].least
            over = _total(cells.values()) - room
            if over > 0 and least is not None:
                cells[rank] = max(min(least, wanted[rank]), wanted[rank] - over)
        if _total(cells.values()) <= room:
            break
    return cells


def _total(cells: Collection[int]) -> int:
    return sum(cells) + _GAP * (len(cells) - 1)
