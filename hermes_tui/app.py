"""BrowserApp: themes, the one screen, and quitting with a result."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import constants, events, work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.types import CSSPathType

from hermes_tui.screens.browser import BrowserScreen
from hermes_tui.services.broken_arrows import WITHIN_SECONDS, ArrowMender
from hermes_tui.styles import STYLES
from hermes_tui.text import marks, safe_text
from hermes_tui.text.key_names import key_name
from hermes_tui.themes import DARK, LIGHT, roles

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.driver import Driver

    from hermes_tui.options import Options
    from hermes_tui.services.resume import Choice, ResumeCommand

THEME_VARIABLE = "HERMES_TUI_THEME"
"""Environment variable with the theme to start with: dark, light, or the name of any of Textual's themes."""


class BrowserApp(App["Choice | None"]):
    """The session browser. `run()` returns the conversation to go on with, or None.

    Args:
        options: Which store, and how it is shown.
    """

    TITLE = "hermes-tui"
    CSS_PATH: ClassVar[CSSPathType | None] = [
        STYLES / "app.tcss",
        STYLES / "browser.tcss",
    ]
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit", tooltip="Leave"),
    ]

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options
        self.marks = marks.for_encoding(_encoding())
        self.when_ready: Callable[[], None] = lambda: None
        """Called once the first frame is on the screen."""
        self.parting = ""
        """A line to be said when the screen is gone, safe to print; empty for none."""
        self._arrows = ArrowMender()
        self._early: list[events.Key] | None = []
        """Keys that were pressed before anything could take them; None from then on."""
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = self._first_theme()
        self.stylesheet.set_variables(self.get_css_variables())

    def on_ready(self) -> None:
        """The first frame is on the screen."""
        self.when_ready()
        # Behind the call that gives the search box the focus.
        self.call_later(self._take_early)

    @property
    def display_path(self) -> str:
        """The store's path as people write it, safe to print."""
        if self.options.demo:
            return "demo store"
        path = str(self.options.db_path)
        home = os.path.expanduser("~")
        return safe_text.line("~" + path[len(home) :] if path.startswith(home + os.sep) else path)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return roles(self.current_theme)

    def refresh_css(self, animate: bool = True) -> None:
        # The theme to begin with is set before there is a screen: parsing every rule once more for it is in vain.
        if self.screen_stack:
            super().refresh_css(animate)

    def get_driver_class(self) -> type[Driver]:
        if os.name == "nt" or constants.DRIVER is not None:
            return super().get_driver_class()
        from hermes_tui.services.terminal_driver import TerminalDriver

        return TerminalDriver

    def panic(self, *renderables: RenderableType) -> None:
        # Unlike an exception in a handler, a panic of the input thread leaves no return code.
        self._return_code = self._return_code or 1
        super().panic(*renderables)

    def get_default_screen(self) -> Screen[None]:
        return BrowserScreen(self.options)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Every action that exists where the focus is, then those of the list, then the themes."""
        from hermes_tui.screens.palette import title

        seen: set[str] = set()
        for node, binding, enabled, tooltip in screen.active_bindings.values():
            if enabled and binding.id and tooltip and tooltip not in seen:
                seen.add(tooltip)
                run = partial(self.run_action, binding.action, node)
                yield SystemCommand(title(binding.description, tooltip), key_name(binding.key), run)
        if isinstance(screen, BrowserScreen):
            for binding in screen.of_the_list():
                if binding.tooltip not in seen:
                    seen.add(binding.tooltip)
                    act = partial(self.run_action, binding.action, screen)
                    in_list = partial(screen.as_in_the_list, act)
                    found_as = title(binding.description, binding.tooltip)
                    yield SystemCommand(found_as, key_name(binding.key), in_list)
        yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)

    def action_command_palette(self) -> None:
        from hermes_tui.screens.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def search_themes(self) -> None:
        from textual.theme import ThemeProvider

        from hermes_tui.screens.palette import Palette

        self.push_screen(Palette([ThemeProvider], placeholder="Search for themes…"))

    def say(
        self,
        text: str,
        *,
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
    ) -> None:
        """A toast in place of the one before. Its text may come from the store: it is made safe, and never markup."""
        self.clear_notifications()
        self.notify(safe_text.block(text), severity=severity, timeout=timeout, markup=False)

    def copy(self, text: str, what: str = "") -> None:
        """Copy to the clipboard (OSC 52), and say what: the text itself, for terminals that cannot, or its name."""
        self.copy_to_clipboard(text)
        self.say(f"Copied {what}." if what else f"Copied: {text}")

    def copy_to_clipboard(self, text: str) -> None:
        # Half of a surrogate pair, which JSON can hold, is in no UTF-8; two halves that meet are a whole.
        super().copy_to_clipboard(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))

    def run_outside(self, command: ResumeCommand) -> int:
        """Give the terminal to a command, take it back when it ends, and return its exit status.

        Raises:
            CannotResume: The program could not be started.
        """
        from hermes_tui.services.resume import CannotResume, run_and_return

        with self.suspend():
            # An exception that leaves this block would leave the screen suspended.
            try:
                return run_and_return(command)
            except CannotResume as error:
                refused = error
        raise refused

    def exit(
        self, result: Choice | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Leave; a write that is under way is waited for, and told to stop where a signal or a defect ends it all."""
        leave = partial(super().exit, result, return_code, message)
        for screen in self.screen_stack:
            if isinstance(screen, BrowserScreen) and screen.lane.busy:
                if return_code == 0:
                    screen.acting.writing.hold(leave)
                    return
                self._cut_short(screen)
        leave()

    def _cut_short(self, screen: BrowserScreen) -> None:
        """Stop what is being written before its next conversation; there will be no screen to say what was done."""
        from hermes_tui.services.own_command import own_command

        screen.lane.stop()
        gone = own_command(screen.options, "trash", "list")
        self.parting = f"Stopped while the store was being written to; what was deleted by then: {gone}"

    @work(thread=True, exit_on_error=True)
    def open_demo(self) -> None:
        """Make the demo store and open it in place of the one that is not there."""
        from hermes_tui.services.demo_store import CannotMakeDemo, demo_options

        try:
            options = demo_options(self.options)
        except CannotMakeDemo as error:
            self.call_from_thread(self.say, str(error), severity="error")
        else:
            self.call_from_thread(self._open, options)

    def _open(self, options: Options) -> None:
        """Another store in place of this one."""
        if self.options.demo:
            # It was asked for twice.
            return
        self.options = options
        # The screen that an app begins with cannot be switched (Textual 8.2); a mode has a screen of its own.
        self.add_mode("demo", lambda: BrowserScreen(options))
        self.switch_mode("demo")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self._early is not None:
                self._early.append(event)
                return
            screen = self.screen
            keys = self._arrows.mend(event, screen if isinstance(screen, BrowserScreen) else None)
            if not keys:
                self.set_timer(WITHIN_SECONDS, self._release_key)
            for key in keys:
                await super().on_event(key)
            return
        await super().on_event(event)

    async def _take_early(self) -> None:
        early, self._early = self._early, None
        for key in early or ():
            await self.on_event(key)

    async def _release_key(self) -> None:
        for key in self._arrows.release():
            await super().on_event(key)

    def _first_theme(self) -> str:
        wanted = os.environ.get(THEME_VARIABLE, "").strip()
        name = {"": DARK.name, "dark": DARK.name, "light": LIGHT.name}.get(wanted, wanted)
        if name in self.available_themes:
            return name
        self.call_later(
            self.say, f"{THEME_VARIABLE}={wanted} is no theme: dark, light, or one of Ctrl+P, Theme."
        )
        return DARK.name


def _encoding() -> str | None:
    """What the terminal's text is encoded in; Textual itself always writes UTF-8 to one that can."""
    stream = sys.__stderr__ or sys.__stdout__
    return stream.encoding if stream is not None else None
