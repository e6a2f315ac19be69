"""Messages as a long column of lines: scrolled, laid out where they are seen, drawn."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.strip import Strip

from hermes_tui.text import safe_text
from hermes_tui.text.block_lines import INDENT
from hermes_tui.text.marks import UNICODE, Marks
from hermes_tui.widgets.line_view import LineView, fitted
from hermes_tui.widgets.match_walk import Match
from hermes_tui.widgets.transcript_layout import WITHOUT_MESSAGE, TranscriptLayout

Anchor = tuple[int, int]
"""Id of the first message on the screen, and how many of its lines are above the screen."""


class BlockView(LineView, can_focus=True):
    """Shows the blocks that `arrange_blocks` gives it.

    Heights are guessed until a block comes within one screen of what is seen. When one turns out longer or
    shorter, what is on the screen stays where it is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "line_up", "Up", id="transcript.up", show=False, tooltip="One line up"),
        Binding("down,j", "line_down", "Down", id="transcript.down", show=False, tooltip="One line down"),
        Binding("pageup", "page_up", "Page up", id="transcript.page_up", show=False, tooltip="One screen up"),
        Binding("pagedown", "page_down", "Page down", id="transcript.page_down", show=False, tooltip="One screen down"),
        Binding("g,home", "first", "Start", id="transcript.first", show=False, tooltip="The first message"),
        Binding("G,end", "last", "End", id="transcript.last", show=False, tooltip="The last message"),
    ]  # fmt: skip
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "transcript--user-mark",
        "transcript--assistant-mark",
        "transcript--other-mark",
        "transcript--time",
        "transcript--user",
        "transcript--assistant",
        "transcript--answer",
        "transcript--dim",
        "transcript--reasoning",
        "transcript--tool-name",
        "transcript--earlier",
        "transcript--seam",
        "transcript--note",
        "transcript--match",
        "transcript--current-match",
    }
    DEFAULT_CSS = """
    BlockView {
        height: 1fr;
        padding: 0 1;
        color: $text;
        & > .transcript--user-mark { color: $gold; text-style: bold; }
        & > .transcript--assistant-mark { color: $green; text-style: bold; }
        & > .transcript--other-mark { color: $text-muted; text-style: bold; }
        & > .transcript--time { color: $faint; }
        & > .transcript--assistant { color: $foreground 80%; }
        & > .transcript--dim { color: $text-muted; }
        & > .transcript--reasoning { color: $text-muted; text-style: italic; }
        & > .transcript--tool-name { color: $bronze; }
        & > .transcript--earlier { color: $text-muted; text-style: italic; }
        &:focus > .transcript--earlier { color: $accent; }
        & > .transcript--seam { color: $faint; }
        & > .transcript--note { color: $warning; }
        & > .transcript--match { background: $accent 35%; color: $text; }
        & > .transcript--current-match { background: $accent; color: $background; text-style: bold; }
        &.-few-colours > .transcript--match { text-style: underline; }
        &.-few-colours > .transcript--current-match { text-style: reverse bold; }
    }
    """

    def __init__(self, marks: Marks = UNICODE, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.marks = marks
        self.blocks = TranscriptLayout.nothing()
        self.match: Match | None = None
        """The current match, drawn unlike the others."""
        self.notice = ""
        """One sentence in the place of all blocks."""
        self.at_end = True
        """The last line is on the screen."""
        self._settling = False
        self._arranged_width = 0

    def arrange_blocks(self) -> TranscriptLayout:
        """The blocks to show, for `text_width`."""
        raise NotImplementedError

    def open_blocks(self) -> None:
        """Scroll to where one begins to read; called when the width is known for the first time."""
        self.action_last()

    # Scrolling

    def action_line_up(self) -> None:
        self.jump(self.scroll_offset.y - 1)

    def action_line_down(self) -> None:
        self.jump(self.scroll_offset.y + 1)

    def action_page_up(self) -> None:
        self.jump(self.scroll_offset.y - max(self.rows - 1, 1))

    def action_page_down(self) -> None:
        self.jump(self.scroll_offset.y + max(self.rows - 1, 1))

    def action_first(self) -> None:
        self.jump(0)

    def action_last(self) -> None:
        self._settled(self.blocks.settle_end(self.rows))

    @property
    def text_width(self) -> int:
        """Cells for text: beside the scroll bar stays a blank, where there is room for one."""
        return self.line_width - (self.line_width > 3 * INDENT)

    @property
    def rows(self) -> int:
        """Lines on the screen."""
        return self.scrollable_content_region.height

    def first_shown(self) -> tuple[int, int]:
        """Index of the block at the top of the screen, and the line of it that is there."""
        return self.blocks.at(self.scroll_offset.y) if self.blocks.blocks else (0, 0)

    def bring(self, index: int, inside: int) -> None:
        """Scroll a line of a block to the upper third, unless it is on the screen already."""
        rows, top = self.rows, self.scroll_offset.y
        if top < self.blocks.offset(index) + inside < top + rows - 1:
            return
        self.blocks.settle(self.blocks.offset(index) + inside, rows)
        line = self.blocks.offset(index) + inside
        self._settled(self.blocks.settle(max(line - rows // 3, 0), rows))

    def _settled(self, top: int) -> None:
        """Go to a line around which everything is laid out."""
        self._settling = True
        self.set_line_count(self.blocks.height)
        self.jump(top)
        self._settling = False
        self.at_end = self.scroll_offset.y >= self.blocks.height - self.rows

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and round(old_value) != round(new_value):
            self._settled(self.blocks.settle(self.scroll_offset.y, self.rows))

    @property
    def is_to_be_arranged(self) -> bool:
        """The blocks are laid out for another width than there is now; `fit` is on its way."""
        return self._arranged_width not in (0, self.line_width)

    def fit(self) -> None:
        at_end, opening = self.at_end, self._arranged_width == 0
        if self.line_width != self._arranged_width:
            self.rearrange(self.hold())
        if opening:
            self.open_blocks()
        elif at_end:
            self.action_last()
        else:
            self._settled(self.blocks.settle(self.scroll_offset.y, self.rows))

    # Blocks

    def rearrange(self, anchor: Anchor | None) -> None:
        """Take the blocks anew, and put the line of the anchor where it was."""
        self._arranged_width = self.line_width
        self.strips.clear()
        self.blocks = self.arrange_blocks()
        index = None if anchor is None else self.blocks.block_with(anchor[0])
        top = 0
        if anchor is not None and index is not None:
            self.blocks.laid_out(index)
            top = max(self.blocks.offset(index) + anchor[1], 0)
        self._settled(self.blocks.settle(top, self.rows))
        self.refresh()

    def hold(self) -> Anchor | None:
        """What to hold on to when the blocks change."""
        blocks = self.blocks.blocks
        if not blocks:
            return None
        index, _ = self.first_shown()
        while index < len(blocks) - 1 and blocks[index].kind in WITHOUT_MESSAGE:
            index += 1
        message = self.blocks.message(blocks[index])
        return None if message is None else (message.id, self.scroll_offset.y - self.blocks.offset(index))

    # Drawing

    def render_line(self, y: int) -> Strip:
        if self.notice:
            return self._draw_notice(y)
        y += self.scroll_offset.y
        if y >= self.blocks.height:
            return self.blank()
        place = self.blocks.at(y)
        # While a scroll bar comes or goes, a line is asked for in a width that does not last.
        key = (*place, self.line_width)
        strip = self.strips.get(key)
        if strip is None:
            strip = self._draw(*place)
            self.strips.set(key, strip)
        return strip

    def _draw(self, index: int, inside: int) -> Strip:
        message = self.blocks.message(self.blocks.blocks[index])
        current = -1
        if self.match is not None and message is not None and message.id == self.match[0]:
            current = self.match[1]
        runs = []
        for piece in self.blocks.line(index, inside):
            if piece.match < 0:
                style = self.look(f"transcript--{piece.style}")
            elif piece.match == current:
                style = self.look(f"transcript--{piece.style}", "transcript--current-match")
            else:
                style = self.look(f"transcript--{piece.style}", "transcript--match")
            runs.append((piece.text, style))
        runs.append(("", self.look()))
        return Strip(fitted(runs, self.line_width), self.line_width)

    def _draw_notice(self, y: int) -> Strip:
        text = safe_text.line(self.notice)
        lines = safe_text.wrap(text, max(self.line_width - 2 * INDENT, 1))
        if not 1 <= y <= len(lines):
            return self.blank()
        start, end = lines[y - 1]
        segments = [
            Segment(" " * INDENT, self.look()),
            Segment(text[start:end], self.look("transcript--dim")),
        ]
        return Strip(segments).adjust_cell_length(self.line_width, self.look())
