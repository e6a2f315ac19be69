"""What deleting with a way back answers: plain facts that cross the wall."""

from __future__ import annotations

from dataclasses import dataclass

from storage.errors import StoreError


@dataclass(frozen=True, slots=True)
class DeletePreview:
    """What a deletion would take, and what would become of the rest of the family; times are Unix seconds."""

    conversations: int
    """Those of which anything is there."""
    sessions: tuple[str, ...]
    """All that would go, the subagents' too."""
    parts: int
    """Sessions that were named and are there."""
    subagents: int
    """Sessions that would go because they worked for another that goes."""
    messages: int
    """Every row, whatever its state."""
    size: int
    """About how many bytes their texts are."""
    oldest: float | None
    """The last activity of the conversation that is longest ago; None where none is readable."""
    newest: float | None
    running: tuple[str, ...]
    """Sessions not ended with a message in the last ten minutes."""
    branches: int
    """Branches and fresh starts that stay, and lose their parent."""
    continuations: int
    """Parts of the same chains that stay."""
    missing: tuple[str, ...]
    """Named, but not there."""
    later: int = 0
    """Those of `continuations` that continued a session that goes, and stand alone then."""


@dataclass(slots=True)
class Deletion:
    """What a deletion has done, be it all or what came before a failure."""

    step: str = ""
    """The name to restore it by; empty without a copy, or where nothing was deleted."""
    conversations: int = 0
    """Conversations that were deleted."""
    deleted: tuple[str, ...] = ()
    messages: int = 0
    missing: tuple[str, ...] = ()
    """Sessions that were gone already."""
    left: int = 0
    """Conversations that were not come to."""
    failed: StoreError | None = None
    """What stopped it; its sentence speaks of the conversation that it stopped at."""
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class TrashedStep:
    """One deletion in the trash: what its copy can bring back."""

    step: str
    deleted_at: float
    """Unix seconds."""
    conversations: int
    sessions: tuple[str, ...]
    titles: tuple[str, ...]
    """As stored, unsafe to print; of those sessions that have one."""
    messages: int
    size: int
    """Bytes of the copy."""
    interrupted: bool
    """The deletion was cut off; what is listed here had gone by then, and nothing else had."""


@dataclass(slots=True)
class Restored:
    """What a restoration has brought back."""

    sessions: tuple[str, ...] = ()
    messages: int = 0
    retitled: tuple[tuple[str, str, str], ...] = ()
    """Session, its title, and the one that it got because another session has its title by now."""
    skipped: tuple[str, ...] = ()
    """There already, so left as they are."""
    detached: tuple[str, ...] = ()
    """Back without their parent, which is not there."""
