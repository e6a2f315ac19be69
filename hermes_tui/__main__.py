"""`hermes-tui` and `python -m hermes_tui`."""

from __future__ import annotations

import os
import sys

from hermes_tui.cli import exits
from hermes_tui.cli.parser import Arguments, parse


def main(argv: list[str] | None = None) -> int:
    """Run one command line; returns the exit status (`hermes-tui --help` documents them)."""
    arguments = parse(argv)
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except BrokenPipeError:
        # Python flushes the output once more on its way out, and would complain of the same pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.BROKEN_PIPE
    return status


def _run(arguments: Arguments) -> int:
    from hermes_tui import start
    from hermes_tui.cli.output import Output
    from hermes_tui.errors import BrowserError
    from hermes_tui.options import DEFAULT_LIMIT
    from storage import StoreError, StoreMissing

    output = Output()
    listed = arguments.command == "list"
    try:
        options = start.options_for(
            arguments.db,
            arguments.profile,
            demo=arguments.demo,
            source=arguments.source,
            limit=DEFAULT_LIMIT if listed and arguments.limit is None else arguments.limit,
            print_only=arguments.print_only,
        )
        if not listed:
            return start.browse(options, output)
        from hermes_tui.cli.listing import list_conversations

        list_conversations(options, output, line=" ".join(arguments.query), as_json=arguments.json)
        return exits.OK
    except StoreMissing as error:
        output.error(f"{error} Name one with --db PATH or --profile NAME, or look around with --demo.")
    except (StoreError, BrowserError) as error:
        output.error(str(error))
    return exits.FAILED


if __name__ == "__main__":
    sys.exit(main())
