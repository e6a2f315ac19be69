"""What the browser does with an answer of the store: whom it concerns, and what is drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.services.store_worker import StoreWorker
from hermes_tui.text import safe_text

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen


class Answers:
    """Takes every answer that the worker posts to its screen.

    Args:
        screen: Whose rooms and panes the answers are for.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen
        self._was_open = False
        """The store is open, or was until the file was taken away."""

    def take(self, answer: StoreWorker.Answer) -> None:
        """Hand an answer on to whom it concerns."""
        screen = self._screen
        match answer:
            case StoreWorker.Opened():
                self._opened(answer)
            case StoreWorker.Listed():
                self._listed(answer)
            case StoreWorker.Found():
                self._found(answer)
            case StoreWorker.Counted():
                if screen.finder.counted(answer):
                    screen.picture.draw_numbers()
            case StoreWorker.Rows():
                self._rows(answer)
            case StoreWorker.Read():
                screen.detail.read(answer)
            case StoreWorker.Family():
                screen.detail.family(answer)
            case StoreWorker.Values():
                self._values(answer)
            case StoreWorker.Changed():
                self._changed(answer)
            case StoreWorker.Failed():
                self._failed(answer)
            case StoreWorker.Replaced():
                self._replaced()
            case _:
                screen.acting.take(answer)

    def _opened(self, answer: StoreWorker.Opened) -> None:
        screen = self._screen
        if self._was_open:
            # Another file is there now.
            screen.sessions.outdate()
            screen.detail.reading.changed()
        screen.opened = self._was_open = True
        screen.version = answer.info.version
        screen.box.ask_for_values_again()
        if screen.box.disabled:
            screen.box.disabled = False
            screen.box.focus()
        if answer.info.notes:
            screen.app.say("\n".join(answer.info.notes), severity="warning", timeout=12)
        screen.finder.opened()

    def _listed(self, answer: StoreWorker.Listed) -> None:
        screen = self._screen
        current = screen.worker.is_current("list", answer.serial)
        changed = screen.finder.listed(answer)
        screen.picture.draw_header()
        if changed:
            complete = answer.listing.complete
            keep = "" if screen.type_ahead.begins_at_top(complete=complete) else None
            screen.picture.draw_list(keep=(self._keep() if complete else None) or keep)
            screen.follow_soon()
            screen.type_ahead.catch_up()
        elif screen.finder.result is not None:
            screen.picture.draw_result_line()
        if current and answer.listing.complete:
            screen.acting.listed()
        elif current and (acting := screen.acting_so_far) is not None:
            acting.marking.list_changed()

    def _found(self, answer: StoreWorker.Found) -> None:
        screen = self._screen
        going_on = screen.finder.result is not None
        if not screen.finder.found(answer):
            return
        screen.picture.draw_list(keep=self._keep() if going_on else "")
        # The row under the cursor may be the same one, and yet there is a match to open it at.
        screen.follow_soon()
        screen.type_ahead.catch_up()
        if (acting := screen.acting_so_far) is not None:
            acting.marking.list_changed()

    def _keep(self) -> str | None:
        """Where the cursor should be once the list is drawn; None for where it is."""
        acting = self._screen.acting_so_far
        return acting.writing.listed() if acting is not None else None

    def _rows(self, answer: StoreWorker.Rows) -> None:
        screen = self._screen
        if screen.worker.is_current("rows", answer.serial):
            screen.sessions.put_excerpts(answer.excerpts)
        screen.sessions.put(answer.rows)
        screen.detail.describe(screen.sessions.current_row())

    def _values(self, answer: StoreWorker.Values) -> None:
        screen = self._screen
        screen.box.offer(answer.key, answer.values)
        # A value that was typed before they came may be one, or cannot become one.
        if screen.finder.typed(screen.box.asked):
            screen.picture.draw_list(keep="")
        elif screen.finder.pending:
            screen.type_ahead.typed(keep=False)

    def _changed(self, answer: StoreWorker.Changed) -> None:
        screen, changes = self._screen, answer.changes
        if not changes.session_ids and not changes.reordered:
            return
        if (acting := screen.acting_so_far) is not None and acting.writing.is_bulk:
            # Half of what goes would be listed and the other half not; its end brings all up to date.
            return
        screen.finder.changed(reordered=changes.reordered)
        screen.box.ask_for_values_again()
        touched = frozenset(changes.session_ids)
        stale = [entry.id for entry in screen.finder.entries if not touched.isdisjoint(entry.parts)]
        screen.sessions.outdate(None if changes.reordered else stale)
        screen.detail.reading.changed(None if changes.reordered else touched)

    def _failed(self, answer: StoreWorker.Failed) -> None:
        screen = self._screen
        screen.type_ahead.forget()
        screen.finder.failed(answer.lane)
        if answer.lane in ("list", "search") and (acting := screen.acting_so_far) is not None:
            acting.marking.forget_waiting()
        if answer.lost or not screen.opened:
            if screen.opened:
                screen.opened = False
                screen.finder.lost()
                screen.picture.clear()
                screen.follow()
            screen.picture.draw_failure(answer.error, was_open=self._was_open)
            return
        waited_for = answer.lane == "family" and screen.detail.family_failed(answer.serial)
        if answer.lane == "read":
            screen.detail.transcript.message(safe_text.line(str(answer.error)))
        elif not screen.acting.failed(answer.lane) and (
            waited_for or answer.lane not in ("live", "family", "count")
        ):
            # What a look by itself cannot get is no news; a relative may be gone a moment before its row is.
            screen.app.say(str(answer.error), severity="error")

    def _replaced(self) -> None:
        """Open what lies there now; where nothing does, look again with every poll."""
        if self._screen.opened:
            self._screen.finder.refresh()
        else:
            self._screen.finder.open()
