"""One line of the session list, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from hermes_tui.text import figures, highlight, safe_text
from hermes_tui.text.marks import Marks
from hermes_tui.text.relative_time import relative
from hermes_tui.widgets.columns import GAP, MARKER, Columns
from hermes_tui.widgets.line_view import Run, fitted

if TYPE_CHECKING:
    from storage.finding.query import SessionQuery
    from storage.readings import Excerpt
    from storage.records import Conversation, Entry

STYLES = (
    *("mark", "title", "title-match", "branch", "untitled", "preview", "match", "count", "time", "source"),
    "complete",
    "interrupted",
    "error",
    "empty",
    "running",
)
"""Names of the styles in a row; under the cursor they lie over its own."""
Look = Callable[..., Style]
_LONGEST = 400
"""Characters of a title or preview that are looked at: no line is wider, and a stored one may be endless."""
_BRANCH = " (branch)"


class Row(NamedTuple):
    """All that one line shows."""

    entry: Entry
    details: Conversation | None
    """None while they are on their way."""
    excerpt: Excerpt | None
    hits: str
    cursor: bool
    marked: bool


class RowPainter:
    """Draws lines for one set of columns, one query and one moment."""

    def __init__(
        self, columns: Columns, marks: Marks, look: Look, now: float, query: SessionQuery | None = None
    ) -> None:
        self.columns = columns
        self._marks = marks
        self._look = look
        self._now = now
        self._query = query

    def header(self, width: int) -> Strip:
        """The names of the columns."""
        style = self._look("session-list--header")
        columns = self.columns
        cells = [
            " " * MARKER + safe_text.fit("Title", columns.title, ellipsis=self._marks.ellipsis),
            safe_text.fit("Preview", columns.preview),
            safe_text.fit("Hits", columns.hits, "right"),
            safe_text.fit("Last active", columns.active),
            safe_text.fit("Src", columns.source),
            safe_text.fit("Msgs", columns.messages, "right"),
        ]
        text = (" " * GAP).join(cell for cell in cells if cell)
        return Strip(fitted([(text, style)], width), width)

    def row(self, row: Row, width: int) -> Strip:
        """One conversation."""
        over = ("session-list--cursor",) if row.cursor else ()

        def style(name: str) -> Style:
            return self._look(*over, f"session-list--{name}")

        gap = Segment(" " * GAP, style("title"))
        segments = self._marker(row, style)
        for number, cell in enumerate(self._cells(row, style)):
            segments += [gap, *cell] if number else cell
        strip = Strip(segments)
        return strip.adjust_cell_length(width, style("title"))

    def _cells(self, row: Row, style: Callable[[str], Style]) -> Iterator[list[Segment]]:
        columns, details, ellipsis = self.columns, row.details, self._marks.ellipsis
        yield fitted(self._title(row, style), columns.title, ellipsis)
        if columns.preview:
            yield fitted(self._preview(row, style), columns.preview, ellipsis)
        if columns.hits:
            yield [Segment(safe_text.fit(row.hits, columns.hits, "right", ellipsis=""), style("count"))]
        if columns.active:
            active = details.last_active if details else row.entry.last_active
            text = safe_text.fit(relative(active, self._now), columns.active, ellipsis="")
            yield [Segment(text, style("time"))]
        if columns.source:
            text = safe_text.fit(safe_text.line(row.entry.source), columns.source, ellipsis="")
            yield [Segment(text, style("source"))]
        if columns.messages:
            text = _messages(details.messages, columns.messages) if details else ""
            yield [Segment(safe_text.fit(text, columns.messages, "right", ellipsis=""), style("count"))]
        if columns.status:
            name = details.status.value if details else ""
            glyph = getattr(self._marks, name) if name else " "
            yield [Segment(glyph, style(name or "count"))]

    def _marker(self, row: Row, style: Callable[[str], Style]) -> list[Segment]:
        marks = self._marks
        pinned = row.details.pinned if row.details else row.entry.pinned
        # A pinned row that is marked bears both: the star moves on into the blank.
        signs = marks.marked * row.marked + marks.pinned * pinned
        return [Segment(f"{marks.cursor if row.cursor else ' '}{signs:<2}", style("mark"))]

    def _title(self, row: Row, style: Callable[[str], Style]) -> Iterator[Run]:
        details = row.details
        if details is None:
            yield self._marks.ellipsis, style("untitled")
            return
        stored = details.title[:_LONGEST]
        title, spans = highlight.safe_line(stored, self._query.spans(stored) if self._query else ())
        if title:
            yield from matched(title, spans, style("title"), style("title-match"))
        else:
            yield self._marks.dash, style("untitled")
            if not self.columns.preview:
                yield " " + safe_text.line(details.preview[:_LONGEST]), style("preview")
        if details.is_branch:
            yield _BRANCH, style("branch")

    def _preview(self, row: Row, style: Callable[[str], Style]) -> Iterator[Run]:
        if row.excerpt:
            text, spans = highlight.safe_line(row.excerpt.text, row.excerpt.spans)
            text, spans = highlight.window(text, spans, self.columns.preview, self._marks.ellipsis)
            yield from matched(text, spans, style("preview"), style("match"))
        else:
            yield safe_text.line(row.details.preview[:_LONGEST]) if row.details else "", style("preview")


def title_width(row: Conversation) -> int:
    """Cells of a whole title, rounded up so that the columns do not move with every row that arrives."""
    cells = safe_text.width(safe_text.line(row.title[:_LONGEST]))
    if row.is_branch:
        cells += len(_BRANCH)
    return (cells + 3) // 4 * 4


def matched(text: str, spans: tuple[highlight.Span, ...], plain: Style, match: Style) -> Iterator[Run]:
    """Runs of safe text with its matches in their style."""
    for piece, number in highlight.pieces(text, spans):
        yield piece, plain if number < 0 else match
    yield "", plain  # what the padding looks like


def _messages(count: int, cells: int) -> str:
    text = figures.count(count)
    return text if len(text) <= cells else figures.short(count)
