"""A question that a person answers with y or N."""

from __future__ import annotations

import sys

from hermes_tui.cli.output import Output
from hermes_tui.errors import BrowserError


class NotConfirmed(BrowserError):
    """Nobody said yes."""


class CannotAsk(NotConfirmed):
    """There is nobody to say yes."""


def ask(question: str, otherwise: str, output: Output) -> None:
    """Ask on the terminal. Only y and yes are a yes; the end of the input is none.

    Args:
        question: One line, safe text.
        otherwise: What has not happened without a yes: "Nothing was deleted".

    Raises:
        CannotAsk: There is no terminal to ask on.
        NotConfirmed: The answer was no.
    """
    asked_on = output.terminal
    if asked_on is None or sys.stdin is None or not sys.stdin.isatty():
        raise CannotAsk(
            f"{otherwise}: there is no terminal to ask on; add --yes to go ahead without a question."
        )
    output.finish()
    answer = ""
    try:
        asked_on.write("\n".join(output.broken(f"{question} [y/N]")) + " ")
        asked_on.flush()
        answer = sys.stdin.readline()
    finally:
        # Neither the end of the input nor Ctrl+C, which the terminal echoes, ends the line of the question.
        if not answer.endswith("\n"):
            asked_on.write("\n")
            asked_on.flush()
    if answer.strip().lower() not in ("y", "yes"):
        raise NotConfirmed(f"{otherwise}.")
