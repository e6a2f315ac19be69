"""`hermes-tui sessions import`: what was exported as JSON or JSONL comes into the store, and nothing is overwritten."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.progress import progress
from hermes_tui.errors import BrowserError
from hermes_tui.text.figures import plural
from storage import SessionDB, StoreMissing


class CannotImport(BrowserError):
    """What was given cannot be read, or is no export."""


def _run(call: Call) -> int:
    name = call.said.path
    path = call.options.db_path
    is_there = path.exists()
    if not is_there and not _may_be_made(call, path):
        raise StoreMissing(path)
    given = list(_sessions(name, "the input" if name == "-" else name))
    numbered = {
        number: one for number, session in enumerate(given, 1) if (one := _with_id(session)) is not None
    }
    read = list(numbered.values())
    report = _imported(call, read) if is_there else _into_a_new_store(call, read)
    if report["errors"]:
        first = report["errors"][0]
        which = first.get("session_id") or f"number {list(numbered)[first['index']]}"
        more = f"; {len(report['errors']) - 1} more are wrong" if len(report["errors"]) > 1 else ""
        raise CannotImport(f"Nothing was imported: session {which}: {first['error']}{more}.")
    without_id = _sessions_in(given) - _sessions_in(read)
    facts = {**report, "without_id": without_id, "dry_run": call.is_rehearsal}
    call.answer(facts, _told(call, report, without_id))
    return exits.OK


def _imported(call: Call, read: list[Any]) -> dict[str, Any]:
    with call.opened() as db, progress(call.output, "Importing") as tell:
        return db.check_import(read) if call.is_rehearsal else db.import_sessions(read, progress=tell)


def _may_be_made(call: Call, path: Path) -> bool:
    """Whether a store can be made here: in a directory that is there, or in the home that `hermes` would make."""
    return path.parent.is_dir() or not (hasattr(call.said, "db") or hasattr(call.said, "profile"))


def _into_a_new_store(call: Call, read: list[Any]) -> dict[str, Any]:
    """Make the store that is missing, once it is certain that something comes into it."""
    path = call.options.db_path
    with TemporaryDirectory() as place, SessionDB(Path(place, "state.db")) as db:
        report = db.check_import(read)
    if report["errors"] or call.is_rehearsal:
        return report
    shown = call.output.show(str(path))
    what = "one" if path.parent.is_dir() else "one, and its directory"
    call.confirm(
        f"There is no store at {shown}. Make {what}?", f"No store at {shown}, so nothing was imported"
    )
    with (
        SessionDB(path, policy=call.policy, clock=call.options.clock) as db,
        progress(call.output, "Importing") as tell,
    ):
        return db.import_sessions(read, progress=tell)


def _with_id(session: Any) -> Any:
    """What is left of a session, or of the parts of a conversation, without what has an empty id; None for nothing.

    A store can hold one, and so an export can; no command could name it.
    """
    if not isinstance(session, dict):
        return session
    segments = session.get("segments")
    if isinstance(segments, list) and segments:
        named = [one for one in map(_with_id, segments) if one is not None]
        return {**session, "segments": named} if named else None
    return None if session.get("id") == "" else session


def _sessions_in(read: list[Any]) -> int:
    return sum(len(one.get("segments") or [one]) if isinstance(one, dict) else 1 for one in read)


def _told(call: Call, report: dict[str, Any], without_id: int) -> Iterator[str]:
    show = call.output.show
    if call.is_rehearsal and not call.options.db_path.exists():
        yield f"Would make a new store at {show(str(call.options.db_path))}."
    did = "Would import" if call.is_rehearsal else "Imported"
    yield f"{did} {plural(report['imported'], 'session')}."
    if report["skipped"]:
        yield f"{plural(report['skipped'], 'session')} skipped: there already, and left alone."
    if without_id:
        yield f"{plural(without_id, 'session')} left out, for the id is empty."
    for one in report["conflicts"]:
        yield (
            f"Session '{show(one['session_id'])}' comes without its title '{show(one['title'])}', which session"
            f" '{show(one['held_by'])}' has."
        )
    if report["detached"]:
        yield f"{plural(report['detached'], 'session')} without the parent, which is not here."
    if report["left_out"]:
        columns = ", ".join(map(show, report["left_out"]))
        yield f"Left out, for this store has no column for it: {columns}"
    if call.is_rehearsal:
        yield f"Dry run {call.output.marks.dash} nothing imported."


def _sessions(name: str, place: str) -> Iterator[Any]:
    """The sessions of a file: one JSON object a line, or one array.

    Raises:
        CannotImport: It cannot be read, or is neither.
    """
    with _opened(name) as file:
        try:
            yield from _parsed(file, place)
        except OSError as error:
            raise CannotImport(f"Cannot read {place}: {error.strerror or error}.") from error


def _parsed(file: BinaryIO, place: str) -> Iterator[Any]:
    lines = ((number, filled) for number, line in enumerate(file, 1) if (filled := line.strip()))
    _, first = next(lines, (0, b""))
    if not first:
        raise CannotImport(f"{place} is empty: there is nothing to import.")
    if first.startswith(b"{") and (one := _value(first)) is not None:
        yield one
        for number, line in lines:
            if (one := _value(line)) is None:
                raise CannotImport(f"Nothing was imported: line {number} of {place} is no JSON.")
            yield one
        return
    whole = _value(first + b"\n" + file.read())
    if whole is None:
        raise CannotImport(f"Nothing was imported: {place} is no export in JSON or JSONL.")
    yield from whole if isinstance(whole, list) else [whole]


def _value(text: bytes) -> Any:
    """What a JSON text says; None for what is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        if sys.stdin is None:
            raise CannotImport("There is no input to read.")
        yield sys.stdin.buffer
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise CannotImport(f"Cannot read {name}: {why}.") from error
    with file:
        yield file


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", help="a file that `export` wrote as JSON or JSONL; - for the input"
    )


COMMANDS: Final = {
    "import": Command(
        _run,
        "Put exported sessions into the store: ids, titles, parents, times and search come back.\nWhat is there already"
        " is left alone; where there is no store yet, one is made.",
        _options,
    )
}
