"""The demo's store, which lives as long as the process."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from hermes_tui.errors import BrowserError
from hermes_tui.options import Options
from storage.errors import StoreError


class CannotMakeDemo(BrowserError):
    """There is no room for the demo, or no place to write to."""


def demo_options(options: Options) -> Options:
    """Make the demo's store in a directory of its own, and the options that open it with its frozen clock.

    Raises:
        CannotMakeDemo: With the sentence to show.
    """
    # Reading the screenplays costs; only who asks for the demo pays.
    from hermes_tui import demo

    try:
        directory = Path(tempfile.mkdtemp(prefix="hermes-tui-demo-"))
        # Nothing executes another program from the demo, so the end of the process is the end of the store.
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        path = demo.make(directory)
    except OSError as error:
        # Without any directory for temporary files the error names no file, only those that were tried.
        where = f" in {os.path.dirname(error.filename)}" if error.filename else ""
        raise CannotMakeDemo(f"Cannot make the demo{where}: {error.strerror or error}.") from error
    except StoreError as error:
        raise CannotMakeDemo(f"Cannot make the demo: {error}") from error
    return replace(options, db_path=path, profile="", demo=True, clock=lambda: demo.NOW)
