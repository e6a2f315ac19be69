"""hermes-tui: the session browser for Hermes Agent."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"

__all__ = ["browse"]


def browse(
    db_path: str | Path | None = None, source: str | None = None, limit: int | None = None
) -> str | None:
    """Let a person choose a conversation on the terminal.

    Args:
        db_path: The store; the default is the one `hermes` itself would open.
        source: Show only conversations from here, such as "cli" or "telegram".
        limit: Show at most so many; None for all.

    Returns:
        The id of the session to resume; None when nothing was chosen.

    Raises:
        NoTerminal: There is no terminal to draw on.
        BrowserFailed: The screen broke down.
    """
    # Whoever imports the package for this one call pays for Textual when calling it.
    from hermes_tui import start

    options = start.options_for(db_path, source=source, limit=limit, print_only=True)
    choice, _ = start.choose(options)
    return choice.session_id if choice else None
