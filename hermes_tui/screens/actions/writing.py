"""Sends writes to the store, says while one waits, and brings list and panes up to date behind it.

An action that writes is sent like this (renaming is all of `rename`, in a dialog that keeps its text when refused):

    self._writing.send(lane.rename(session_id, title), Sent("Renaming", done=self._renamed, refused=dialog.refused))
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_tui.services.write_lane import WriteLane
from hermes_tui.text import safe_text

if TYPE_CHECKING:
    from hermes_tui.screens.actions.progress_dialog import ProgressDialog
    from hermes_tui.screens.browser import BrowserScreen
    from storage import StoreError

WAITING_SECONDS = 0.3
"""How long a write may take before it is spoken of."""


@dataclass(slots=True)
class Sent:
    """A write that was sent, and what follows from its end."""

    doing: str
    """What is going on, for the progress: "Deleting 30 conversations"."""
    done: Callable[[Any], None]
    """Takes the outcome."""
    refused: Callable[[StoreError], None] | None = None
    """Takes the refusal, in place of a toast."""
    waiting: Callable[[], None] | None = None
    """Called when it takes longer than a moment, in place of the note."""
    many: int = 0
    """Conversations that a person has confirmed; from two on no key reaches the browser until it is over."""
    reported: tuple[int, int] = (0, 0)
    overdue: bool = False


class Writing:
    """What is being written.

    Args:
        screen: Whose store it is.
        lane: Where writes go.
    """

    def __init__(self, screen: BrowserScreen, lane: WriteLane) -> None:
        self._screen = screen
        self.lane = lane
        self._sent: dict[int, Sent] = {}
        self._progress: ProgressDialog | None = None
        self._leave: Callable[[], None] | None = None
        self._keep: str | None = None
        self._reading_anew = False

    def send(self, serial: int, sent: Sent) -> None:
        """Follow a write that the lane has taken."""
        self._sent[serial] = sent
        if sent.many > 1:
            self._open_progress(serial, sent)
        self._screen.set_timer(WAITING_SECONDS, lambda: self._overdue(serial))

    def take(self, answer: WriteLane.Answer) -> None:
        """An answer of the lane."""
        match answer:
            case WriteLane.Progressed():
                self._sent[answer.serial].reported = answer.done, answer.total
                self._show_progress(answer.serial)
            case WriteLane.Written():
                self._end(answer.serial).done(answer.outcome)
                self._leave_if_done()
            case WriteLane.Refused():
                sent = self._end(answer.serial)
                if sent.many > 1:
                    self.refresh()
                if self.is_leaving:
                    self.say_at_last(f"{sent.doing}: {answer.error}")
                if sent.refused is not None:
                    sent.refused(answer.error)
                else:
                    self._screen.app.say(str(answer.error), severity="error", timeout=12)
                self._leave_if_done()

    # --- the list behind it

    def refresh(self, gone: AbstractSet[str] = frozenset(), keep: str | None = None) -> None:
        """Bring the screen up to date with what was written.

        Args:
            gone: Conversations that leave the list at once.
            keep: A session that the cursor goes to as soon as it is listed.
        """
        screen = self._screen
        self._keep, self._reading_anew = keep, True
        screen.finder.written(gone)
        screen.box.ask_for_values_again()
        screen.sessions.outdate()
        screen.picture.draw_list(keep=None)
        screen.picture.draw_header()

    def listed(self) -> str | None:
        """The whole list is here. Returns where the cursor should be, None for where it is."""
        keep, self._keep = self._keep, None
        return keep

    def drawn(self) -> None:
        """The list is drawn: what was on show of its conversation is read anew."""
        if self._reading_anew:
            self._reading_anew = False
            self._screen.follow()
            self._screen.detail.reading.changed()

    # --- waiting

    @property
    def is_bulk(self) -> bool:
        """Many conversations are being written: the screen stands as it is until their end brings it up to date."""
        return any(sent.many > 1 for sent in self._sent.values())

    @property
    def is_leaving(self) -> bool:
        """The browser ends with what is being written."""
        return self._leave is not None

    @property
    def note(self) -> str:
        """What is going on, in a few words; empty while there is nothing to say."""
        if self._leave is not None:
            return "writing, then leaving …"
        calm = any(
            sent.overdue and not sent.reported[0] and sent.waiting is None for sent in self._sent.values()
        )
        return "waiting for the store …" if calm else ""

    def hold(self, leave: Callable[[], None]) -> None:
        """Call `leave` when what is being written is written.

        Whoever asks a second time has the write stop before its next conversation.
        """
        if self._leave is not None:
            self.lane.stop()
        self._leave = leave
        self._screen.draw_note()
        self._screen.app.say("The store is being written to; leaving as soon as that is done.", timeout=30)

    def say_at_last(self, text: str) -> None:
        """Have it said when the screen that would show it is gone."""
        app = self._screen.app
        app.parting = f"{app.parting} {safe_text.line(text)}".lstrip()

    def _leave_if_done(self) -> None:
        if self._leave is not None and not self._sent:
            self._leave()

    def _end(self, serial: int) -> Sent:
        sent = self._sent.pop(serial)
        if self._progress is not None and self._progress.serial == serial:
            self._progress.dismiss()
            self._progress = None
        self._screen.draw_note()
        return sent

    def _overdue(self, serial: int) -> None:
        if (sent := self._sent.get(serial)) is None:
            return
        sent.overdue = True
        if sent.waiting is not None:
            sent.waiting()
        self._screen.draw_note()
        self._show_progress(serial)

    def _show_progress(self, serial: int) -> None:
        """A bar, for what is long: more than one conversation, and more than a moment."""
        sent = self._sent[serial]
        done, total = sent.reported
        total = total or sent.many
        if not sent.overdue or total < 2:
            return
        if self._progress is None:
            self._open_progress(serial, sent)
        if self._progress is not None and self._progress.serial == serial:
            self._progress.show(done, total)

    def _open_progress(self, serial: int, sent: Sent) -> None:
        from hermes_tui.screens.actions.progress_dialog import ProgressDialog

        if self._progress is None:
            self._progress = ProgressDialog(serial, sent.doing, lambda: self.lane.stop(serial))
            self._screen.app.push_screen(self._progress)
