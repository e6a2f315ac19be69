"""What stands over the browser: it is left once, however many keys say so, and takes itself away, never another.

Textual's own `dismiss` takes away whatever screen is on top, as often as it is called: a second Enter that was typed
before the first one was handled would take away the browser, an answer of the store the palette that covers a dialog.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import ModalScreen, ScreenResultType

if TYPE_CHECKING:
    from textual.await_complete import AwaitComplete

    class _Modal(ModalScreen[ScreenResultType]):
        pass
else:
    # Textual takes the styles of a screen from its first base that is a widget.
    class _Modal:
        def __class_getitem__(cls, _: object) -> type:
            return cls


class LeftOnce(_Modal[ScreenResultType]):
    """Goes before the screen that it makes safe."""

    left = False
    """It was answered; it may still be on the screen, below another one."""
    _answer: ScreenResultType | None = None

    @property
    def stands(self) -> bool:
        """There is something to draw on: what was left may have lost its widgets when an answer comes for it."""
        return self.is_attached and not self.left

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave with this answer; what is said after the first is not heard."""
        from textual.await_complete import AwaitComplete

        if not self.left:
            self.left, self._answer = True, result
            if self.is_active:
                return super().dismiss(result)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        # It was left below another screen. One that is gone may still hear that it was shown.
        if self.left and self.is_active:
            super().dismiss(self._answer)


class Dialog(LeftOnce[ScreenResultType], ModalScreen[ScreenResultType]):
    """A modal screen of ours."""

    def copy_command(self, command: str) -> None:
        """Copy the command that does what the dialog does."""
        self.app.copy_to_clipboard(command)
        self.notify("Copied the command.", markup=False)
