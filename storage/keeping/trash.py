"""Deleting with a way back: a copy first, on the disk before anything goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from storage import locations
from storage.conversation.deleting import going
from storage.engine.connection import Cancel
from storage.engine.layout import Layout
from storage.engine.store import Store
from storage.engine.within import Within
from storage.errors import StoreError
from storage.keeping.trash_blocks import header
from storage.keeping.trash_copy import Taken, copy_and_remove, remove_all
from storage.keeping.trash_files import PendingFile, forget_old
from storage.keeping.trash_legacy import directory_of, purge_file, remove_file
from storage.keeping.trash_list import settle
from storage.keeping.trash_reach import Reach, reach_of
from storage.keeping.trash_records import Deletion


def trash_sessions(
    store: Store,
    conversations: Sequence[Sequence[str]],
    *,
    with_subagents: bool = True,
    keep_copy: bool = True,
    progress: Callable[[int, int], None] | None = None,
    cancel: Cancel | None = None,
) -> Deletion:
    """Delete conversations, one transaction each, all of them one step that `restore_trash` takes back.

    Exactly the named sessions go, and those that worked for them; children of another kind stay without a parent.
    Files that the sessions left in a home go too. Copies that are older than 30 days go whenever something is deleted.

    Args:
        conversations: For each the ids of its sessions that are to go.
        with_subagents: Also deletes the sessions that worked for them, as `delete_session` does.
        keep_copy: False leaves no copy: nothing brings them back.
        progress: Told how many conversations are done, of how many; from the calling thread.
        cancel: Cancelling it stops before the next conversation.

    Returns:
        What was done. What stopped it stands in `failed`, and is not raised.
    """
    wanted = [list(dict.fromkeys(one)) for one in conversations if one]
    done = Deletion(left=len(wanted))
    step = _Step(store, with_subagents, keep_copy)
    try:
        for number, ids in enumerate(wanted, 1):
            if cancel is not None and cancel.cancelled:
                done.cancelled = True
                break
            done.conversations += step.delete(ids)
            done.left -= 1
            if progress is not None:
                progress(number, len(wanted))
    except StoreError as error:
        done.failed = error
    except BaseException:
        # A signal may come between a commit and what is noted of it: the next one finds out, as after a kill.
        step.leave()
        raise
    done.step = step.close()
    done.deleted, done.messages = tuple(step.deleted), step.messages
    done.missing = tuple(step.missing)
    if done.deleted:
        forget_old(locations.trash_dir(store.path), store.clock())
    return done


@dataclass(slots=True)
class _Step:
    """One deletion: its copy is begun with the first conversation."""

    store: Store
    with_subagents: bool
    keep_copy: bool
    copy: PendingFile | None = None
    reach: tuple[Layout, Reach] | None = None
    deleted: dict[str, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    messages: int = 0
    unsaved: int = 0
    """Bytes of the copy once what is being deleted has gone."""

    def delete(self, ids: Sequence[str]) -> bool:
        """Delete one conversation in one transaction; False where nothing of it was there.

        Raises:
            TrashUnusable, StoreBusy, …: and nothing of it was deleted.
        """
        legacy = directory_of(self.store.path)
        if self.keep_copy and self.copy is None:
            self._begin()
        taken = self.store.write(lambda within: self._taken(within, ids), touches_messages=True)
        if self.copy is not None:
            self.copy.keep(self.unsaved)
        if legacy is not None:
            for file in taken.files:
                remove_file(legacy, file)
            for name in taken.purged:
                purge_file(legacy, name)
        self.deleted.update(dict.fromkeys(taken.sessions))
        self.missing.update(dict.fromkeys(id_ for id_ in ids if id_ not in self.deleted))
        self.messages += taken.messages
        return any(id_ in self.deleted for id_ in ids)

    def close(self) -> str:
        """End the step; returns its name, empty where there is nothing to take back."""
        if self.copy is None:
            return ""
        self.copy.close(wanted=bool(self.deleted))
        return self.copy.step if self.deleted else ""

    def leave(self) -> None:
        """Leave the copy as that of a deletion that was cut off."""
        if self.copy is not None:
            self.copy.leave()

    def _begin(self) -> None:
        # Whatever refuses every write is found before anything lies in the trash.
        self.store.writer()
        directory = locations.trash_dir(self.store.path)
        settle(self.store, directory)
        self.copy = PendingFile(directory, self.store.clock())
        first = header(self.store.path)
        self.copy.write(first)
        self.copy.keep(len(first))

    def _taken(self, within: Within, ids: Sequence[str]) -> Taken:
        all_that_go = going(within, ids, with_subagents=self.with_subagents)
        if not all_that_go:
            self.unsaved = self.copy.size if self.copy else 0
            return Taken((), 0, ())
        reach = self._reach(within)
        if self.copy is None:
            return remove_all(within, reach, all_that_go, directory_of(self.store.path))
        # The transaction may be run again.
        self.copy.rewind()
        taken = copy_and_remove(within, reach, all_that_go, self.copy.write, directory_of(self.store.path))
        self.unsaved = self.copy.sync()
        return taken

    def _reach(self, within: Within) -> Reach:
        if self.reach is None or self.reach[0] is not within.layout:
            self.reach = within.layout, reach_of(within)
        return self.reach[1]
