"""A scrolling widget that draws only the lines on the screen: what the list and the transcript share."""

from __future__ import annotations

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hermes_tui.text import safe_text
from hermes_tui.widgets import key_order

NO_ROOM = Size(0, 0)

Run = tuple[str, Style]
"""Safe text and how it looks."""


class LineView(ScrollView, can_focus=True):
    """A column of lines as wide as the widget, drawn when they come into view.

    Drawn lines are kept in `strips`, styles in a table; both are forgotten when the styles change.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.strips: LRUCache[object, Strip] = LRUCache(1024)
        self._styles_by_name: dict[tuple[str, ...], Style] = {}
        self._fitted = NO_ROOM

    async def _on_key(self, event: events.Key) -> None:
        await key_order.act(self, event)

    def on_mount(self) -> None:
        # Where a background colour may be invisible, the stylesheet says it in reverse instead.
        few = self.app.no_color or self.app.console.color_system in {"standard", "windows"}
        self.set_class(few, "-few-colours")
        # A layout that coincides with scrolling changes sizes without a Resize event (Textual 8.2).
        self.screen.screen_layout_refresh_signal.subscribe(self, self._look_at_size, immediate=True)

    def on_resize(self) -> None:
        self._fitted = NO_ROOM
        self._fit()

    def _look_at_size(self, _: Screen[object]) -> None:
        if self.is_hidden_now():
            return
        if self.scrollable_content_region.size != self._fitted:
            self.call_later(self._fit)

    def _fit(self) -> None:
        size = self.scrollable_content_region.size
        if size != self._fitted:
            self._fitted = size
            self.fit()

    def is_hidden_now(self) -> bool:
        """Whether there is no room for any line; `fit` comes when there is."""
        hidden = not self.scrollable_content_region
        if hidden:
            self._fitted = NO_ROOM
        return hidden

    def fit(self) -> None:
        """There is another room for lines than before, or one again."""

    def render_str(self, text_content: str | Content) -> Content:
        """What a border title is made with: words of the store, in which a bracket is a bracket."""
        return text_content if isinstance(text_content, Content) else Content(safe_text.line(text_content))

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_by_name.clear()
        self.strips.clear()

    def look(self, *names: str) -> Style:
        """The style of these component classes, one over the other, over the widget's own."""
        style = self._styles_by_name.get(names)
        if style is None:
            style = self.get_visual_style(*names).rich_style
            # A visual style forgets `reverse` (Textual 8.2).
            if any(self.get_component_styles(name).text_style.reverse for name in names):
                style += Style(reverse=True)
            self._styles_by_name[names] = style
        return style

    @property
    def line_width(self) -> int:
        """Cells of one line, without the scroll bar."""
        return self.scrollable_content_region.width

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        # It appears after the lines were scrolled, and would stand at the top.
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def set_line_count(self, count: int) -> None:
        self.is_hidden_now()
        if count != self.virtual_size.height:
            self.virtual_size = Size(0, count)

    def jump(self, y: int) -> None:
        """Put line `y` at the top, at once, as far as there are lines."""
        # Forced, since whether there is a scroll bar is only known after the next layout.
        self.scroll_to(y=y, animate=False, force=True)

    def blank(self) -> Strip:
        return Strip.blank(self.line_width, self.look())


def fitted(runs: Iterable[Run], cells: int, ellipsis: str = "…") -> list[Segment]:
    """Cut and pad runs of safe text to exactly `cells`; the last visible one bears the ellipsis and the padding."""
    runs = list(runs)
    over = sum(safe_text.width(text) for text, _ in runs) > cells
    ellipsis = ellipsis if over and safe_text.width(ellipsis) <= cells else ""
    room = cells - safe_text.width(ellipsis)
    segments: list[Segment] = []
    style = Style.null()
    for text, style in runs:
        if safe_text.width(text) > room:
            text = safe_text.cut(text, room, "")
            segments.append(Segment(text, style))
            room -= safe_text.width(text)
            break
        if text:
            segments.append(Segment(text, style))
            room -= safe_text.width(text)
    if ellipsis or room:
        segments.append(Segment(ellipsis + " " * room, style))
    return segments
