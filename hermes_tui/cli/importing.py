"""`hermes-tui sessions import`: what was exported as JSON or JSONL comes into the store, and nothing is overwritten."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.progress import progress
from hermes_tui.errors import BrowserError
from hermes_tui.text.figures import plural


class CannotImport(BrowserError):
    """What was given cannot be read, or is no export."""


def _run(call: Call) -> int:
    name = call.said.path
    with call.opened() as db, progress(call.output, "Importing") as tell:
        read = list(_sessions(name, "the input" if name == "-" else name))
        report = db.check_import(read) if call.is_rehearsal else db.import_sessions(read, progress=tell)
    if report["errors"]:
        first = report["errors"][0]
        which = first.get("session_id") or f"number {first['index'] + 1}"
        more = f"; {len(report['errors']) - 1} more are wrong" if len(report["errors"]) > 1 else ""
        raise CannotImport(f"Nothing was imported: session {which}: {first['error']}{more}.")
    call.answer({**report, "dry_run": call.is_rehearsal}, _told(call, report))
    return exits.OK


def _told(call: Call, report: dict[str, Any]) -> Iterator[str]:
    show = call.output.show
    did = "Would import" if call.is_rehearsal else "Imported"
    yield f"{did} {plural(report['imported'], 'session')}."
    if report["skipped"]:
        yield f"{plural(report['skipped'], 'session')} skipped: there already, and left alone."
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
        " is left alone.",
        _options,
    )
}
