"""`hermes-tui sessions migrate | optimize | optimize-storage`: what changes how a store is built, not what is in it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.progress import progress
from storage.engine.creation import SCHEMA_VERSION

if TYPE_CHECKING:
    from storage import StoreInfo

_ANEW: Final = "Writing the file anew"
_OLD_RELEASES: Final = "Hermes 0.13 to 0.19 go on working with it."


def _migrate(call: Call) -> int:
    from storage import StoreFenced, StoreTooNew, migrate

    path = call.options.db_path
    with call.opened(read_only=True) as db:
        info = db.info()
        fenced = db.reading().layout.turn_fences
    before = _version(info)
    if before > SCHEMA_VERSION:
        raise StoreTooNew(path, before)
    if fenced:
        raise StoreFenced(path)
    place = call.output.show(str(path))
    if call.is_rehearsal:
        line = f"Would bring {place} from schema version {before} to {SCHEMA_VERSION}. {_OLD_RELEASES}"
        if before == SCHEMA_VERSION:
            line = f"{place} is at schema version {before} already; an index that is not complete would be completed."
        dry = f"Dry run {call.output.marks.dash} nothing migrated."
        call.answer({"from": before, "to": SCHEMA_VERSION, "seconds": None, "dry_run": True}, [line, dry])
        return exits.OK
    if before < SCHEMA_VERSION:
        call.confirm(
            f"Bring {place} from schema version {before} to {SCHEMA_VERSION}? {_OLD_RELEASES} There is no way back.",
            "Nothing was migrated",
        )
        call.remark(f"{place}: schema version {before} {call.output.marks.arrow} {SCHEMA_VERSION}")
    begun = time.monotonic()
    with progress(call.output, "Indexing") as tell:
        was, now = migrate(path, tell, policy=call.policy)
    seconds = time.monotonic() - begun
    line = (
        f"Migrated from schema version {was} to {now} in {seconds:.1f} s. {_OLD_RELEASES}"
        if was < now
        else f"{place} is at schema version {now}. {_OLD_RELEASES}"
    )
    call.answer({"from": was, "to": now, "seconds": round(seconds, 3), "dry_run": False}, [line])
    return exits.OK


def _version(info: StoreInfo) -> int:
    # Rows without a version are as new as the program that opens them (spec 2.1); an empty file has neither.
    return info.version or (SCHEMA_VERSION if info.sessions else 0)


def _optimize(call: Call) -> int:
    path = call.options.db_path
    with call.opened() as db:
        before = db.info().size
        if call.is_rehearsal:
            lines = [
                f"Would merge the search indexes and write {call.output.show(str(path))} anew ({_mb(before)})."
            ]
            return _unchanged(call, lines, before)
        with progress(call.output, "Optimizing") as bar:
            if bar:
                bar.say("Merging the search indexes")
            indexes = db.optimize_fts()
            # SQLite would make a page of an empty file.
            if before:
                if bar:
                    bar.say(_ANEW)
                db.vacuum()
    after = _size(path)
    call.answer(
        {"indexes": indexes, "before": before, "after": after, "dry_run": False},
        # Hermes' own words (spec 5.2).
        [f"Optimized {indexes} FTS index(es).", _sizes(before, after)],
    )
    return exits.OK


def _optimize_storage(call: Call) -> int:
    path = call.options.db_path
    with call.opened() as db:
        info = db.info()
        if call.is_rehearsal:
            place = call.output.show(str(path))
            lines = [f"Would move the search index of {place} to the compact layout, if it is not there."]
            return _unchanged(call, lines, info.size)
        with progress(call.output, "Indexing") as bar:

            def tell(done: int, total: int) -> None:
                if bar and done < total:
                    bar(done, total)
                elif bar:
                    # More follows, which may take longer than the index did.
                    bar.say("Removing the old index" if call.said.no_vacuum else _ANEW)

            changed = db.optimize_storage(tell if bar else None, vacuum=not call.said.no_vacuum)
    after = _size(path)
    lines = (
        ["Moved the search index to the compact layout.", _sizes(info.size, after)]
        if changed
        else ["Search index is already on the compact layout \N{EM DASH} nothing to do."]
    )
    call.answer({"changed": changed, "before": info.size, "after": after, "dry_run": False}, lines)
    return exits.OK


def _unchanged(call: Call, lines: list[str], size: int) -> int:
    facts: dict[str, Any] = {"before": size, "after": size, "dry_run": True}
    call.answer(facts, [*lines, f"Dry run {call.output.marks.dash} nothing changed."])
    return exits.OK


def _size(path: Path) -> int:
    return path.stat().st_size


def _sizes(before: int, after: int) -> str:
    return f"Database size: {_mb(before)} -> {_mb(after)} (reclaimed {_mb(max(0, before - after))})"


def _mb(size: int) -> str:
    return f"{size / 2**20:.1f} MB"


def _storage_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-vacuum",
        action="store_true",
        help="keep the freed space in the file, which needs less room meanwhile",
    )


COMMANDS: Final = {
    "migrate": Command(
        _migrate,
        f"Bring the store to schema version {SCHEMA_VERSION}: new columns and tables, an index that is kept right.\n"
        f"{_OLD_RELEASES}",
    ),
    "optimize": Command(
        _optimize,
        "Merge each search index into one piece and give the free space of the file back.\nThis needs room for a second"
        " copy of the store.",
    ),
    "optimize-storage": Command(
        _optimize_storage,
        "Move the search index to the layout that keeps no copy of the text. Others can read and write\nmeanwhile; what"
        " was stopped goes on with the next call.",
        _storage_options,
    ),
}
