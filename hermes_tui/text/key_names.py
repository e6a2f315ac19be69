"""Keys as people write them."""

from __future__ import annotations

SIGNS = {
    "enter": "↵",
    "slash": "/",
    "question_mark": "?",
    "escape": "esc",
    "backspace": "⌫",
}
"""Short, for the footer."""
NAMES = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "backspace": "Backspace",
    "slash": "/",
    "question_mark": "?",
}


def key_name(key: str) -> str:
    """A key in full: "Ctrl+P", "PgUp", "F1", "/"."""
    *modifiers, last = key.split("+")
    name = NAMES.get(last, last.upper() if last[:1] == "f" and last[1:].isdigit() else last)
    if modifiers and len(name) == 1:
        name = name.upper()
    return "+".join([*(part.capitalize() for part in modifiers), name])
