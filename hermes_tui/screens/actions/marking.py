"""Marks: which conversations the next action is about. They are bound to conversations, whatever the list shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from hermes_tui.services.lookups import Lookups
from hermes_tui.text import result_text

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen
    from storage import Entry


class Step(NamedTuple):
    """One row marked in passing."""

    by: int
    """Down (1) or up (-1)."""
    marked: str
    reached: str
    """The row that the cursor went to."""
    is_new: bool
    """It was not marked before."""


class Marking:
    """Sets marks and takes them away.

    Args:
        screen: Whose list is marked.
        lookups: Who knows what has become of a marked conversation.
    """

    def __init__(self, screen: BrowserScreen, lookups: Lookups) -> None:
        self._screen = screen
        self._lookups = lookups
        self._entries: dict[str, Entry] = {}
        self._run: list[Step] = []
        """Rows that were marked with Shift and an arrow, one after the other."""
        self._all_wanted = False
        """All that match are to be marked as soon as they are here."""
        self._then: list[Callable[[], None]] = []
        """What was asked for meanwhile, in turn."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The marked conversations, in the order they were marked."""
        return tuple(self._entries.values())

    def toggle(self, entry: Entry) -> None:
        """Mark a conversation, or take its mark away."""
        if self._entries.pop(entry.id, None) is None:
            self._entries[entry.id] = entry
        self._draw()

    def extend(self, by: int) -> None:
        """Mark the conversation under the cursor, and move on; going back over what was just marked takes it back."""
        sessions = self._screen.sessions
        if (entry := sessions.cursor_entry) is None:
            return
        goes_on = bool(self._run) and self._run[-1].reached == entry.id
        if goes_on and self._run[-1].by != by:
            step = self._run.pop()
            if step.marked != step.reached:
                self._move(by)
            if step.is_new:
                self.drop([step.marked])
            return
        if not goes_on:
            self._run.clear()
        is_new = entry.id not in self._entries
        self._entries[entry.id] = entry
        self._draw()
        self._move(by)
        reached = sessions.cursor_entry or entry
        self._run.append(Step(by, entry.id, reached.id, is_new))

    def toggle_and_move(self) -> None:
        """Mark the conversation under the cursor or take its mark away, and move on."""
        self.in_turn(self._toggle_and_move)

    def _toggle_and_move(self) -> None:
        if (entry := self._screen.sessions.cursor_entry) is not None:
            self.toggle(entry)
            self._move(1)

    def toggle_all(self) -> None:
        """Mark all that match, also those that were not come to yet; when they are marked, take their marks away."""
        finder = self._screen.finder
        if self._all_wanted:
            self.forget_waiting()
            self.drop(entry.id for entry in finder.entries)
        elif not finder.whole:
            self._all_wanted = True
            finder.rest()
            self._screen.draw_note()
        elif finder.entries and all(entry.id in self._entries for entry in finder.entries):
            self.drop(entry.id for entry in finder.entries)
        else:
            self._entries.update((entry.id, entry) for entry in finder.entries)
            self._draw()

    def in_turn(self, act: Callable[[], None]) -> None:
        """Do it; while the list or the marks that it means are still to come, do it then."""
        if self._waits:
            self._then.append(act)
        else:
            act()

    def forget_waiting(self) -> bool:
        """Mark nothing that is not here yet, and do nothing that waits for it. Returns whether anything did."""
        waited = self._all_wanted or bool(self._then)
        self._all_wanted = False
        self._then.clear()
        if waited:
            self._screen.draw_note()
        return waited

    def drop(self, ids: Iterable[str]) -> None:
        """These are gone, or done with."""
        before = len(self._entries)
        for id in ids:
            self._entries.pop(id, None)
        if len(self._entries) != before:
            self._draw()

    # --- what the store says

    def list_changed(self) -> None:
        """There is another list: go on marking all, and ask what has become of the marked."""
        if self._all_wanted:
            if self._screen.finder.whole:
                self._all_wanted = False
                self._entries.update((entry.id, entry) for entry in self._screen.finder.entries)
                self._draw()
            else:
                self._screen.finder.rest()
        if self._entries:
            self._lookups.resolve(self._entries)
        if not self._waits:
            self._catch_up()

    @property
    def _waits(self) -> bool:
        return self._all_wanted or self._screen.finder.pending

    def _catch_up(self) -> None:
        then, self._then = self._then, []
        for act in then:
            # What was pressed behind a key that opens a dialog was not meant for the list.
            if self._screen.is_active:
                act()

    def resolved(self, answer: Lookups.Resolved) -> None:
        """A mark follows its conversation to a new live tip, and goes away with it."""
        before = self._entries
        self._entries = {}
        for id, entry in before.items():
            now = answer.entries.get(id) if id in answer.asked else entry
            if now is not None:
                self._entries[now.id] = now
        if self._entries.keys() != before.keys():
            self._draw()

    # --- drawing

    @property
    def note(self) -> str:
        """What is going on, in a few words."""
        return "looking for all that match …" if self._all_wanted else ""

    def line(self) -> str:
        """ "3 marked, 1 of them not in this list"; empty without marks."""
        shown = {entry.id for entry in self._screen.finder.entries} if self._entries else ()
        return result_text.marked(len(self._entries), _missing(self._entries, shown))

    def _draw(self) -> None:
        self._screen.sessions.marked = frozenset(self._entries)
        self._screen.picture.draw_result_line()

    def _move(self, by: int) -> None:
        sessions = self._screen.sessions
        if by > 0:
            sessions.cursor_down()
        else:
            sessions.cursor_up()


def _missing(ids: Iterable[str], shown: Collection[str]) -> int:
    return sum(id not in shown for id in ids)
