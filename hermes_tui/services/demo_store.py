"""The demo's store, which lives as long as the process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from hermes_tui.options import Options


def demo_options(options: Options) -> Options:
    """Make the demo's store in a directory of its own, and the options that open it with its frozen clock."""
    # Reading the screenplays costs; only who asks for the demo pays.
    from hermes_tui import demo

    directory = Path(tempfile.mkdtemp(prefix="hermes-tui-demo-"))
    # Nothing executes another program from the demo, so the end of the process is the end of the store.
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return replace(options, db_path=demo.make(directory), profile="", demo=True, clock=lambda: demo.NOW)
