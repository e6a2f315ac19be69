"""Deletions taken back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from storage import locations
from storage.engine.store import Store
from storage.errors import StoreError, TrashDamaged
from storage.keeping import trash_links
from storage.keeping.trash_block_back import Back, put_back
from storage.keeping.trash_blocks import Block, Contents, Record, contents, records, require_whole, without
from storage.keeping.trash_files import is_pending, replace, steps
from storage.keeping.trash_legacy import directory_of
from storage.keeping.trash_list import settle, step_path
from storage.keeping.trash_records import Restored


def restore_trash(store: Store, step: str, session_ids: Sequence[str] | None = None) -> Restored:
    """Bring back what a deletion took, exactly: ids, titles, parents, counters, search, files.

    One transaction a conversation. A session that is there already is skipped. A title that another one has by now
    comes back numbered. Messages whose numbers are taken get new ones. What this store has no column for stays in
    the copy; a copy of which all is back is removed.

    Args:
        step: As `list_trash` and `trash_sessions` name it.
        session_ids: Only these of it; the others stay restorable.

    Raises:
        UnknownStep: There is no such step.
        TrashDamaged: The copy is not as it was written; nothing was restored. Named by `session_ids`, conversations
            that are whole in it can be.
        StoreBusy, StoreNotWritable, …: Conversations before that one are back; the same call goes on with the rest.
    """
    # A store that cannot be written is found before anything is done to the trash.
    store.writer()
    directory = locations.trash_dir(store.path)
    settle(store, directory)
    path = step_path(store, directory, step)
    try:
        with path.open("rb") as file:
            return _restored(store, file, path, session_ids)
    except OSError as error:
        raise TrashDamaged(path, error.strerror or str(error)) from error


@dataclass(slots=True)
class _Restoring:
    """What has come back so far."""

    done: Restored = field(default_factory=Restored)
    links: list[Record] = field(default_factory=list)
    """Of which one end is missing yet."""
    gone: set[str] = field(default_factory=set)
    """Sessions that the copy is not needed for any more."""

    def add(self, back: Back) -> None:
        self.done.sessions += back.sessions
        self.done.messages += back.messages
        self.done.retitled += back.retitled
        self.done.skipped += back.skipped
        self.links = back.links
        self.gone |= back.gone


def _restored(store: Store, file: BinaryIO, path: Path, session_ids: Sequence[str] | None) -> Restored:
    held = contents(file, path)
    wanted = {one.id for block in held.blocks for one in block.sessions}
    if session_ids is None and held.torn:
        raise TrashDamaged(path, "its end is missing")
    if session_ids is not None:
        wanted &= set(session_ids)
    chosen = [one for one in held.blocks if wanted & {session.id for session in one.sessions}]
    promised = [one for one in held.blocks if not one.sessions]
    require_whole(file, path, [*chosen, *promised])
    restoring = _Restoring(links=_promised(file, path, held))
    try:
        # What went last comes back first: each finds the store as it left it.
        for block in reversed(chosen):
            restoring.add(_conversation(store, file, path, block, wanted, restoring.links))
    finally:
        if restoring.gone:
            # Where the trash cannot be written the copy stays as it is: what is there already is skipped.
            with suppress(OSError, StoreError):
                _keep_the_rest(store, file, path, held, restoring)
    missing = {link["child"] for link in restoring.links}
    restoring.done.detached = tuple(id_ for id_ in restoring.done.sessions if id_ in missing)
    return restoring.done


def _conversation(
    store: Store, file: BinaryIO, path: Path, block: Block, wanted: Collection[str], links: Sequence[Record]
) -> Back:
    found = list(records(file, path, block))
    sessions = [one for one in block.sessions if one.id in wanted]
    return store.write(
        lambda within: put_back(within, sessions, found, links, directory_of(store.path)),
        touches_messages=True,
        # A parent that was missing before is missing again.
        foreign_keys=False,
    )


def _keep_the_rest(store: Store, file: BinaryIO, path: Path, held: Contents, restoring: _Restoring) -> None:
    """Leave in the copy what is not back, and with every other copy what will tie it to what is."""
    left = {one.id for block in held.blocks for one in block.sessions} - restoring.gone
    if left or held.torn:
        owed = [link for link in restoring.links if trash_links.ends(link) & left]
        replace(path, path, without(file, path, held, restoring.gone, owed))
    if restoring.links:
        _promise(store, path, restoring.links)
    if not left and not held.torn:
        path.unlink(missing_ok=True)


def _promise(store: Store, own: Path, links: Sequence[Record]) -> None:
    """Note these links in the copies that hold the sessions which they lack."""
    missing = trash_links.missing(store.reading(), links)
    for _, path in steps(own.parent):
        if path == own or is_pending(path):
            continue
        with suppress(TrashDamaged, FileNotFoundError), path.open("rb") as file:
            held = contents(file, path)
            ids = missing & {one.id for block in held.blocks for one in block.sessions}
            if owed := [link for link in links if trash_links.ends(link) & ids]:
                replace(path, path, without(file, path, held, (), [*_promised(file, path, held), *owed]))


def _promised(file: BinaryIO, path: Path, held: Contents) -> list[Record]:
    return [
        record
        for block in held.blocks
        if not block.sessions
        for record in records(file, path, block)
        if record["kind"] == "link"
    ]
