"""What can go wrong, by name, each with the one sentence a person should read."""

from __future__ import annotations

import copyreg
from pathlib import Path
from typing import Any


class StoreError(Exception):
    """Anything the store refuses or cannot do; `str(error)` is one clear sentence."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own calls the class with the sentence, which is not what most of these classes take.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class StoreMissing(StoreError):
    """There is no file at the place that was looked at."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"No session store at {path}.")
        self.path = path


class NotAStore(StoreError):
    """The file is there but is not a Hermes session store."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path} {why}.")
        self.path = path


class StoreUnreadable(StoreError):
    """The file is a store that cannot be read as it lies there (rights, a WAL without its index, damage)."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"Cannot read {path}: {why}.")
        self.path = path


class TooLarge(StoreUnreadable):
    """What was asked for at once is more than SQLite can hand over (1 GB); a part of it may not be."""


class StoreBusy(StoreError):
    """Another process kept the store locked for longer than we wait."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"The database {path} is busy: another process holds it; try again in a moment.")
        self.path = path


class WritingNotSupported(StoreError):
    """This version writes only into stores that it creates itself."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} exists; this version opens existing stores only with read_only=True.")
        self.path = path


class StoreNotWritable(StoreError):
    """The file can be read but not written: rights, a read-only directory or medium."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"Nothing was written: {path} cannot be written here ({why}).")
        self.path = path


class StoreFenced(StoreNotWritable):
    """A newer Hermes has put triggers into the store that refuse every other writer (spec 1.4)."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "the Hermes that fenced it lets nobody else write to it")


class StoreReplaced(StoreError):
    """The file was deleted, moved or replaced by another one while it was open."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Nothing was written: {path} was deleted or replaced after it was opened; open it again."
        )
        self.path = path


class DiskFull(StoreError):
    """There is no room for the change; what was committed before is safe."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"Nothing was written: no space is left where {path} lies; free some and try again.")
        self.path = path


class NotEnoughRoom(DiskFull):
    """The disk has too little room to begin; nothing was."""

    def __init__(self, path: Path, needed: int, free: int) -> None:
        StoreError.__init__(
            self,
            f"Nothing was written: this needs {needed / 2**20:,.1f} MB where {path} lies"
            f" and {free / 2**20:,.1f} MB are free.",
        )
        self.path = path


class StoreTooNew(StoreError):
    """The store is of a newer Hermes than this program knows, and this would change its structure."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"Nothing was changed: {path} has schema version {version}; its own Hermes must do this."
        )
        self.path = path


class StoreDamaged(StoreError):
    """The file is damaged, so nothing is written to it before it has been repaired."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"Nothing was written: {path} is damaged ({why}); the Python function `storage.repair` makes a"
            " backup and repairs what can be repaired."
        )
        self.path = path


class OpenedReadOnly(StoreError):
    """A write through a door that was opened for reading."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"Nothing was written: {path} was opened with read_only=True.")
        self.path = path


class VersionTooOld(StoreError):
    """The store has no column for what should be written."""

    def __init__(self, table: str, column: str) -> None:
        super().__init__(
            f"Nothing was written: this store is too old to hold {table}.{column};"
            " `hermes-tui sessions migrate` brings it up to date."
        )


class TitleTaken(StoreError, ValueError):
    """Another session has this title already."""

    def __init__(self, title: str, session_id: str, source: str) -> None:
        super().__init__(f"Title '{title}' is already in use by session {session_id} ({source})")
        self.title = title
        self.session_id = session_id
        self.source = source


class TitleTooLong(StoreError, ValueError):
    """A title with more characters than Hermes takes."""

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"Title too long ({length} chars, max {limit})")


class TitleChanged(StoreError):
    """A title cannot go back to what it was: somebody gave the session another one since."""

    def __init__(self, session_id: str, title: str | None) -> None:
        now = f"is now titled '{title}'" if title is not None else "has no title now"
        super().__init__(f"Nothing was undone: session {session_id} {now}.")
        self.session_id = session_id


class UnknownMessage(StoreError, ValueError):
    """The session has no message with this id."""

    def __init__(self, message_id: int, session_id: str) -> None:
        super().__init__(f"Message {message_id} not found in session {session_id}.")


class NotTheUsersMessage(StoreError, ValueError):
    """A rewind goes back to something that the user said."""

    def __init__(self, message_id: int, role: str) -> None:
        super().__init__(
            f"Message {message_id} is not the user's (its role is {role!r}): nothing to go back to."
        )


class IndexStopsWrites(StoreDamaged):
    """A search index is damaged, so no message can be written; the messages themselves are not affected."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, f"its search index: {why}")


class CannotRepair(StoreError):
    """Nothing that repairs a store helped; it is as it was."""

    def __init__(self, path: Path, why: str, backup: Path | None) -> None:
        kept = f"a copy of it as it was is {backup}" if backup else "no copy of it could be made"
        super().__init__(
            f"Cannot repair {path} ({why}); {kept}. What can still be read of it can be exported, or recovered with"
            f" `sqlite3 {path} .recover`."
        )
        self.path = path
        self.backup = backup


class BadFilter(StoreError, ValueError):
    """A filter that does not exist, or a value that it cannot mean."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing was selected: {why}.")


class BadPolicy(StoreError, ValueError):
    """A reset policy that cannot be followed."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Not a reset policy: {why}.")


class TrajectoryNotSaved(StoreError):
    """The file that trajectories are appended to cannot be written."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"The trajectory was not saved: {file} cannot be written ({why}).")
        self.file = file


class UnknownSession(StoreError):
    """No session has this id (any more)."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"Session {session_id!r} no longer exists.")
        self.session_id = session_id


class StoppedByTrigger(StoreError):
    """A trigger that somebody gave the store undoes, without an error, what is done; so nothing was done."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Nothing was written: a trigger in the store does not let {what}; look at its triggers."
        )


class TrashUnusable(StoreError):
    """The copy of what is to be deleted cannot be kept, so it is not deleted."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"No copy can be kept in {path} ({why}), so it was not deleted.")
        self.path = path


class TrashDamaged(StoreError):
    """A copy in the trash cannot be read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"Nothing was restored: the copy {path} cannot be read ({why}).")
        self.path = path


class UnknownStep(StoreError):
    """The trash holds no deletion of this name (any more)."""

    def __init__(self, step: str, trash: Path) -> None:
        super().__init__(f"There is no deletion {step!r} in {trash}.")
        self.step = step


class Interrupted(StoreError):
    """The call was cancelled because a newer one replaced it."""

    def __init__(self) -> None:
        super().__init__("The query was interrupted.")


class StoreClosed(Interrupted):
    """The store was closed before or while the call ran; quiet where an interrupted call is quiet."""

    def __init__(self, path: Path) -> None:
        StoreError.__init__(self, f"{path} has been closed.")
        self.path = path


class IndexDamaged(StoreError):
    """A search index (an FTS table) cannot be used; the rows that it indexes are not affected."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"The search index of {path} cannot be used: {why}.")
        self.path = path


class CannotCreate(StoreError):
    """A new store could not be made there."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"Cannot create a store at {path}: {why}.")
        self.path = path


class RowRefused(StoreError):
    """A row was not written because the store cannot hold it as it is; nothing of the call was."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing was written: {why}.")


class BadProfile(StoreError):
    """A profile name that Hermes would not accept."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} is no profile name: small letters, digits, - and _ (not first), at most 64 characters."
        )
        self.name = name
