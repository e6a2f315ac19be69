"""How many lines each block of a long text takes, and which block a line falls into."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class LineHeights:
    """Heights with their running sums; a sum is added up again when it is asked for after a change.

    Args:
        heights: Lines of each block, guessed or known, 0 or more.
    """

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._ends: list[int] | None = None

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, block: int) -> int:
        return self._heights[block]

    def set(self, block: int, height: int) -> None:
        """Put a better number in the place of a guess."""
        if self._heights[block] != height:
            self._heights[block] = height
            self._ends = None

    @property
    def total(self) -> int:
        """Lines of all blocks."""
        ends = self._sums()
        return ends[-1] if ends else 0

    def offset(self, block: int) -> int:
        """The line in which a block begins; for the number of blocks, the end."""
        return self._sums()[block - 1] if block else 0

    def at(self, line: int) -> tuple[int, int]:
        """The block that a line falls into, and the line of the block.

        A line before the first counts as the first, one beyond the last as the last.
        """
        ends = self._sums()
        line = max(min(line, self.total - 1), 0)
        block = min(bisect_right(ends, line), len(ends) - 1)
        return block, line - self.offset(block)

    def _sums(self) -> list[int]:
        if self._ends is None:
            self._ends = list(accumulate(self._heights))
        return self._ends
