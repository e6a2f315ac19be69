"""A write that a store of an old version has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.services.own_command import own_command

if TYPE_CHECKING:
    from hermes_tui.screens.browser import BrowserScreen
    from storage import StoreError


def why_not(screen: BrowserScreen, error: StoreError, what: str) -> str:
    """Why nothing was written; where the store cannot hold `what`, with the command that brings this very one up to
    date."""
    from storage import VersionTooOld
    from storage.engine.creation import SCHEMA_VERSION

    if not isinstance(error, VersionTooOld) or (version := screen.version) is None:
        return str(error)
    return (
        f"This store is of version {version} and cannot hold {what}. `{own_command(screen.options, 'migrate')}`"
        f" brings it to {SCHEMA_VERSION}; Hermes 0.13–0.19 go on working with it."
    )
