"""`hermes-tui` and `python -m hermes_tui`."""

from __future__ import annotations

import gc
import sys

from hermes_tui.cli import exits
from hermes_tui.cli.output import Output, OutputFailed, let_go
from hermes_tui.cli.parser import Arguments, parse


def main(argv: list[str] | None = None) -> int:
    """Run one command line; returns the exit status (`hermes-tui --help` documents them)."""
    try:
        return _run(parse(argv))
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except OutputFailed as error:
        let_go(sys.stdout)
        Output().error(str(error))
        return exits.FAILED
    except BrokenPipeError:
        let_go(sys.stdout)
        return exits.BROKEN_PIPE
    finally:
        # All of it goes with the process; looking through it for garbage first would take longer than an answer.
        gc.freeze()


def _run(arguments: Arguments) -> int:
    from hermes_tui import start
    from hermes_tui.errors import BrowserError
    from hermes_tui.options import DEFAULT_LIMIT
    from storage.errors import StoreError, StoreMissing

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
        status = exits.OK
        if listed:
            from hermes_tui.cli.listing import list_conversations

            line = " ".join(arguments.query)
            status = list_conversations(options, output, line=line, as_json=arguments.json)
        elif arguments.action is not None and arguments.said is not None:
            from hermes_tui.cli.command import Call, carry_out

            status = carry_out(arguments.action, Call(arguments.said, options, output))
        else:
            status = start.browse(options, output)
        output.finish()
        return status
    except StoreMissing as error:
        output.error(f"{error} Name one with --db PATH or --profile NAME, or look around with --demo.")
    except OutputFailed:
        raise
    except (StoreError, BrowserError) as error:
        output.error(str(error))
    return exits.FAILED


if __name__ == "__main__":
    sys.exit(main())
