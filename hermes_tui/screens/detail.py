"""Transcript and lineage of the conversation under the list's cursor, and the steps taken through its family."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import getters
from textual.app import ComposeResult
from textual.containers import Container

from hermes_tui.screens.panes import LineagePane, ReadingPane
from hermes_tui.screens.reading import Reading
from hermes_tui.widgets.lineage_tree import LineageTree
from hermes_tui.widgets.session_list import SessionList
from hermes_tui.widgets.transcript import TranscriptView

if TYPE_CHECKING:
    from hermes_tui.services.store_worker import StoreWorker
    from hermes_tui.text.marks import Marks
    from storage import Conversation, Entry, SessionQuery

AROUND_TITLE = 6
"""Cells of the frame's upper line that are not its title."""
LEAST_TITLE = 20


class Detail(Container):
    """The half of the browser that shows one conversation.

    Args:
        worker: Where requests go.
        marks: The glyphs in use.
    """

    transcript = getters.query_one("#transcript", TranscriptView)
    relatives = getters.query_one("#lineage", LineageTree)

    def __init__(self, worker: StoreWorker, marks: Marks, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.reading = Reading(worker)
        self._worker = worker
        self._marks = marks
        self._row: Conversation | None = None
        self._read_id: str | None = None
        """The conversation whose messages are on the screen: the title never runs ahead of them."""
        self._family_of: str | None = None
        """The conversation whose relatives are known."""
        self._when_known: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        with ReadingPane(id="reading-pane"):
            yield TranscriptView(self._marks, id="transcript")
        with LineagePane(id="lineage-pane"):
            yield LineageTree(self._marks, id="lineage")

    def follow(self, entry: Entry | None, query: SessionQuery | None, at: int | None) -> None:
        """Show this conversation, at a message that matched where there is one; None for no conversation."""
        before = self.reading.entry
        if entry is None or before is None or entry.id != before.id:
            self._when_known = None
        if entry is None:
            self.reading.nothing()
            self._read_id = self._family_of = None
            self.transcript.message("")
            self.relatives.show(None)
            self.screen.remove_class("-relatives")
            return
        self.reading.follow(entry, query, at)
        self.relatives.mark_shown(self.reading.part)

    def describe(self, row: Conversation | None) -> None:
        """Say in the title which conversation this is; `row` is that under the cursor."""
        self._row = row
        if row is not None and row.id != self._read_id:
            return
        # Hidden, it has no width: how much fits is seen when it is shown.
        cells = max(self.transcript.outer_size.width - AROUND_TITLE, LEAST_TITLE)
        view = self.transcript
        view.border_title = self.reading.title(row, view.match_position(), cells, view.matching_messages)

    def on_resize(self) -> None:
        self.call_after_refresh(self._describe_again)

    def on_descendant_focus(self) -> None:
        # On a small screen the transcript has no width until it takes the list's place.
        self.call_after_refresh(self._describe_again)

    def _describe_again(self) -> None:
        self.describe(self._row)

    def read(self, answer: StoreWorker.Read) -> None:
        """Take messages that were asked for."""
        if self._worker.is_current("read", answer.serial) and not self.reading.looks_beside(
            answer.transcript
        ):
            self.transcript.show(
                answer.transcript, self.reading.query, at=self.reading.at, live=answer.entry.id
            )
            if not answer.transcript.messages:
                self.transcript.message("No messages in this conversation.")
            self._read_id = answer.entry.id
            self.describe(self._row)

    def family(self, answer: StoreWorker.Family) -> None:
        """Take relatives that were asked for."""
        if self._worker.is_current("family", answer.serial):
            self.relatives.show(answer.lineage, at=self.reading.part)
            self.screen.set_class(len(answer.lineage.nodes) > 1, "-relatives")
            self.call_after_refresh(self._describe_again)
            self._family_of = self.reading.entry.id if self.reading.entry is not None else None
            then, self._when_known = self._when_known, None
            if then is not None:
                then()

    def family_failed(self, serial: int) -> bool:
        """The relatives cannot be read. Returns whether somebody waited for them, who waits no longer."""
        if not self._worker.is_current("family", serial):
            return False
        waited, self._when_known = self._when_known is not None, None
        return waited

    def when_family_known(self, then: Callable[[], None]) -> None:
        """Go on now or once the relatives have come, unless another conversation is under the cursor by then."""
        if self.reading.entry is None or self._family_of == self.reading.entry.id:
            then()
        else:
            self._when_known = then

    def on_transcript_view_earlier_wanted(self) -> None:
        self.reading.whole()

    def on_transcript_view_matches_passed(self, event: TranscriptView.MatchesPassed) -> None:
        """Walk on into the conversation below, or above; at the end of the list round this one."""
        sessions = self.screen.query_one(SessionList)
        entry = sessions.cursor_entry
        if event.forward:
            sessions.cursor_down()
        else:
            sessions.cursor_up()
        if sessions.cursor_entry is not entry:
            self.transcript.enter(forward=event.forward)
        else:
            self.transcript.wrap(forward=event.forward)

    def on_transcript_view_match_moved(self) -> None:
        self.describe(self._row)

    def on_lineage_tree_shown(self, event: LineageTree.Shown) -> None:
        self.reading.show_part(event.node)
        self.relatives.mark_shown(event.node.id)

    def on_lineage_tree_back(self, event: LineageTree.Back) -> None:
        if self.reading.back():
            event.stop()
            self.relatives.mark_shown(self.reading.part)
