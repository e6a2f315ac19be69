"""What every command on conversations has in common: its options, how it asks, answers and fails."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_tui.cli import exits
from hermes_tui.cli.asking import CannotAsk, NotConfirmed, ask
from hermes_tui.cli.output import Output, OutputFailed
from hermes_tui.errors import BrowserError
from hermes_tui.options import Options

if TYPE_CHECKING:
    from storage import SessionDB, WritePolicy

_COMMAND = re.compile(r"`hermes-tui sessions ([a-z-]+(?: [a-z-]+)*)`")


class Misused(BrowserError):
    """The command line asks for something that cannot be meant."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command as its module describes it."""

    run: Callable[[Call], int]
    """Returns the exit status; raises a StoreError or BrowserError whose sentence says why nothing came of it."""
    description: str
    options: Callable[[argparse.ArgumentParser], None] | None = None
    """Adds what only this command understands."""
    changes: bool = True
    """Whether it changes anything, so that there is something to ask and to try out first."""
    by_source: bool = False
    """Whether `--source` is one of its filters."""
    parts: Mapping[str, Command] = field(default_factory=dict)
    """The commands that it is made of; one of them is run instead of it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One command line being carried out."""

    said: argparse.Namespace
    options: Options
    output: Output
    policy: WritePolicy | None = None
    """How a write waits for its turn; None as the store sees fit."""

    @property
    def is_rehearsal(self) -> bool:
        """Whether nothing may be changed."""
        return bool(self.said.dry_run)

    def opened(self, *, read_only: bool = False) -> SessionDB:
        """The store, to be closed by the caller. It is written as it is, never migrated.

        Raises:
            StoreMissing, StoreUnreadable, NotAStore, …: with a sentence to show.
        """
        from storage import SessionDB

        if self.options.demo and not read_only:
            self.remark("The demo is made anew for every command: what is done to it does not last.")
        return SessionDB(
            self.options.db_path,
            read_only=read_only or self.is_rehearsal,
            migrate=False,
            policy=self.policy,
            clock=self.options.clock,
        )

    def answer(self, facts: Mapping[str, Any], lines: Iterable[str]) -> None:
        """Write the one JSON object that a program asked for, or these lines, safe text, for a person."""
        if self.said.json:
            self.output.json(facts)
            return
        for line in lines:
            self.output.sentence(line)

    def show(self, lines: Iterable[str]) -> None:
        """Write lines, safe text, that come before the answer. A program gets none of them, but a question has them."""
        if self.said.json and self.said.yes:
            return
        for line in lines:
            (self.output.remark if self.said.json else self.output.sentence)(line)

    def remark(self, text: str) -> None:
        """Say beside the answer what a program finds in it; safe text."""
        if not self.said.json:
            self.output.remark(text)

    def confirm(self, question: str, otherwise: str) -> None:
        """Go on only with a yes: from the command line, or from the person at the terminal.

        Args:
            question: One line, safe text.
            otherwise: What has not happened without it: "Nothing was deleted".

        Raises:
            NotConfirmed
        """
        if not self.said.yes:
            ask(question, otherwise, self.output)

    def again(self, command: str, *words: str) -> str:
        """The command of this family, for a shell, on the same store; safe to print."""
        from hermes_tui.services.own_command import own_command

        return own_command(self.options, command, *words)

    def on_this_store(self, sentence: str) -> str:
        """The sentence with the commands of this family that it names said as `again` says them: what words an error
        does not know which store a command line has named."""
        return _COMMAND.sub(lambda found: f"`{self.again(*found[1].split())}`", sentence)


def carry_out(command: Command, call: Call) -> int:
    """Run a command; returns the exit status. What stopped it has been said.

    Raises:
        StoreMissing, OutputFailed: What stops every command line alike, with the sentence to show.
    """
    from storage.errors import StoreError, StoreMissing

    try:
        return command.run(call)
    except Misused as error:
        call.output.error(str(error))
        return exits.USAGE
    except CannotAsk as error:
        call.output.error(str(error))
    except NotConfirmed:
        call.output.remark("Cancelled.")
    except (StoreMissing, OutputFailed):
        raise
    except (StoreError, BrowserError) as error:
        call.output.error(call.on_this_store(str(error)))
        return exits.FAILED
    return exits.NOT_CONFIRMED
