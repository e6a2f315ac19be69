"""What a copy in the trash looks like, line by line, and which sessions it holds.

Each line is one JSON object with a `kind`. The first is the header; then comes one block for each conversation: its
lines, and at last one that lists its sessions and has the SHA-256 of the lines before it. Lines without that end were
cut off before anything of theirs was deleted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from storage.engine.within import Reading
from storage.errors import TrashDamaged
from storage.keeping import trash_values
from storage.keeping.trash_shapes import is_record, is_session
from storage.keeping.trash_values import Value

Record = dict[str, Any]

FORMAT = 1

_END = b'{"kind":"end",'
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class CopiedSession:
    """What is to be known of a session without reading all of it."""

    id: str
    title: str | None
    messages: int
    started_at: Any
    """As a value is written."""
    lost_parent: bool = False
    """It named a parent that was not there when it was deleted."""
    hidden_by_parent: bool = False
    """Only that parent says that it is a subagent's."""
    shared_title: bool = False
    """Another session had its title when it was deleted."""


@dataclass(frozen=True, slots=True)
class Block:
    """One conversation in a copy: where it begins and ends in the file, and its sessions."""

    start: int
    lines_end: int
    end: int
    sessions: tuple[CopiedSession, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a copy holds."""

    blocks: tuple[Block, ...]
    size: int
    """Bytes of the file."""

    @property
    def torn(self) -> bool:
        """Whether something follows the last whole block."""
        return self.size > (self.blocks[-1].end if self.blocks else 0)


def line(record: Record) -> bytes:
    """The record as a line of the file."""
    # A file name may hold bytes that are no UTF-8.
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def header(store_path: Path) -> bytes:
    return line({"kind": "trash", "format": FORMAT, "store": str(store_path)})


class BlockWriter:
    """Writes the lines of one block and its end."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._digest = hashlib.sha256()

    def add(self, record: Record) -> None:
        data = line(record)
        self._digest.update(data)
        self._write(data)

    def end(self, sessions: Iterable[CopiedSession]) -> None:
        self._write(
            line(
                {
                    "kind": "end",
                    "sessions": [asdict(one) for one in sessions],
                    "sha256": self._digest.hexdigest(),
                }
            )
        )


def contents(file: BinaryIO, path: Path) -> Contents:
    """Find the blocks of a copy, reading it once.

    Raises:
        TrashDamaged: It does not begin as one, or is of a format that is not known.
    """
    file.seek(0)
    first = file.readline()
    _require_header(first, path)
    blocks: list[Block] = []
    start = here = len(first)
    for data in file:
        if data.startswith(_END) and data.endswith(b"\n") and (end := _end(data)):
            blocks.append(Block(start, here, here + len(data), *end))
            start = here + len(data)
        here += len(data)
    return Contents(tuple(blocks), here)


def records(file: BinaryIO, path: Path, block: Block) -> Iterator[Record]:
    """The lines of a block.

    Raises:
        TrashDamaged: One is no record.
    """
    file.seek(block.start)
    while file.tell() < block.lines_end:
        try:
            record = json.loads(file.readline())
        except (ValueError, RecursionError) as error:
            raise TrashDamaged(path, str(error)) from error
        if not is_record(record):
            raise TrashDamaged(path, "a line of it was not written so")
        yield record


def require_whole(file: BinaryIO, path: Path, blocks: Iterable[Block]) -> None:
    """See that the blocks are as they were written.

    Raises:
        TrashDamaged
    """
    for block in blocks:
        digest = hashlib.sha256()
        for chunk in _raw(file, block.start, block.lines_end):
            digest.update(chunk)
        if digest.hexdigest() != block.digest:
            raise TrashDamaged(path, "it is not as it was written")


def without(
    file: BinaryIO, path: Path, held: Contents, gone: Collection[str], links: Iterable[Record]
) -> Iterator[bytes]:
    """The copy without these sessions, and with these links: what `replace` takes.

    What is no whole block stays, for a person may still read it.
    """
    file.seek(0)
    yield file.readline()
    for block in held.blocks:
        left = [one for one in block.sessions if one.id not in gone]
        if left and len(left) == len(block.sessions):
            yield from _raw(file, block.start, block.end)
        elif left:
            kept = {one.id for one in left}
            yield from _block((one for one in records(file, path, block) if _concerns(one, kept)), left)
    if owed := list(links):
        yield from _block(owed, ())
    yield from _raw(file, held.blocks[-1].end if held.blocks else len(_first_line(file)), held.size)


def is_there(reading: Reading, session: CopiedSession) -> bool:
    """Whether the store still (or again) has the session that was copied, not another one of the same name."""
    condition = "id = ?"
    values: list[Value] = [session.id]
    if reading.layout.has("sessions", "started_at"):
        started = trash_values.read(session.started_at)
        condition += f" AND started_at IS {trash_values.mark(started)}"
        values.append(started)
    if session.messages:
        condition += " AND EXISTS (SELECT 1 FROM messages WHERE session_id = sessions.id)"
    return reading.one(f"SELECT 1 FROM sessions WHERE {condition}", values) is not None


def _require_header(first: bytes, path: Path) -> None:
    try:
        found = json.loads(first)
        version = found["format"] if found["kind"] == "trash" else None
    except (ValueError, KeyError, TypeError, RecursionError):
        version = None
    if version is None:
        raise TrashDamaged(path, "it is no copy of deleted conversations")
    if version != FORMAT:
        raise TrashDamaged(path, f"its format {version} is not known here")


def _end(data: bytes) -> tuple[tuple[CopiedSession, ...], str] | None:
    try:
        found = json.loads(data)
        if not all(map(is_session, found["sessions"])):
            return None
        return tuple(CopiedSession(**one) for one in found["sessions"]), str(found["sha256"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _block(lines: Iterable[Record], sessions: Iterable[CopiedSession]) -> Iterator[bytes]:
    written: list[bytes] = []
    writer = BlockWriter(written.append)
    for record in lines:
        writer.add(record)
        yield from written
        written.clear()
    writer.end(sessions)
    yield from written


def _concerns(record: Record, sessions: Collection[str]) -> bool:
    if record.get("kind") == "link":
        return record.get("child") in sessions or record.get("parent") in sessions
    return record.get("session") is None or record.get("session") in sessions


def _raw(file: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    file.seek(start)
    while start < end and (chunk := file.read(min(_CHUNK, end - start))):
        start += len(chunk)
        yield chunk


def _first_line(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.readline()
