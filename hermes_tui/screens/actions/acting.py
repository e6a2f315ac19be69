"""Acting on conversations: the rooms that mark, rename, delete, archive, pin, export and undo.

Every action asks `targets()` what it is about, and sends what it writes through `writing`, which keeps the interface
live meanwhile and brings the list up to date afterwards. A step that can be taken back goes to `undoing.remember`.

The list comes first: what nobody has asked for yet is not imported.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from hermes_tui.screens.actions.marking import Marking
from hermes_tui.screens.actions.targets import Targets, pointed_at
from hermes_tui.screens.actions.writing import Writing
from hermes_tui.services.lookups import INTERRUPTED, MARKED, PREVIEW, TITLE, Lookups
from hermes_tui.services.write_lane import Flag, WriteLane
from hermes_tui.text.figures import plural

if TYPE_CHECKING:
    from hermes_tui.screens.actions.deleting import Deleting
    from hermes_tui.screens.actions.flagging import Flagging
    from hermes_tui.screens.actions.renaming import Renaming
    from hermes_tui.screens.actions.undoing import Undoing
    from hermes_tui.screens.browser import BrowserScreen
    from hermes_tui.services.store_worker import StoreWorker


class Acting:
    """All that changes the store from one browser.

    Args:
        screen: The browser.
        lane: Where writes go.
    """

    def __init__(self, screen: BrowserScreen, lane: WriteLane) -> None:
        self._screen = screen
        self.lookups = Lookups(screen.worker)
        self.marking = Marking(screen, self.lookups)
        self.writing = Writing(screen, lane)
        self._looked_for_interrupted = False

    @cached_property
    def undoing(self) -> Undoing:
        """What can be taken back."""
        from hermes_tui.screens.actions.undoing import Undoing

        return Undoing(self._screen, self)

    @cached_property
    def _deleting(self) -> Deleting:
        from hermes_tui.screens.actions.deleting import Deleting

        return Deleting(self._screen, self)

    @cached_property
    def _flagging(self) -> Flagging:
        from hermes_tui.screens.actions.flagging import Flagging

        return Flagging(self._screen, self)

    @cached_property
    def _renaming(self) -> Renaming:
        from hermes_tui.screens.actions.renaming import Renaming

        return Renaming(self._screen, self)

    @property
    def note(self) -> str:
        """What is going on, in a few words; empty while there is nothing to say."""
        return self.writing.note or self.marking.note

    def targets(self) -> Targets | None:
        """What the next action is about."""
        return pointed_at(self._screen, self.marking)

    def delete(self) -> None:
        """Ask, and delete what is pointed at."""
        self._in_turn(self._deleting.ask)

    def toggle(self, flag: Flag) -> None:
        """Archive or pin what is pointed at, or take it back; always whole conversations."""
        self._in_turn(lambda targets: self._flagging.toggle(flag, targets) if targets.entries else None)

    def rename(self) -> None:
        """Ask for another title of the conversation under the cursor, or of the part that is pointed at."""
        self._renaming.ask()

    def export(self) -> None:
        """Ask where to, and write what is pointed at."""
        from hermes_tui.screens.actions.exporting import Exporting

        self._in_turn(Exporting(self._screen).ask)

    def _in_turn(self, act: Callable[[Targets], None]) -> None:
        """Act on what is pointed at: on a part at once, on the list and its marks when they are what the keys before
        have asked for."""
        targets = self.targets()
        if targets is not None and targets.part is not None:
            act(targets)
            return

        def act_on_list() -> None:
            if (targets := self.targets()) is not None and targets.part is None:
                act(targets)

        self.marking.in_turn(act_on_list)

    # --- what the store says

    def take(self, answer: StoreWorker.Answer) -> None:
        """An answer to a question of these rooms."""
        match answer:
            case Lookups.Previewed() if self._screen.worker.is_current(PREVIEW, answer.serial):
                self._deleting.previewed(answer)
            case Lookups.Resolved() if self._screen.worker.is_current(MARKED, answer.serial):
                self.marking.resolved(answer)
            case Lookups.TitleChecked() if self._screen.worker.is_current(TITLE, answer.serial):
                self._renaming.checked(answer)
            case Lookups.Interrupted():
                self._say_interrupted(answer)

    def failed(self, lane: str) -> bool:
        """A question was refused. Returns whether that is nothing to speak of."""
        if lane == PREVIEW:
            self._deleting.failed()
        return lane in (MARKED, INTERRUPTED)

    def listed(self) -> None:
        """The whole list is on the screen."""
        self.writing.drawn()
        self.marking.list_changed()
        if not self._looked_for_interrupted:
            self._looked_for_interrupted = True
            self.lookups.interrupted()

    def _say_interrupted(self, answer: Lookups.Interrupted) -> None:
        from hermes_tui.services.own_command import own_command

        number = sum(step.conversations for step in answer.steps)
        one = len(answer.steps) == 1
        what = "A deletion was cut off before its" if one else "Deletions were cut off before their"
        words = ("restore", answer.steps[0].step) if one else ("list",)
        self._screen.app.say(
            f"{what} end. {plural(number, 'conversation')} had gone by then and can be brought back:"
            f" {own_command(self._screen.options, 'trash', *words)}",
            severity="warning",
            timeout=20,
        )
