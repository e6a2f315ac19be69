"""The family of a conversation: every relative with why it is one, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from hermes_tui.text import safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.text.tree_lines import TreeLine, laid, total_figures, total_words, tree_lines
from hermes_tui.widgets.line_view import LineView, fitted
from storage import Edge, Lineage, LineageNode

GUIDE, EDGE, NAME, LIVE, FIGURE, TOTAL, CURSOR = (
    f"lineage-tree--{part}" for part in ("guide", "edge", "name", "live", "figure", "total", "cursor")
)
INDENT = 2
"""The cursor, and a blank."""
GAP = 2
LEAST_NAMES = 16
"""Cells that names must have before figures are shown beside them: "comp… #12 ◂ live"."""


class LineageTree(LineView, can_focus=True):
    """The tree of a family, drawn line by line; the last line is the total."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {GUIDE, EDGE, NAME, LIVE, FIGURE, TOTAL, CURSOR}
    DEFAULT_CSS = """
    LineageTree {
        & .lineage-tree--guide { color: $faint; }
        & .lineage-tree--edge { color: $bronze; }
        & .lineage-tree--name { color: $text-muted; }
        & .lineage-tree--live { color: $accent; text-style: bold; }
        & .lineage-tree--figure { color: $faint; }
        & .lineage-tree--total { color: $text-muted; }
        & .lineage-tree--cursor { background: $cursor-row; text-style: bold; }
    }
    """
    HELP = "Every relative of the conversation and why it is one. Enter shows that part; Backspace goes back."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "show", "show", id="lineage.show", tooltip="Show this part in the transcript"),
        Binding("up,k", "step(-1)", "up", show=False, id="lineage.up", tooltip="One relative up"),
        Binding("down,j", "step(1)", "down", show=False, id="lineage.down", tooltip="One relative down"),
        Binding("pageup", "page(-1)", "page up", show=False, id="lineage.page_up", tooltip="A page up"),
        Binding(
            "pagedown", "page(1)", "page down", show=False, id="lineage.page_down", tooltip="A page down"
        ),
        Binding(
            "home,g", "step(-1000000)", "first", show=False, id="lineage.first", tooltip="The first relative"
        ),
        Binding("end,G", "step(1000000)", "last", show=False, id="lineage.last", tooltip="The last relative"),
        Binding("backspace", "back", "back", id="lineage.back", tooltip="Back to the conversation before"),
    ]

    cursor = reactive(0, repaint=False)

    @dataclass
    class Shown(Message):
        """The person wants to read this part."""

        node: LineageNode

    @dataclass
    class Moved(Message):
        """The cursor stands on another relative."""

        node: LineageNode

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, LineageTree.Moved)

    @dataclass
    class Back(Message):
        """The person wants to go back to where they came from."""

    def __init__(self, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._marks = marks
        self._lineage: Lineage | None = None
        self._lines: list[TreeLine] = []
        self._shown: str | None = None
        self._total = ("", "")
        self._message_cells = 0
        self._cost_cells = 0
        self.border_title = "lineage"

    @property
    def lineage(self) -> Lineage | None:
        """The family on show."""
        return self._lineage

    @property
    def node(self) -> LineageNode | None:
        """The relative under the cursor."""
        if self._lineage is None or not self._lineage.nodes:
            return None
        return self._lineage.nodes[min(self.cursor, len(self._lineage.nodes) - 1)]

    def is_inner(self, node: LineageNode) -> bool:
        """Whether a part was compressed into a later one: Hermes continues its live tip instead."""
        return self._lineage is not None and any(
            each.parent == node.id and each.edge is Edge.COMPRESSED for each in self._lineage.nodes
        )

    def show(self, lineage: Lineage | None, at: str | None = None) -> None:
        """Show a family with the cursor on the session `at`, else where it stood, else on the live tip."""
        before = self.node
        self._lineage = lineage
        self._lines = tree_lines(lineage, self._marks) if lineage is not None else []
        if lineage is not None:
            self._total = total_figures(lineage)
            columns = [self._total, *((line.messages, line.cost) for line in self._lines)]
            self._message_cells = max(safe_text.width(messages) for messages, _ in columns)
            self._cost_cells = max(safe_text.width(cost) for _, cost in columns)
            places = {node.id: number for number, node in enumerate(lineage.nodes)}
            wanted = [at, before.id if before is not None else None, lineage.tip]
            self.cursor = next((places[name] for name in wanted if name in places), 0)
        self.set_line_count(len(self._lines) + 2 if self._lines else 0)
        self.jump(0)
        self._reveal()
        self.refresh()

    def mark_shown(self, session_id: str | None) -> None:
        """Underline the part that the transcript shows on its own; None when it shows the whole chain."""
        self._shown = session_id
        self.refresh()

    def action_step(self, by: int) -> None:
        if self._lines:
            self.cursor = max(0, min(len(self._lines) - 1, self.cursor + by))

    def action_page(self, by: int) -> None:
        self.action_step(by * max(1, self.scrollable_content_region.height - 1))

    def action_show(self) -> None:
        if (node := self.node) is not None:
            self.post_message(self.Shown(node))

    def action_back(self) -> None:
        self.post_message(self.Back())

    def watch_cursor(self, old: int, new: int) -> None:
        self._reveal()
        self.refresh()
        if old != new and (node := self.node) is not None:
            self.post_message(self.Moved(node))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _reveal(self) -> None:
        # The total stands two lines below the last relative: reaching the end shows it too.
        height = 3 if self._lines and self.cursor == len(self._lines) - 1 else 1
        self.scroll_to_region(Region(0, self.cursor, 1, height), animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        line = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= line < len(self._lines):
            self.cursor = line
            if event.chain == 2:
                self.action_show()

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        if self._lineage is None or not self._lines:
            return self.blank()
        if number < len(self._lines):
            return self._node_strip(self._lines[number], self._lineage.nodes[number], number == self.cursor)
        if number == len(self._lines) + 1:
            figures = self._figures(*self._total)
            room = self.line_width - safe_text.width(figures) - INDENT
            words = safe_text.fit(
                total_words(self._lineage, room, self._marks), room, ellipsis=self._marks.ellipsis
            )
            text = " " * INDENT + words + figures
            return Strip([Segment(text, self.look(TOTAL))]).adjust_cell_length(self.line_width, self.look())
        return self.blank()

    def _figures(self, messages: str, cost: str) -> str:
        """Both figures in their columns, a gap before each; those go that names have no room beside."""
        columns = [(messages, self._message_cells), (cost, self._cost_cells)]
        while columns and self.line_width - INDENT - sum(cells + GAP for _, cells in columns) < LEAST_NAMES:
            columns.pop()
        return "".join(" " * GAP + safe_text.fit(text, cells, "right") for text, cells in columns if cells)

    def _node_strip(self, line: TreeLine, node: LineageNode, at_cursor: bool) -> Strip:
        figures = self._figures(line.messages, line.cost)
        lit = (CURSOR,) if at_cursor and self.has_focus else ()
        room = self.line_width - safe_text.width(figures) - INDENT
        pieces = laid(line, room, self._marks)
        name = self.look(LIVE if line.live else NAME, *lit)
        if node.id == self._shown:
            name += Style(underline=True)
        blank = len(pieces.name) - len(pieces.name.lstrip())
        runs = [
            (pieces.guide, self.look(GUIDE, *lit)),
            (pieces.edge + pieces.name[:blank], self.look(EDGE, *lit)),
            (pieces.name[blank:], name),
            (pieces.tail, self.look(LIVE if line.live else NAME, *lit)),
            ("", self.look(NAME, *lit)),
        ]
        marker = f"{self._marks.cursor} " if lit else " " * INDENT
        segments = [Segment(marker, self.look(LIVE, *lit)), *fitted(runs, room, "")]
        segments.append(Segment(figures, self.look(FIGURE, *lit)))
        return Strip(segments).adjust_cell_length(self.line_width, self.look(*lit))
