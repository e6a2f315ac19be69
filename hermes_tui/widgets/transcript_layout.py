"""The lines of a transcript: guessed for all of it, known for what was on the screen."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from textual.cache import LRUCache

from hermes_tui.text.block_lines import LaidOut, Line
from hermes_tui.text.blocks import Block, Kind, estimate, places
from hermes_tui.widgets.line_heights import LineHeights
from hermes_tui.widgets.match_walk import Match
from storage.readings import Message

KEPT_BLOCKS = 300
"""Blocks whose lines are remembered."""

Render = Callable[[Block, Message | None], LaidOut]
WITHOUT_MESSAGE = frozenset({Kind.EARLIER, Kind.NOTE, Kind.SEAM})


class TranscriptLayout:
    """Where the blocks of one transcript lie in one width.

    Args:
        blocks: In order.
        messages: What the places of the blocks stand for.
        width: Cells of a line.
        render: Lays one block out in lines.
    """

    def __init__(
        self, blocks: Sequence[Block], messages: Sequence[Message], width: int, render: Render
    ) -> None:
        self.blocks = blocks
        self.messages = messages
        self._render = render
        self._places = places(blocks)
        self._laid_out: LRUCache[int, LaidOut] = LRUCache(KEPT_BLOCKS)
        self._known = bytearray(len(blocks))
        self._heights = LineHeights(estimate(block, self.message(block), width) for block in blocks)

    @classmethod
    def nothing(cls) -> TranscriptLayout:
        """No blocks at all."""
        return cls((), (), 0, lambda block, message: LaidOut(()))

    @property
    def height(self) -> int:
        """Lines in all, as far as is known."""
        return self._heights.total

    def message(self, block: Block) -> Message | None:
        """The message of a block, if it stands for one."""
        return None if block.kind in WITHOUT_MESSAGE else self.messages[block.place]

    def offset(self, index: int) -> int:
        """The line in which a block begins."""
        return self._heights.offset(index)

    def at(self, line: int) -> tuple[int, int]:
        """Index of the block at a line, and the line of the block."""
        return self._heights.at(line)

    def block_of(self, place: int) -> int | None:
        """Index of the block that shows the message of this place, else of the next one; None without blocks."""
        if not self.blocks:
            return None
        first, last = bisect_left(self._places, place), bisect_right(self._places, place)
        for index in range(first, last):
            if self.blocks[index].kind not in WITHOUT_MESSAGE:
                return index
        return min(first, len(self.blocks) - 1)

    def block_with(self, message_id: int) -> int | None:
        """Index of the block that shows this message, else of the next one; None where it is not here."""
        for place, message in enumerate(self.messages):
            if message.id == message_id:
                return self.block_of(place)
        return None

    def meant(self, top: int, rows: int, match: Match | None) -> Message | None:
        """The message that somebody means who sees these lines; None where they show none.

        It is that of the match, where that is seen; else the first whose text begins here; else the one that fills
        the screen.
        """
        if not self.blocks:
            return None
        lines = range(top, top + rows)
        shown: list[Message] = []
        begun: list[Message] = []
        for index in range(self.at(lines[0])[0], self.at(lines[-1])[0] + 1):
            block = self.blocks[index]
            if (message := self.message(block)) is None:
                continue
            begin = self.offset(index)
            if match is not None and message.id == match[0]:
                inside = self.laid_out(index).match_lines.get(match[1], 0)
                if begin + inside in lines:
                    return message
            shown.append(message)
            if begin + block.gap + block.heading in lines:
                begun.append(message)
        return next(iter((*begun, *shown)), None)

    def laid_out(self, index: int) -> LaidOut:
        """The lines of a block; from here on its height is known."""
        found = self._laid_out.get(index)
        if found is None:
            block = self.blocks[index]
            found = self._render(block, self.message(block))
            self._laid_out.set(index, found)
            self._known[index] = True
            self._heights.set(index, len(found.lines))
        return found

    def line(self, index: int, inside: int) -> Line:
        """One line of a block."""
        lines = self.laid_out(index).lines
        return lines[inside] if inside < len(lines) else ()

    def settle(self, top: int, rows: int) -> int:
        """Lay out all that lies within one screen of the `rows` lines from `top`.

        Returns:
            The line that was at `top` before: what lies above it may have turned out longer or shorter.
        """
        if not self.blocks or rows <= 0:
            return 0
        anchor, inside = self.at(top)
        while True:
            top = self.offset(anchor) + min(inside, max(self._heights[anchor] - 1, 0))
            first, _ = self.at(top - rows)
            last, _ = self.at(top + 2 * rows - 1)
            unknown = [index for index in range(first, last + 1) if not self._known[index]]
            if not unknown:
                return top
            for index in unknown:
                self.laid_out(index)

    def settle_end(self, rows: int) -> int:
        """Lay out the last two screens. Returns the first line of the last one."""
        index, lines = len(self.blocks), 0
        while index > 0 and lines < 2 * rows:
            index -= 1
            lines += len(self.laid_out(index).lines)
        return max(self.height - rows, 0)
