"""Every write of the interface: one after the other on one thread, in the order they were asked for.

Unlike a request to read, a write is never given up for the next one. Its connection is opened by the first write, so
browsing opens nothing that could change the store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, assert_never

from textual.message import Message

from hermes_tui.services.answer import WriteAnswer
from storage.errors import StoreError

if TYPE_CHECKING:
    from textual.dom import DOMNode

    from storage import Cancel, Deletion, Renamed, Restored, SessionDB

    Step: TypeAlias = "Deletion | Flagged | Renamed"
    """What can be taken back."""
    Outcome: TypeAlias = "Step | Undone"
    Job = Callable[[SessionDB, Callable[[int, int], None]], Outcome]


class Flag(StrEnum):
    """What a conversation is or is not, as a whole."""

    ARCHIVED = "archived"
    PINNED = "pinned"


@dataclass(frozen=True, slots=True)
class Flagged:
    """Conversations that were archived or pinned, or are no longer."""

    flag: Flag
    value: bool
    changed: tuple[str, ...] = ()
    """One session of each."""
    before: tuple[Mapping[str, int | None], ...] = ()
    """For each what its parts had."""
    missing: int = 0
    """Conversations that were gone."""
    left: int = 0
    """Conversations that were not come to."""
    failed: StoreError | None = None
    """What stopped it half-way."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A step that was taken back."""

    step: Step
    restored: Restored | None = None
    """What came back, of a deletion."""
    rest: Flagged | None = None
    """What of an archiving or pinning is still to be taken back."""


class AnotherStore(StoreError):
    """What is to be undone was done to a file that is not the store any more."""

    def __init__(self) -> None:
        super().__init__("this was done in another file, which was deleted or replaced since.")


class Write(NamedTuple):
    """A call that is to be made."""

    serial: int
    job: Job
    cancel: Cancel


