"""What can be typed after `hermes-tui`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hermes_tui import __version__
from hermes_tui.cli import exits
from hermes_tui.cli.output import Output
from hermes_tui.text import safe_text

_DESCRIPTION = "Find a Hermes conversation again, read it, see what it grew from, and pick it up."
_EPILOG = f"""\
Without a command, `hermes-tui` opens the browser.

exit status:
  {exits.OK}    done
  {exits.NOTHING_CHOSEN}    nothing was chosen (browse --print), or not confirmed, so not done
  {exits.USAGE}    the command line was not understood
  {exits.FAILED}    it could not be done; one line on the error stream says why and what to do
  {exits.INTERRUPTED}  stopped by Ctrl+C
  {exits.BROKEN_PIPE}  the reader of the output went away
  {exits.KILLED}+N  ended by signal N

environment:
  HERMES_HOME                 the home whose store is opened, as for `hermes`
  HERMES_TUI_RESUME_COMMAND   the command to run instead of `hermes`
  HERMES_TUI_THEME            dark, light, or the name of one of Textual's themes
  NO_COLOR                    no colours
"""
_SUPPRESS = argparse.SUPPRESS
_TAKING_WORDS = frozenset({"list", "recall", "rename"})
"""Commands whose words are a person's own, and may begin with anything."""
_CURE = "; put -- before words that begin with a dash"


class _Parser(argparse.ArgumentParser):
    """Its complaints quote what was typed, which may be anything; its help may find no room in the output."""

    _typed: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._typed = args or ()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        # A word that looks like an option is not taken for the one that is required.
        if message.startswith("the following arguments are required") and self._has_unknown_options():
            message += _CURE
        super().error(safe_text.line(message))

    def _has_unknown_options(self) -> bool:
        known = self._option_string_actions
        unknown = (word for word in self._typed if word.partition("=")[0] not in known)
        return self.get_default("command") in _TAKING_WORDS and _dashed(unknown)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Where one word is needed and "--" is all there is, it is that word; Python 3.11 loses it.
        if arg_strings == ["--"] and action.nargs in (None, argparse.ONE_OR_MORE):
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value if action.nargs is None else [value]
        return super()._get_values(action, arg_strings)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if status == exits.OK and sys.stdout is not None:
            Output().finish()
        super().exit(status, message)


if TYPE_CHECKING:
    from hermes_tui.cli.command import Command

    _Commands = argparse._SubParsersAction[_Parser]


class _Help(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse would import shutil to find that out, and does so for every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=(Output().columns or 80) - 2)


class Arguments(NamedTuple):
    """The command line, understood."""

    command: str = "browse"
    """"browse", "list", or a command of `hermes_tui.cli.family`."""
    db: Path | None = None
    profile: str | None = None
    demo: bool = False
    source: str | None = None
    limit: int | None = None
    """As typed: None where it was not, 0 for all."""
    print_only: bool = False
    json: bool = False
    query: Sequence[str] = ()
    """Words and filters, as in the search box."""
    action: Command | None = None
    """What carries the command out, where it is none of the first two."""
    said: argparse.Namespace | None = None
    """All that was said to it."""


def parse(argv: list[str] | None = None) -> Arguments:
    """Read a command line.

    Raises:
        SystemExit: With the help, the version, or a line that says what was wrong.
        OutputFailed: The help or the version could not be written.
    """
    words = sys.argv[1:] if argv is None else argv
    parser = _parser(words)
    understood, rest = parser.parse_known_args(words)
    if rest:
        cure = _CURE if getattr(understood, "command", "") in _TAKING_WORDS and _dashed(rest) else ""
        parser.error(f"unrecognized arguments: {' '.join(rest)}{cure}")
    said = _arguments(parser, understood)
    if sum((said.db is not None, said.profile is not None, said.demo)) > 1:
        parser.error("--db, --profile and --demo each name a store: give one of them")
    return said


def _arguments(parser: _Parser, said: argparse.Namespace) -> Arguments:
    action: Command | None = getattr(said, "action", None)
    if action is None:
        return Arguments(**vars(said))
    allowed = ("source",) if action.by_source else ()
    for name, option in (("source", "--source"), ("limit", "--limit"), ("print_only", "--print")):
        if hasattr(said, name) and name not in allowed:
            parser.error(f"{option} is not for {said.command}")
    which = {name: getattr(said, name) for name in ("db", "profile", "demo") if hasattr(said, name)}
    return Arguments(said.command, action=action, said=said, **which)


