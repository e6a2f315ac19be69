"""Names of the files that are written: legible, and allowed on every file system."""

from __future__ import annotations

from hermes_tui.export.formats import Format


def suggested_name(title: str, session_id: str, form: Format) -> str:
    """A name for the file of a conversation, from its title, or its id where it has none; at most 120 bytes."""
    raise NotImplementedError