class WriteLane:
    """The interface's only way to change the store.

    Args:
        owner: The screen that gets the answers and whose worker makes the calls.
        open_store: Opens the store for writing, as it is; called on the thread.
    """

    class Answer(WriteAnswer):
        """Anything that comes back; it bears the serial of the write."""

        serial: int

    @dataclass
    class Progressed(Answer):
        """So many of the conversations are done."""

        serial: int
        done: int
        total: int

    @dataclass
    class Written(Answer):
        """It is done, or as much of it as the outcome says."""

        serial: int
        outcome: Outcome

    @dataclass
    class Refused(Answer):
        """Nothing was changed; `error` is a sentence to show."""

        serial: int
        error: StoreError

    def __init__(self, owner: DOMNode, open_store: Callable[[], SessionDB]) -> None:
        self._owner = owner
        self._open_store = open_store
        self._db: SessionDB | None = None
        self._steps: list[Step] = []
        """What was done to the file that is open; used on the thread alone."""
        self._serials = count(1)
        self._waiting: deque[Write] = deque()
        self._current: Write | None = None
        self._lock = Lock()
        """Guards the two above."""
        self._closed = False

    # --- requests

    def delete(self, conversations: Sequence[Sequence[str]], *, with_subagents: bool, keep_copy: bool) -> int:
        """Delete these sessions of each conversation, a copy of them in the trash first unless told otherwise."""
        cancel = self._cancel()

        def job(db: SessionDB, progress: Callable[[int, int], None]) -> Outcome:
            return db.trash_sessions(
                conversations,
                with_subagents=with_subagents,
                keep_copy=keep_copy,
                progress=progress,
                cancel=cancel,
            )

        return self._submit(job, cancel)

    def flag(self, flag: Flag, value: bool, session_ids: Sequence[str]) -> int:
        """Archive or pin the conversations of these sessions, or take it back."""
        cancel = self._cancel()
        return self._submit(
            lambda db, progress: _flag(db, flag, value, session_ids, progress, cancel, {}), cancel
        )

    def rename(self, session_id: str, title: str | None) -> int:
        """Give a session a title; None takes it away."""
        return self._submit(lambda db, _: db.rename_session(session_id, title))

    def undo(self, step: Step) -> int:
        """Take back what a write has done."""
        cancel = self._cancel()

        def job(db: SessionDB, progress: Callable[[int, int], None]) -> Outcome:
            if not any(step is one for one in self._steps):
                raise AnotherStore
            return _undo(db, step, progress, cancel)

        return self._submit(job, cancel)

    # --- what is under way

    @property
    def busy(self) -> bool:
        """Whether a write is under way or waits for its turn."""
        with self._lock:
            return self._current is not None or bool(self._waiting)

    def stop(self, serial: int | None = None) -> None:
        """End this write (None: all that were asked for) before its next conversation; what is done stays done."""
        with self._lock:
            for write in (self._current, *self._waiting):
                if write is not None and serial in (None, write.serial):
                    write.cancel.cancel()

    def close(self) -> None:
        """Take no more writes; the store is closed when those that were asked for are done."""
        self._closed = True
        if not self.busy and self._db is not None:
            Thread(target=self._db.close, name="close store").start()

    # --- on the thread

    def _cancel(self) -> Cancel:
        from storage import Cancel

        return Cancel()

    def _submit(self, job: Job, cancel: Cancel | None = None) -> int:
        write = Write(next(self._serials), job, cancel or self._cancel())
        with self._lock:
            if self._current is not None:
                self._waiting.append(write)
                return write.serial
            self._current = write
        self._owner.run_worker(
            lambda: self._work(write), name="write", group="write", exit_on_error=True, thread=True
        )
        return write.serial

    def _work(self, first: Write) -> None:
        write: Write | None = first
        while write is not None:
            answer = self._answer(write)
            with self._lock:
                # Together: whoever hears of the end finds the lane free, and hears of it before the next one's.
                write = self._current = self._waiting.popleft() if self._waiting else None
                self._post(answer)
        if self._closed and self._db is not None:
            self._db.close()

    def _answer(self, write: Write) -> Message:
        def progress(done: int, total: int) -> None:
            self._post(self.Progressed(write.serial, done, total))

        try:
            outcome = write.job(self._store(), progress)
            step = outcome.rest if isinstance(outcome, Undone) else outcome
            if step is not None:
                self._steps.append(step)
            return self.Written(write.serial, outcome)
        except StoreError as error:
            return self.Refused(write.serial, error)

    def _store(self) -> SessionDB:
        if self._db is not None and self._db.replaced():
            # The list is of the file that is there now.
            self._db.close()
            self._db = None
            self._steps.clear()
        if self._db is None:
            self._db = self._open_store()
        return self._db

    def _post(self, message: Message) -> None:
        if not self._closed:
            self._owner.post_message(message)


def _flag(
    db: SessionDB,
    flag: Flag,
    value: bool,
    session_ids: Sequence[str],
    progress: Callable[[int, int], None],
    cancel: Cancel,
    but: Mapping[str, Mapping[str, int | None]],
) -> Flagged:
    changed: dict[str, Mapping[str, int | None]] = {}
    failed: StoreError | None = None
    done = 0
    for session_id in session_ids:
        if cancel.cancelled:
            break
        try:
            if before := db.flag_conversation(session_id, flag.value, value, but.get(session_id, {})):
                changed[session_id] = before
        except StoreError as error:
            if not changed:
                raise
            failed = error
            break
        done += 1
        progress(done, len(session_ids))
    return Flagged(
        flag=flag,
        value=value,
        changed=tuple(changed),
        before=tuple(changed.values()),
        missing=done - len(changed),
        left=len(session_ids) - done,
        failed=failed,
    )


def _undo(
    db: SessionDB,
    step: Step,
    progress: Callable[[int, int], None],
    cancel: Cancel,
) -> Undone:
    from storage import Deletion, Renamed

    match step:
        case Deletion():
            return Undone(step, db.restore_trash(step.step))
        case Renamed():
            db.undo_rename(step)
            return Undone(step)
        case Flagged():
            before = dict(zip(step.changed, step.before, strict=True))
            back = _flag(db, step.flag, not step.value, step.changed, progress, cancel, before)
            if not back.left:
                return Undone(back)
            done = len(step.changed) - back.left
            rest = replace(step, changed=step.changed[done:], before=step.before[done:])
            return Undone(back, rest=rest)
        case _:
            assert_never(step)
