"""What hermes-tui itself cannot do."""

from __future__ import annotations


class BrowserError(Exception):
    """`str(error)` is the one clear sentence that a person should read. Subclasses stand where they are raised."""
