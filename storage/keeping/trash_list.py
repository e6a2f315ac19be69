"""What lies in the trash, how what was cut off is settled, and how it is emptied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from storage import locations
from storage.engine.store import Store
from storage.engine.within import Reading
from storage.errors import StoreError, StoreNotWritable, TrashDamaged, UnknownStep
from storage.keeping.trash_blocks import Block, Contents, contents, is_there, records, without
from storage.keeping.trash_files import abandoned, deleted_at, is_pending, replace, steps
from storage.keeping.trash_legacy import directory_of, of_record, remove_file
from storage.keeping.trash_records import TrashedStep


def list_trash(store: Store) -> tuple[TrashedStep, ...]:
    """The deletions that can be taken back, the newest first; reading only.

    A copy that cannot be read is listed without sessions.
    """
    found = steps(locations.trash_dir(store.path))
    return tuple(one for one in _listed(store, found) if one.sessions or not one.interrupted)


def interrupted_deletions(store: Store) -> tuple[TrashedStep, ...]:
    """The deletions that were cut off (by a kill, a power failure), also before anything had gone; reading only.

    The next deletion, restoration or emptying settles them: then they are steps like any other.
    """
    found = steps(locations.trash_dir(store.path))
    return tuple(_listed(store, [(step, path) for step, path in found if is_pending(path)]))


def empty_trash(store: Store, step: str | None = None) -> int:
    """Remove one deletion's copy, or all, for good; returns how many files went.

    Raises:
        UnknownStep: There is no such step.
        StoreNotWritable: A file cannot be removed.
    """
    directory = locations.trash_dir(store.path)
    settle(store, directory)
    paths = [path for name, path in steps(directory) if step in (None, name) and not is_pending(path)]
    if step is not None and not paths:
        raise UnknownStep(step, directory)
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreNotWritable(path, error.strerror or str(error)) from error
    return len(paths)


def settle(store: Store, directory: Path) -> None:
    """Make of each deletion that was cut off a step of what had gone by then, or nothing where nothing had."""
    for _, path in steps(directory):
        if is_pending(path):
            # One that cannot be settled now stays as it is for the next time; it can be listed as it is.
            with suppress(OSError, StoreError), abandoned(path) as file:
                if file is not None:
                    _settle(store, file, path)


def step_path(store: Store, directory: Path, step: str) -> Path:
    """The copy of a step that is over.

    Raises:
        UnknownStep: There is no such step.
    """
    for name, path in steps(directory):
        if name == step and not is_pending(path):
            return path
    raise UnknownStep(step, directory)


def _listed(store: Store, found: Iterable[tuple[str, Path]]) -> Iterator[TrashedStep]:
    for step, path in found:
        # One that is gone meanwhile; a pending one that is another user's.
        with suppress(FileNotFoundError, PermissionError):
            if not is_pending(path):
                yield _described(step, path, _blocks(path), interrupted=False)
                continue
            with abandoned(path, only_look=True) as file:
                if file is not None:
                    blocks = _contents(file, path).blocks
                    gone = tuple(one for one in blocks if not _stayed(store.reading(), one))
                    yield _described(step, path, gone, interrupted=True)


def _settle(store: Store, file: BinaryIO, path: Path) -> None:
    target = path.with_name(path.name.removesuffix(".pending"))
    try:
        found = contents(file, path)
    except TrashDamaged:
        if b"\n" in file.read():
            # A person may still read it.
            path.rename(target)
        else:
            path.unlink()
        return
    stayed = [one for one in found.blocks if _stayed(store.reading(), one)]
    if len(stayed) == len(found.blocks):
        path.unlink()
        return
    whole = Contents(found.blocks, found.blocks[-1].end)
    names = {one.id for block in stayed for one in block.sessions}
    replace(path, target, without(file, path, whole, names, ()))
    _remove_files(directory_of(store.path), file, path, [one for one in found.blocks if one not in stayed])


def _remove_files(directory: Path | None, file: BinaryIO, path: Path, gone: Iterable[Block]) -> None:
    """Remove the files of these sessions that the deletion did not come to."""
    for block in gone if directory else ():
        for record in records(file, path, block):
            if directory and record["kind"] == "file":
                remove_file(directory, of_record(record))


def _stayed(reading: Reading, block: Block) -> bool:
    """Whether a conversation was copied and then not deleted."""
    return bool(block.sessions) and all(is_there(reading, one) for one in block.sessions)


def _blocks(path: Path) -> tuple[Block, ...]:
    try:
        with path.open("rb") as file:
            return _contents(file, path).blocks
    except FileNotFoundError:
        raise
    except OSError:
        return ()


def _contents(file: BinaryIO, path: Path) -> Contents:
    try:
        return contents(file, path)
    except StoreError:
        # It says so when it is to be restored.
        return Contents((), 0)


def _described(step: str, path: Path, blocks: tuple[Block, ...], *, interrupted: bool) -> TrashedStep:
    sessions = [one for block in blocks for one in block.sessions]
    return TrashedStep(
        step=step,
        deleted_at=deleted_at(step),
        conversations=sum(1 for block in blocks if block.sessions),
        sessions=tuple(one.id for one in sessions),
        titles=tuple(one.title for one in sessions if one.title),
        messages=sum(one.messages for one in sessions),
        size=path.stat().st_size,
        interrupted=interrupted,
    )
