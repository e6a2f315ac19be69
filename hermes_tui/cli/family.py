"""The commands of `hermes-tui sessions` that act: which there are, and where each one lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hermes_tui.cli import exits

if TYPE_CHECKING:
    import argparse

    from hermes_tui.cli.command import Command

    Commands = argparse._SubParsersAction[Any]

EPILOG: Final = f"""\
exit status:
  {exits.OK}  done
  {exits.NOT_CONFIRMED}  not confirmed, so not done
  {exits.USAGE}  not understood
  {exits.FAILED}  could not be done, or not all of it; the error stream says why
"""


class Place(NamedTuple):
    """Where a command lives, and what it does in a line."""

    module: str
    summary: str


PLACES: Final = {
    "delete": Place("deleting", "delete sessions; a copy goes to the trash"),
    "rename": Place("renaming", "give a session another title"),
    "archive": Place("flagging", "put conversations out of the lists"),
    "unarchive": Place("flagging", "put archived conversations back"),
    "pin": Place("flagging", "pin conversations to the top of the list"),
    "unpin": Place("flagging", "let pinned conversations go"),
    "prune": Place("pruning", "delete old conversations; a copy goes to the trash"),
    "export": Place("exporting", "write conversations to files"),
    "import": Place("importing", "put exported sessions into the store"),
    "trash": Place("trash", "list, restore or empty the trash"),
    "migrate": Place("upkeep", "bring the store to the current schema version"),
    "optimize": Place("upkeep", "merge the search indexes and give free space back"),
    "optimize-storage": Place("upkeep", "move the search index to its compact layout"),
}


def add_parsers(commands: Commands, shared: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Add a parser for each command; one that was not typed gets no more than its line in the help.

    Args:
        commands: Those of `sessions`.
        shared: What every parser of them is made with.
        typed: The words of the command line.
    """
    for name, place in PLACES.items():
        if name in typed:
            command: Command = import_module(f"hermes_tui.cli.{place.module}").COMMANDS[name]
            add_parser(commands, name, place.summary, command, shared)
        else:
            # Without --help, for which argparse would import shutil.
            commands.add_parser(name, help=place.summary, add_help=False)


def add_parser(
    commands: Commands, name: str, summary: str, command: Command, shared: Mapping[str, Any]
) -> None:
    """Add the whole parser of a command, and those of its parts."""
    parser = commands.add_parser(
        name.split()[-1], help=summary, description=command.description, epilog=EPILOG, **shared
    )
    if command.parts:
        inner = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
        for part, one in command.parts.items():
            add_parser(inner, f"{name} {part}", one.description, one, shared)
        return
    parser.set_defaults(action=command, command=name, dry_run=False, yes=False)
    if command.options is not None:
        command.options(parser)
    if command.changes:
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
        parser.add_argument("-y", "--yes", action="store_true", help="go ahead without a question")
    parser.add_argument("--json", action="store_true", help="answer with one JSON object")
