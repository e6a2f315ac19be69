"""The `hermes-tui sessions …` command that does what a dialog does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hermes_tui.text import figures, shell
from storage import locations
from storage.errors import BadProfile

if TYPE_CHECKING:
    from hermes_tui.options import Options

NAMED = 3
"""Sessions that a command names where it is only shown: a dialog has no room for a thousand."""


def own_command(options: Options, command: str, *words: str, flags: Sequence[str] = ()) -> str:
    """The command line for a shell: the store is named where it is not the one that `hermes-tui` opens by itself.

    Args:
        options: Which store the browser shows.
        command: Of `hermes-tui sessions`.
        words: Ids, titles: anything a store may hold.
        flags: Options of the command, and their values: see `option`.
    """
    behind = ("--",) if any(word.startswith("-") for word in words) else ()
    return shell.line(("hermes-tui", "sessions", command, *_store(options), *flags, *behind, *words))


def option(name: str, value: str) -> tuple[str, ...]:
    """An option and its value, in one word where the value begins with a dash and would be taken for an option."""
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def and_more(left_out: int) -> str:
    """What a command that is shown ends with where it names only some of the sessions; "" where it names all."""
    return f" … and {figures.count(left_out)} more" if left_out else ""


def _store(options: Options) -> tuple[str, ...]:
    if options.demo:
        # It is another one with every start: the command shows what it would be for the person's own.
        return ()
    try:
        if locations.absolute(options.db_path) == locations.absolute(locations.default_store()):
            return ()
    except BadProfile:
        pass
    return ("--db", str(options.db_path))
