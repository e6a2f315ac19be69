"""The footer: what works where the focus is, and what is going on."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from hermes_tui.text import safe_text
from hermes_tui.text.key_names import SIGNS

HELP, QUIT = "help", "quit"
"""What the bindings say that do so."""


class KeyLine(Widget):
    """The keys of the focused pane, as many as fit; a note in their place while there is one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-line--key", "key-line--label", "key-line--note"}
    DEFAULT_CSS = """
    KeyLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        & .key-line--key { color: $accent; text-style: bold; }
        & .key-line--label { color: $text-muted; }
        & .key-line--note { color: $text; text-style: bold; }
    }
    """

    # A key that can be clicked looks like a key, not like a link.
    auto_links = False

    note = reactive("")
    """Shown at the right (already safe to print)."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, screen: Screen[object]) -> None:
        self.refresh()

    def render(self) -> Text:
        key_style, label_style, note_style = (
            self.get_component_rich_style(f"key-line--{part}", partial=True)
            for part in ("key", "label", "note")
        )
        width = self.size.width
        note = safe_text.cut(self.note, width)
        # The last one needs no gap behind it.
        room = width + 3 - (safe_text.width(note) + 2 if note else 0)
        line = Text(no_wrap=True, end="")
        for binding, enabled in self._fitting(room):
            key = _key(binding)
            gap = 3 if line.cell_len else 0
            click = Style(meta={"@click": f"app.simulate_key('{binding.key}')"}) if enabled else Style()
            line.append(" " * gap)
            line.append(key, key_style + click)
            line.append(f" {binding.description}", label_style + click)
        if note:
            line.append(" " * (width - line.cell_len - safe_text.width(note)))
            line.append(note, note_style)
        return line

    def _fitting(self, room: int) -> list[tuple[Binding, bool]]:
        """Those that there is room for, from the first on; help, which tells of the others, always, last but quit."""
        shown = self._shown()
        helps = [one for one in shown if one[0].description == HELP][:1]
        others = [one for one in shown if one[0].description != HELP]
        room -= sum(_cells(binding) for binding, _ in helps)
        fitting = []
        for binding, enabled in others:
            room -= _cells(binding)
            if room < 0:
                break
            fitting.append((binding, enabled))
        last = len(fitting) - (bool(fitting) and fitting[-1][0].description == QUIT)
        return [*fitting[:last], *helps, *fitting[last:]]

    def _shown(self) -> list[tuple[Binding, bool]]:
        if not self.screen.is_active:
            # The keys of what stands above it are said there.
            return []
        seen: dict[str, tuple[Binding, bool]] = {}
        for _, binding, enabled, _ in self.screen.active_bindings.values():
            if binding.show and enabled:
                seen.setdefault(binding.action, (binding, enabled))
        return list(seen.values())


def _key(binding: Binding) -> str:
    return binding.key_display or SIGNS.get(binding.key, binding.key)


def _cells(binding: Binding) -> int:
    """With the gap before the next one."""
    return safe_text.width(f"{_key(binding)} {binding.description}") + 3
