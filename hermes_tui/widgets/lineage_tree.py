"""The family of a conversation: every relative with why it is one, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.text import safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.text.tree_lines import TreeLine, total_line, tree_lines
from storage import Lineage, LineageNode


class LineageTree(ScrollView, can_focus=True):
    """The tree of a family, drawn line by line; the last line is the total."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "lineage-tree--guide",
        "lineage-tree--edge",
        "lineage-tree--name",
        "lineage-tree--live",
        "lineage-tree--figure",
        "lineage-tree--total",
        "lineage-tree--cursor",
    }
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
        Binding("pagedown", "page(1)", "page down", show=False, id="lineage.page_down", tooltip="A page down"),
        Binding("home,g", "step(-1000000)", "first", show=False, id="lineage.first", tooltip="The first relative"),
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

    def show(self, lineage: Lineage | None, at: str | None = None) -> None:
        """Show a family with the cursor on the session `at`, else where it stood, else on the live tip."""
        before = self.node
        self._lineage = lineage
        self._lines = tree_lines(lineage, self._marks) if lineage is not None else []
        self._message_cells = max((safe_text.width(line.messages) for line in self._lines), default=0)
        self._cost_cells = max((safe_text.width(line.cost) for line in self._lines), default=0)
        if lineage is not None:
            places = {node.id: number for number, node in enumerate(lineage.nodes)}
            wanted = [at, before.id if before is not None else None, lineage.tip]
            self.cursor = next((places[name] for name in wanted if name in places), 0)
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._lines) + 2 if self._lines else 0)
        self.scroll_to(y=0, animate=False)
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

    def on_resize(self) -> None:
        self.virtual_size = self.virtual_size.with_width(self.scrollable_content_region.width)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        number = y + self.scroll_offset.y
        blank = self.rich_style
        if self._lineage is None or number > len(self._lines) + 1 or not self._lines:
            return Strip.blank(width, blank)
        if number == len(self._lines):
            return Strip.blank(width, blank)
        if number == len(self._lines) + 1:
            text = safe_text.fit("  " + total_line(self._lineage), width)
            return Strip([Segment(text, self._style("total"))], width)
        return self._node_strip(self._lines[number], number, width)

    def _node_strip(self, line: TreeLine, number: int, width: int) -> Strip:
        at_cursor = number == self.cursor
        figures = safe_text.fit(line.messages, self._message_cells, "right")
        if self._cost_cells:
            figures += "  " + safe_text.fit(line.cost, self._cost_cells, "right")
        if width - safe_text.width(figures) < 16:
            figures = ""
        room = max(0, width - safe_text.width(figures) - 3)
        node = self._lineage.nodes[number] if self._lineage is not None else None
        tail = f" {self._marks.live_tip} live" if line.live else ""
        head = line.guide + (f"{line.edge} " if line.edge else "")
        name = safe_text.cut(line.name, max(0, room - safe_text.width(head) - safe_text.width(tail)))
        name_style = self._style("live" if line.live else "name")
        if node is not None and node.id == self._shown:
            name_style += Style(underline=True)
        marker = f"{self._marks.cursor} " if at_cursor else "  "
        pieces = [
            (marker, self._style("live")),
            (line.guide, self._style("guide")),
            (f"{line.edge} " if line.edge else "", self._style("edge")),
            (name, name_style),
            (tail, self._style("live")),
        ]
        used = sum(safe_text.width(text) for text, _ in pieces)
        pieces.append((" " * max(0, width - used - safe_text.width(figures)), self.rich_style))
        pieces.append((figures, self._style("figure")))
        cursor = self._style("cursor") if at_cursor and self.has_focus else None
        segments = [Segment(text, style + cursor if cursor else style) for text, style in pieces if text]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"lineage-tree--{part}", partial=part == "cursor")
