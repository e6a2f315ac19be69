"""Help: the keys of the pane that had the focus, read from the bindings themselves, then the marks and the words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from hermes_tui.screens.dialog import Dialog
from hermes_tui.styles import STYLES
from hermes_tui.text.key_names import key_name
from hermes_tui.text.marks import Marks

WORDS = (
    ("docker deploy", "both words, in one message, a title or an id"),
    ("dock", "the last word may be unfinished; dock* any word"),
    ('"exit code 137"', "these words in this order"),
    ("docker OR podman", "either; OR is weaker than a blank"),
    ("-error NOT test", "without these; alone, conversations without them"),
    ("source:telegram", "only this source; more of them are alternatives"),
    ("-source:cron", "a dash in front turns any filter round"),
    ("model:opus", "a piece of the model's name"),
    ("dir:~/proj", "there or below; dir:proj anywhere in the path"),
    ("branch:main", "the git branch"),
    ("title:x id:2026", "in the title, in the id"),
    ("role:tool", "messages of user, assistant or tool"),
    ("tool:terminal", "messages that call this tool or are its answer"),
    ("after:7d", "also 12h, 2w, 3mo, 1y, today, 2026-10-01"),
    ("before:2026-10", "last active before then"),
    ("msgs:>50", "also tokens:>10k cost:<1.50 msgs:10..20"),
    ("is:error", "pinned archived hidden running complete interrupted"),
    ("", "error empty untitled branch subagent cron tool"),
    ("has:children", "or has:parent"),
    ("→", "at the end of the line accepts what is offered"),
)


Section = tuple[str, list[tuple[str, str]]]


def keys_of(node: DOMNode) -> list[tuple[str, str]]:
    """The keys of a widget and what they do, alternatives in one line, in the order they are bound."""
    lines: dict[str, tuple[list[str], str]] = {}
    for _, binding in node._bindings:
        if binding.tooltip and (not isinstance(node, Screen) or node.check_action(binding.action, ())):
            lines.setdefault(binding.action, ([], binding.tooltip))[0].append(key_name(binding.key))
    return [(" ".join(dict.fromkeys(keys)), what) for keys, what in lines.values()]


class HelpText(Widget):
    """The text of the help.

    Args:
        sections: What each is about, and its keys with what they do.
        marks: The glyphs in use.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"help--heading", "help--key", "help--what"}
    DEFAULT_CSS = """
    HelpText {
        height: auto;
        & > .help--heading { color: $text; text-style: bold; }
        & > .help--key { color: $accent; }
        & > .help--what { color: $text-muted; }
    }
    """

    def __init__(self, sections: Sequence[Section], marks: Marks) -> None:
        super().__init__()
        self._sections = sections
        self._marks = marks

    def render(self) -> Group:
        heading = self.get_component_rich_style("help--heading", partial=True)
        parts: list[Text | Table] = []
        for help_text, keys in self._sections:
            if keys:
                parts += [Text(help_text, heading), self._lines(keys, 12), Text()]
        parts += [Text("What the box understands", heading), self._lines(WORDS, 16), Text()]
        marks = self._marks
        signs = (
            (marks.cursor, "the cursor"),
            (marks.marked, "marked: the next action is about it"),
            (marks.pinned, "pinned"),
            (marks.running, "running: a message within the last ten minutes"),
            (marks.complete, "complete"),
            (marks.interrupted, "interrupted: the answer is missing"),
            (marks.error, "ended in an error"),
            (marks.empty, "empty"),
            (marks.live_tip, "live: the part that Hermes would continue"),
        )
        return Group(*parts, Text("Marks", heading), self._lines(signs, 12))

    def _lines(self, rows: Iterable[tuple[str, str]], cells: int) -> Table:
        """Two columns; what has no room beside its key goes on below itself."""
        key, what = (self.get_component_rich_style(f"help--{part}", partial=True) for part in ("key", "what"))
        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(min_width=min(cells + 2, self.app.size.width // 3))
        table.add_column(ratio=1)
        for name, words in rows:
            table.add_row(Text(f"  {name}", key), Text(words, what))
        return table


class HelpScreen(Dialog[None]):
    """The keys that work where the focus was.

    Args:
        focused: The widget that had the focus, or None.
        marks: The glyphs in use.
    """

    CSS_PATH = STYLES / "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,question_mark,f1,q,enter", "dismiss", "close", id="help.close", tooltip="Close the help"
        ),
    ]

    def __init__(self, focused: DOMNode | None, marks: Marks) -> None:
        super().__init__()
        self._sections = list(self._read(focused))
        self._marks = marks

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield HelpText(self._sections, self._marks)

    def on_mount(self) -> None:
        scroll = self.query_one("#help", VerticalScroll)
        scroll.border_title = "help"
        scroll.border_subtitle = "Esc closes"
        scroll.focus()

    def _read(self, focused: DOMNode | None) -> Iterable[Section]:
        """Sections: the pane, from its widgets; what works anywhere, from the screen and the app."""
        here: list[tuple[str, str]] = []
        anywhere: list[tuple[str, str]] = []
        for node in focused.ancestors_with_self if focused is not None else ():
            (anywhere if isinstance(node, Screen | App) else here).extend(keys_of(node))
        yield (focused.HELP if focused is not None else None) or "Here", here
        yield "Anywhere", anywhere
