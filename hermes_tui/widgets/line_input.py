"""An input of one line that no text can break: what is pasted is made safe, and keys act in the order they came."""

from __future__ import annotations

from textual import events
from textual.geometry import Region
from textual.widgets import Input

from hermes_tui.text import safe_text
from hermes_tui.widgets import key_order


class LineInput(Input):
    """An `Input` whose value is always one safe line."""

    def one_line(self, text: str) -> str:
        """What becomes of a text that is put in: a line end is a blank, what cannot be shown goes."""
        return safe_text.line(text)

    def on_focus(self) -> None:
        # A value that the input began with may reach beyond it: Input shows the beginning, and not the cursor.
        self.call_after_refresh(
            self.scroll_to_region, Region(self._cursor_offset, 0, 1, 1), force=True, animate=False
        )

    async def _on_key(self, event: events.Key) -> None:
        await key_order.act(self, event, takes_text=True)

    async def catch_up(self, event: events.Key) -> None:
        """Act on a key that came to the screen before the input was there to take it.

        What the input acts on itself never bubbles up to the screen.
        """
        if event.is_printable and event.character is not None:
            self.insert_text_at_cursor(event.character)
        elif bound := self._bindings.key_to_bindings.get(event.key):
            await self.app.run_action(bound[0].action, self)

    def _on_paste(self, event: events.Paste) -> None:
        # Input itself would keep the first line only.
        event.prevent_default()
        event.stop()
        self.replace(self.one_line(event.text), *sorted(self.selection))

    def action_paste(self) -> None:
        # What was copied here may be a message: as good as pasted.
        self.replace(self.one_line(self.app.clipboard), *sorted(self.selection))
