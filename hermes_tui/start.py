"""From a command line to a screen, and from what the screen ends with to what is done then."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_tui.cli import exits
from hermes_tui.errors import BrowserError
from hermes_tui.options import DEFAULT_LIMIT, Options
from storage import locations

if TYPE_CHECKING:
    from hermes_tui.cli.output import Output
    from hermes_tui.services.resume import Choice


def options_for(
    db: str | Path | None = None,
    profile: str | None = None,
    *,
    demo: bool = False,
    source: str | None = None,
    limit: int | None = None,
    print_only: bool = False,
) -> Options:
    """Find the store: the one named, else the profile's, else the one that `hermes` would open.

    Args:
        limit: Conversations to show; None or 0 for all.

    Raises:
        BadProfile: Hermes accepts no such name.
        StoreMissing: The path begins at a working directory that has been deleted.
    """
    if demo:
        from hermes_tui.services.demo_store import demo_options

        return demo_options(Options(Path(), source=source, limit=limit or None, print_only=print_only))
    if db is not None:
        path = locations.absolute(db)
    else:
        path = locations.profile_store(profile) if profile is not None else locations.default_store()
    home = locations.home_of(path)
    return Options(
        db_path=path,
        profile=locations.profile_of(home) if home else "",
        source=source,
        limit=limit or None,
        print_only=print_only,
    )


class BrowserFailed(BrowserError):
    """The screen broke down; it has shown how."""


def choose(options: Options) -> tuple[Choice | None, Options]:
    """Show the browser.

    Returns:
        What was chosen, and the options it was chosen under: the screen may have gone on to the demo.

    Raises:
        NoTerminal: There is no terminal to draw on.
        BrowserFailed: There is no answer.
        SystemExit: A signal ended it.
    """
    from hermes_tui.services.terminal import drawing_on_terminal

    with drawing_on_terminal():
        # Importing makes thousands of objects and no garbage: collecting waits for the first frame.
        gc.disable()
        from hermes_tui.app import BrowserApp

        app = BrowserApp(options)
        app.when_ready = gc.enable
        choice = app.run()
    if app.parting:
        from hermes_tui.cli.output import Output

        Output().aside(app.parting)
    if app.return_code is not None and app.return_code > exits.KILLED:
        sys.exit(app.return_code)
    if app.return_code:
        raise BrowserFailed("The browser broke down.")
    return choice, app.options


def browse(options: Options, output: Output) -> int:
    """Let a person choose, then print the id or become Hermes; says with what status to exit.

    Raises:
        NoTerminal: There is no terminal and only the id was wanted.
        StoreError, CannotResume, BrowserFailed: With a sentence to show.
    """
    from hermes_tui.services.terminal import NoTerminal

    try:
        choice, options = choose(options)
    except NoTerminal as error:
        if options.print_only:
            raise
        from hermes_tui.cli.listing import list_conversations

        status = list_conversations(replace(options, limit=options.limit or DEFAULT_LIMIT), output)
        # Beside the list, and not beside what kept it from being one.
        output.remark(f"{error} So this is the list.")
        return status
    if choice is None:
        return exits.NOTHING_CHOSEN if options.print_only else exits.OK
    if options.print_only:
        output.exactly(choice.session_id)
        return exits.OK
    command = options.resume(choice.session_id)
    if options.demo:
        output.remark("The demo only shows the command that would resume it:")
        output.line(command.shell_line)
        return exits.OK
    if why := command.why_not():
        output.error(why)
        output.line(command.shell_line)
        return exits.FAILED
    from hermes_tui.services.resume import exec_resume

    exec_resume(command)
    return exits.FAILED
