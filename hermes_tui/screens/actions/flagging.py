"""Archive and pin, for whole conversations; the same key takes it back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.screens.actions.too_old import why_not
from hermes_tui.screens.actions.writing import Sent
from hermes_tui.services.write_lane import Flag, Flagged
from hermes_tui.text import delete_text, figures
from storage import HiddenClass

if TYPE_CHECKING:
    from hermes_tui.screens.actions.acting import Acting
    from hermes_tui.screens.actions.targets import Targets
    from hermes_tui.screens.browser import BrowserScreen
    from storage import StoreError

DOING = {
    (Flag.ARCHIVED, True): "Archiving",
    (Flag.ARCHIVED, False): "Unarchiving",
    (Flag.PINNED, True): "Pinning",
    (Flag.PINNED, False): "Unpinning",
}
DONE = {
    (Flag.ARCHIVED, True): "Archived",
    (Flag.ARCHIVED, False): "Unarchived",
    (Flag.PINNED, True): "Pinned",
    (Flag.PINNED, False): "Unpinned",
}
HOLDS = {Flag.ARCHIVED: "archived conversations", Flag.PINNED: "pins"}


class Flagging:
    """Archives and pins what is pointed at.

    Args:
        screen: Whose conversations they are.
        acting: The rooms beside this one.
    """

    def __init__(self, screen: BrowserScreen, acting: Acting) -> None:
        self._screen = screen
        self._acting = acting

    def toggle(self, flag: Flag, targets: Targets) -> None:
        """Archive or pin all of them; when all of them are, take it back."""
        archived = [entry.hidden is HiddenClass.ARCHIVED for entry in targets.entries]
        are = archived if flag is Flag.ARCHIVED else [entry.pinned for entry in targets.entries]
        value = not all(are)
        chosen = tuple(
            entry.id for entry, is_so in zip(targets.entries, are, strict=True) if is_so is not value
        )
        serial = self._acting.writing.lane.flag(flag, value, chosen)
        self._acting.writing.send(
            serial,
            Sent(
                f"{DOING[flag, value]} {targets.name}",
                partial(self._flagged, targets, chosen),
                partial(self._refused, flag),
            ),
        )

    def _refused(self, flag: Flag, error: StoreError) -> None:
        said = why_not(self._screen, error, HOLDS[flag])
        self._screen.app.say(said, severity="error", timeout=12)

    def _flagged(self, targets: Targets, chosen: tuple[str, ...], flagged: Flagged) -> None:
        what = targets.quoted
        if len(targets.entries) > 1 or not flagged.changed:
            what = figures.plural(len(flagged.changed), "conversation")
        said = f"{DONE[flagged.flag, flagged.value]} {what}"
        leaves = flagged.flag is Flag.ARCHIVED and flagged.value
        leaves = leaves and HiddenClass.ARCHIVED not in self._screen.finder.shown_classes
        at_last = self._acting.writing.is_leaving
        if flagged.changed:
            # Without the browser there are no such keys.
            said += "" if at_last else " (u undoes, h shows)" if leaves else " (u undoes)"
            self._acting.undoing.remember(flagged, what)
        said += "."
        if flagged.missing:
            verb = "is" if flagged.missing == 1 else "are"
            said += f" {figures.plural(flagged.missing, 'conversation')} {verb} no longer there."
        said += delete_text.left(flagged.left, flagged.failed is None, str(flagged.failed or ""))
        self._screen.app.say(said, severity="error" if flagged.failed else "information", timeout=8)
        if flagged.left and at_last:
            self._acting.writing.say_at_last(said)
        left = chosen[len(chosen) - flagged.left :]
        self._acting.marking.drop(id for id in targets.ids if id not in left)
        self._acting.writing.refresh(frozenset(flagged.changed) if leaves else frozenset())
