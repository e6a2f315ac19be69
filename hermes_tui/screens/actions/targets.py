"""What the next action is about: one part of a family, the marked conversations, or the one under the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_tui.text import figures, safe_text

if TYPE_CHECKING:
    from hermes_tui.screens.actions.marking import Marking
    from hermes_tui.screens.browser import BrowserScreen
    from storage import Entry, LineageNode

_NAME_CELLS = 48


@dataclass(frozen=True, slots=True)
class Targets:
    """Conversations, or one part of one."""

    name: str
    """Title, first words or id of the only one, else "3 conversations"; safe to print, not cut."""
    entries: tuple[Entry, ...] = ()
    """The conversations; empty when it is one part alone."""
    part: LineageNode | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """One session of each: its live tip, or the part."""
        return (self.part.id,) if self.part is not None else tuple(entry.id for entry in self.entries)

    @property
    def conversations(self) -> tuple[tuple[str, ...], ...]:
        """For each the sessions that it is about."""
        return ((self.part.id,),) if self.part is not None else tuple(entry.parts for entry in self.entries)

    @property
    def quoted(self) -> str:
        """The name for the middle of a sentence."""
        return self.name if len(self.entries) > 1 else f"“{safe_text.cut(self.name, _NAME_CELLS)}”"


def pointed_at(screen: BrowserScreen, marking: Marking) -> Targets | None:
    """What the keys are about now: where the tree has the focus, or the transcript shows a part, that part alone;
    else the marked conversations, else the one under the list's cursor."""
    if (node := screen.hand_over.relative) is not None:
        return _of_part(node)
    reading = screen.detail.reading
    if screen.panes.focused == "transcript" and reading.node is not None:
        return _of_part(reading.node)
    if len(marked := marking.entries) > 1:
        return Targets(figures.plural(len(marked), "conversation"), marked)
    entry = marked[0] if marked else screen.sessions.cursor_entry
    if entry is None:
        return None
    row = screen.sessions.known.details(entry)
    return Targets(
        safe_text.line((row.title or row.preview) if row else "") or safe_text.line(entry.id), (entry,)
    )


def _of_part(node: LineageNode) -> Targets:
    return Targets(safe_text.line(node.title or node.preview or node.id), part=node)
