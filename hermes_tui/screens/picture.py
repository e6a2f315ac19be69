"""Puts what the finder knows on the screen: the list or the notice in its place, the result line, the header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.screens import states
from hermes_tui.text import figures, result_text, safe_text

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen
    from storage import StoreError


_BRIEF_NOTE = 24
"""Cells for what was ignored, beside a key or two."""


class Picture:
    """Draws one screen's list and what is said about it.

    Args:
        screen: Whose widgets are drawn on, from what its finder knows.
    """

    def __init__(self, screen: BrowserScreen) -> None:
        self._screen = screen

    def draw_list(self, *, keep: str | None) -> None:
        """The list as the finder has it now; the cursor is on the session `keep`: None where it is, "" the top."""
        screen, finder = self._screen, self._screen.finder
        query = finder.query if finder.searching else None
        screen.sessions.show(finder.entries, keep=keep, query=query)
        self.draw_numbers()
        screen.box.has_list = bool(finder.entries)
        screen.refresh_bindings()
        if finder.entries or finder.pending:
            screen.remove_class("-notice")
        elif finder.query.is_search or finder.query.restricts:
            words = safe_text.line(screen.box.value) or str(finder.query)
            self.say(states.no_match(words, finder.hidden, finder.notes))
        else:
            self.say(states.empty(screen.app.display_path, finder.hidden))

    def draw_numbers(self) -> None:
        """How much was found, in every conversation and altogether."""
        self._screen.sessions.set_hits(self._screen.finder.hit_labels())
        self.draw_result_line()

    def clear(self) -> None:
        """Nothing is known any more."""
        header = self._screen.header
        self.draw_list(keep="")
        header.number = header.hidden_long = header.hidden_short = ""
        self._screen.box.say(None)

    def draw_failure(self, error: StoreError, *, was_open: bool) -> None:
        """There is no store to show, or no longer."""
        screen = self._screen
        self.say(states.failed(error, screen.options.db_path, screen.app.display_path, was_open=was_open))
        if not screen.box.disabled:
            # There is nothing to search, and the notice names keys that would be text in the box.
            screen.box.disabled = True
            screen.notice.focus()

    def draw_result_line(self) -> None:
        """What was found, of how many, in what time; or how many there are."""
        screen, finder = self._screen, self._screen.finder
        marked = screen.acting.marking.line() if screen.sessions.marked else ""
        if finder.searching and finder.result is not None:
            matching = result_text.matching(finder.matching, exact=finder.exact)
            line = result_text.found(
                matching,
                finder.total,
                finder.seconds,
                finder.order,
                finder.notes,
                finder.hidden,
                exact=finder.exact,
            )
            screen.box.say(line, marked)
        elif not finder.searching and finder.listing is not None and not finder.listing.complete:
            # The list before had another number.
            screen.box.say(None, marked)
        elif not finder.searching and finder.listing is not None:
            classes = finder.hidden if finder.query.restricts else {}
            shown = len(finder.entries)
            screen.box.say(
                result_text.listed(shown, finder.total, finder.sort, finder.notes, classes), marked
            )
        screen.draw_note()

    def brief(self) -> str:
        """The result line in a few cells, where the search box has no frame to carry it: "2 marked 8/57"."""
        finder, marked = self._screen.finder, len(self._screen.sessions.marked)
        pieces = [f"{figures.count(marked)} marked"] if marked else []
        for note in finder.query.ignored[:1]:
            what, _, _ = safe_text.line(note).partition(" — ")
            pieces.append(safe_text.cut(what, _BRIEF_NOTE, self._screen.box.marks.ellipsis))
        if finder.searching and finder.result is not None:
            matching = result_text.matching(finder.matching, exact=finder.exact)
            pieces.append(f"{matching}/{figures.count(finder.total)}")
        return " ".join(pieces)

    def draw_header(self) -> None:
        """How many conversations there are, and what is hidden."""
        finder, header = self._screen.finder, self._screen.header
        if finder.listing is None or not finder.listing.complete:
            return
        header.number = figures.plural(finder.listing.total, "conversation")
        header.hidden_long = result_text.hidden_long(finder.listing.hidden, finder.shown_classes)
        header.hidden_short = result_text.hidden_short(finder.listing.hidden, finder.shown_classes)

    def say(self, state: states.State) -> None:
        """A notice in place of the list."""
        self._screen.notice.say(state.title, *state.body, keys=state.keys, error=state.error)
        self._screen.add_class("-notice")