def _parser(words: Sequence[str]) -> _Parser:
    which, what, choosing = _which_store(), _which_conversations(), _choosing()
    shared: dict[str, Any] = {"formatter_class": _Help, "allow_abbrev": False}
    browsing = {"parents": [which, what, choosing], **shared}
    listing = {"parents": [which, what], **shared}
    acting = {"parents": [which], **shared}
    parser = _Parser(prog="hermes-tui", description=_DESCRIPTION, epilog=_EPILOG, **browsing)
    parser.add_argument("--version", action="version", version=f"hermes-tui {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_browse(commands, browsing, words)
    _add_recall(commands, acting, words)
    summary = "commands on conversations"
    if "sessions" not in words:
        _add_name(commands, "sessions", summary)
        return parser
    sessions = commands.add_parser("sessions", help=summary, description=f"C{summary[1:]}.", **acting)
    family = sessions.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_browse(family, browsing, words)
    _add_list(family, listing)
    if _may_act(words):
        from hermes_tui.cli.family import add_parsers

        add_parsers(family, acting, words)
    return parser


def _add_list(commands: _Commands, shared: Mapping[str, Any]) -> None:
    listing = commands.add_parser(
        "list",
        help="print the conversations, last active first",
        description="Print the conversations that the browser shows, last active first.",
        **shared,
    )
    listing.add_argument(
        "query",
        metavar="QUERY",
        nargs="*",
        default=(),
        help="only what matches: words and filters, as in the search box; one that begins with a dash goes behind --",
    )
    listing.add_argument("--json", action="store_true", default=_SUPPRESS, help="print one JSON array")
    listing.set_defaults(command="list")


def _may_act(words: Sequence[str]) -> bool:
    """Whether a command may be meant that is not needed to list or browse: a start pays only for what it uses."""
    rest = iter(words)
    if "sessions" not in rest:
        return False
    for word in rest:
        if word in ("--db", "-p", "--profile"):
            next(rest, None)
        elif not word.startswith("-"):
            return word not in ("list", "browse")
    return True


def _add_browse(commands: _Commands, shared: Mapping[str, Any], words: Sequence[str]) -> None:
    summary = "open the browser"
    if "browse" in words:
        commands.add_parser("browse", help=summary, description=_DESCRIPTION, **shared)
    else:
        _add_name(commands, "browse", summary)


def _add_recall(commands: _Commands, shared: Mapping[str, Any], words: Sequence[str]) -> None:
    summary = "print what was said once, for a program that asks"
    if "recall" not in words:
        _add_name(commands, "recall", summary)
        return
    from hermes_tui.cli.family import add_parser
    from hermes_tui.cli.recall import COMMANDS

    add_parser(commands, "recall", summary, COMMANDS["recall"], shared)


def _add_name(commands: _Commands, name: str, summary: str) -> None:
    """Name a command that was not typed, for the help and for complaints."""
    # Not even --help: argparse would import shutil to lay it out.
    commands.add_parser(name, help=summary, add_help=False)


# Each group of options belongs to several commands and may stand before or after their names. So none has a
# default: an option that is not said after the name must not wipe out what was said before it.


def _which_store() -> _Parser:
    group = _Parser(add_help=False, argument_default=_SUPPRESS, formatter_class=_Help)
    group.add_argument("--db", metavar="PATH", type=Path, help="open this store")
    group.add_argument("-p", "--profile", metavar="NAME", help="open the store of this Hermes profile")
    group.add_argument("--demo", action="store_true", help="open a made-up store, to look around in")
    return group


def _which_conversations() -> _Parser:
    group = _Parser(add_help=False, argument_default=_SUPPRESS, formatter_class=_Help)
    group.add_argument("--source", metavar="NAME", help="only conversations from here: cli, telegram, ...")
    group.add_argument(
        "--limit", metavar="N", type=_limit, help="show at most N conversations, 0 for all (list: 20)"
    )
    return group


def _choosing() -> _Parser:
    group = _Parser(add_help=False, argument_default=_SUPPRESS, formatter_class=_Help)
    group.add_argument(
        "--print", dest="print_only", action="store_true", help="print the id that was chosen, resume nothing"
    )
    return group


def _dashed(words: Iterable[str]) -> bool:
    return any(word.startswith("-") and word != "-" for word in words)


def _limit(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of conversations (0 for all)")
    return number
