"""Undo: the steps that this browser made, the last one first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hermes_tui.screens.actions.writing import Sent
from hermes_tui.services.own_command import own_command
from hermes_tui.services.write_lane import AnotherStore, Flag, Flagged, Undone
from hermes_tui.text import delete_text, figures, safe_text

if TYPE_CHECKING:
    from hermes_tui.screens.actions.acting import Acting
    from hermes_tui.screens.browser import BrowserScreen
    from hermes_tui.services.write_lane import Step
    from storage import Restored, StoreError

IS_NOT = {
    (Flag.ARCHIVED, True): "no longer archived",
    (Flag.ARCHIVED, False): "archived again",
    (Flag.PINNED, True): "no longer pinned",
    (Flag.PINNED, False): "pinned again",
}


class Undoing:
    """Remembers what can be taken back.

    Args:
        screen: Whose browser it is.
        acting: The rooms beside this one.
    """

    def __init__(self, screen: BrowserScreen, acting: Acting) -> None:
        self._screen = screen
        self._acting = acting
        self._steps: list[tuple[Step, str]] = []

    def remember(self, step: Step, what: str) -> None:
        """A step was made; `what` it was about, safe to print."""
        self._steps.append((step, what))

    def undo(self) -> None:
        """Take back the last step that is left."""
        from storage import Deletion

        app = self._screen.app
        if not self._steps:
            earlier = own_command(self._screen.options, "trash", "list")
            app.say(f"Nothing to undo here; earlier deletions: {earlier}")
            return
        step, what = self._steps.pop()
        if isinstance(step, Deletion) and not step.step:
            app.say(
                f"{what} left no copy and cannot come back. u again undoes what was before.",
                severity="warning",
                timeout=12,
            )
            return
        serial = self._acting.writing.lane.undo(step)
        self._acting.writing.send(
            serial, Sent(f"Undoing: {what}", partial(self._undone, what), partial(self._refused, step, what))
        )

    def _undone(self, what: str, undone: Undone) -> None:
        from storage import Deletion

        step = undone.step
        if isinstance(step, Deletion) and undone.restored is not None:
            said = _restored(what, step.conversations == 1, undone.restored)
            keep = next(iter(undone.restored.sessions), None)
        elif isinstance(step, Flagged):
            said, keep = _flagged_back(what, step), next(iter(step.changed), None)
        else:
            said, keep = f"Undone: {what}.", None
        if (rest := undone.rest) is not None:
            self.remember(rest, figures.plural(len(rest.changed), "conversation"))
            said += " u undoes the rest."
        self._screen.app.say(said, timeout=12)
        self._acting.writing.refresh(keep=keep)

    def _refused(self, step: Step, what: str, error: StoreError) -> None:
        from storage import Deletion, TitleChanged, UnknownSession, UnknownStep

        said = f"Not undone: {error}"
        if isinstance(error, AnotherStore) and isinstance(step, Deletion):
            here = own_command(self._screen.options, "trash", "restore", step.step)
            said += f" {here} puts {what} into this one."
        if not isinstance(error, UnknownStep | UnknownSession | TitleChanged | AnotherStore):
            # It may go the next time.
            self._steps.append((step, what))
        self._screen.app.say(said, severity="error", timeout=12)


def _flagged_back(what: str, done: Flagged) -> str:
    """What was done now: the opposite of the step that was undone."""
    if done.missing or done.left:
        what = figures.plural(len(done.changed), "conversation")
    verb = "is" if len(done.changed) == 1 else "are"
    said = f"Undone: {what} {verb} {IS_NOT[done.flag, not done.value]}."
    if done.missing:
        gone = "is" if done.missing == 1 else "are"
        said += f" {figures.plural(done.missing, 'conversation')} {gone} no longer there."
    return said + delete_text.left(done.left, done.failed is None, str(done.failed or ""))


def _restored(what: str, one: bool, restored: Restored) -> str:
    back = len(restored.sessions)
    if not back:
        return f"{what} {'is' if one else 'are'} there already; nothing was brought back."
    if restored.skipped:
        what, one = f"{figures.plural(back, 'session')} of {what}", back == 1
    said = f"Undone: {what} {'is' if one else 'are'} back, {figures.plural(restored.messages, 'message')}."
    for session_id, before, after in restored.retitled:
        name = safe_text.line(before) or safe_text.line(session_id)
        said += f" “{name}” is “{safe_text.line(after)}” now: another session has its title."
    if restored.skipped:
        were = "was" if len(restored.skipped) == 1 else "were"
        said += f" {figures.plural(len(restored.skipped), 'session')} {were} there already."
    if restored.detached:
        have = "has" if len(restored.detached) == 1 else "have"
        said += f" {figures.plural(len(restored.detached), 'session')} {have} no parent any more: it is gone."
    return said
