"""Keys act in the order they were typed, however fast they come.

Textual hands a key to the widget that has the focus when the key arrives, and looks its binding up when the key has
bubbled to the app. So a key typed right behind one that leads elsewhere goes to the widget that was left, and letters
of an input overtake the Backspace between them. Here a widget acts on a key when the key comes to it.
"""

from __future__ import annotations

from textual.events import Key
from textual.widget import Widget


async def act(widget: Widget, event: Key, *, takes_text: bool = False) -> None:
    """Do what a key that came to `widget` is bound to, or pass it on to where the focus has gone since.

    Args:
        takes_text: Printable keys are text for the widget, not bindings.
    """
    app = widget.app
    target = app.focused or app.screen
    if target is not widget:
        if not await app._check_bindings(event.key, priority=True):
            target._forward_event(Key(event.key, event.character))
    elif (takes_text and event.is_printable) or not await app._check_bindings(event.key):
        return
    event.stop()
    event.prevent_default()
