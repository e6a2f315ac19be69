"""What the browser is started with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hermes_tui.services.resume import ResumeCommand

DEFAULT_LIMIT = 20
"""Conversations that are printed where nobody said how many (spec 5.1)."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which store, which of its conversations, and what becomes of the one that is chosen."""

    db_path: Path
    profile: str = ""
    """The profile that the store belongs to, "default" for the root; empty for a store without a home."""
    source: str | None = None
    limit: int | None = None
    """Conversations to show, counted after filtering; None for all."""
    demo: bool = False
    """The store is the demo's: nothing is remembered and resuming only prints."""
    print_only: bool = False
    """The caller wants an id, not Hermes: choosing never asks whether Hermes could resume it."""
    clock: Callable[[], float] = time.time
    """The time in Unix seconds; it stands still in the demo."""

    def resume(self, session_id: str) -> ResumeCommand:
        """The command that resumes a session.

        Raises:
            CannotResume: With the sentence to show.
        """
        from hermes_tui.services import resume

        if self.demo:
            return resume.demo_command(session_id)
        return resume.command_for(self.db_path, session_id)
