"""`hermes-tui sessions archive | unarchive | pin | unpin`: for whole conversations, named or chosen by filters."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.cli import candidates, exits
from hermes_tui.cli.candidates import matched
from hermes_tui.cli.command import Call, Command, Misused
from hermes_tui.cli.filters import add_filters, chosen
from hermes_tui.cli.naming import session_ids
from hermes_tui.cli.progress import progress

if TYPE_CHECKING:
    from storage import SessionDB

Parts = tuple[str, ...]
"""The sessions of one conversation."""


@dataclass(frozen=True, slots=True)
class _Flag:
    column: str
    value: bool
    verb: str
    done: str
    """How what was done begins: "Archived"."""
    already: str
    """What it is called to be so before."""
    every: str
    """What would be flagged without a filter."""
    answer: str = ""
    """How Hermes says how many sessions it did (spec 5.2), where it does."""
    limits: dict[str, Any] = field(default_factory=dict)
    """What holds beside the filters that were typed."""
    include_open: bool = True

    def told(self, conversations: Sequence[Parts]) -> str:
        """The line that says what was done."""
        if self.answer:
            return self.answer.format(sum(map(len, conversations)))
        return f"{self.done} {_much(conversations)}."


_FLAGS: Final = {
    "archive": _Flag(
        "archived",
        True,
        "archive",
        "Archived",
        "archived already",
        "every ended session",
        "Archived {} session(s). They're hidden from listings but fully recoverable (nothing was deleted).",
        {"archived": False},
        include_open=False,
    ),
    "unarchive": _Flag(
        "archived",
        False,
        "unarchive",
        "Unarchived",
        "not archived",
        "every archived session",
        limits={"archived": True, "include_pinned": True},
    ),
    "pin": _Flag(
        "pinned", True, "pin", "Pinned", "pinned already", "every session", limits={"pinned": False}
    ),
    "unpin": _Flag(
        "pinned", False, "unpin", "Unpinned", "not pinned", "every pinned session", limits={"pinned": True}
    ),
}


def _run(call: Call) -> int:
    flag = _FLAGS[call.said.command]
    filters = chosen(call.said, call.options.clock())
    if call.said.id and filters:
        raise Misused("Ids and filters cannot be mixed: give the one or the other.")
    if not call.said.id and not filters:
        raise Misused(
            f"Refusing to {flag.verb} {flag.every}: pass at least one filter"
            " (e.g. --newer-than 5h, --source cli, --title codex)."
        )
    with call.opened() as db:
        _require(db, flag.column)
        if call.said.id:
            named = _named(db, call.said.id)
            already = [parts for parts in named if _is_so(db, flag, parts)]
            fresh = [parts for parts in named if parts not in already]
            if call.is_rehearsal:
                foretold = [f"Would {flag.verb} {_much(fresh)}."] if fresh else []
                return _foretell(call, flag, fresh, foretold, already=already)
            return _flag(call, db, flag, fresh, already=already)
        found = candidates.find(db, include_open=flag.include_open, **flag.limits, **filters.given)
        conversations = [one.parts for one in found.chosen]
        if not conversations:
            lines = [f"No sessions match ({filters}).", *candidates.spared(found)]
            call.answer(_facts(call, flag, [], found.spared), lines)
            return exits.OK
        preview = candidates.preview(found, str(filters), call.output, whole=call.is_rehearsal)
        lines = [*preview, *candidates.spared(found)]
        if call.is_rehearsal:
            return _foretell(call, flag, conversations, lines, found.spared)
        call.show(lines)
        question = f"{flag.verb.capitalize()} these {len(found.rows)} session(s) ({found.span})?"
        call.confirm(question, f"Nothing was {flag.done.lower()}")
        return _flag(call, db, flag, conversations, found.spared)


def _named(db: SessionDB, typed: list[str]) -> list[Parts]:
    """The conversations that these sessions are parts of, each once."""
    return list(dict.fromkeys(db.conversation_parts(one) for one in session_ids(db, typed)))


def _is_so(db: SessionDB, flag: _Flag, parts: Parts) -> bool:
    rows = filter(None, map(db.get_session, parts))
    return all(bool(row[flag.column]) is flag.value for row in rows)


def _foretell(
    call: Call,
    flag: _Flag,
    conversations: Sequence[Parts],
    lines: list[str],
    spared: int = 0,
    already: Sequence[Parts] = (),
) -> int:
    dry = f"Dry run {call.output.marks.dash} nothing {flag.done.lower()}."
    call.answer(_facts(call, flag, conversations, spared, already), [*lines, *_were(flag, already), dry])
    return exits.OK


def _flag(
    call: Call,
    db: SessionDB,
    flag: _Flag,
    conversations: Sequence[Parts],
    spared: int = 0,
    already: Sequence[Parts] = (),
) -> int:
    write = db.set_session_archived if flag.column == "archived" else db.set_session_pinned
    done: list[Parts] = []
    with progress(call.output, flag.done) as tell:
        for number, parts in enumerate(conversations, 1):
            # A part may have been deleted since they were chosen; any other one stands for the whole.
            if any(write(part, flag.value) for part in parts):
                done.append(parts)
            if tell:
                tell(number, len(conversations))
    lines = [flag.told(done)] if done or not already else []
    call.answer(_facts(call, flag, done, spared, already), [*lines, *_were(flag, already)])
    return exits.OK


def _were(flag: _Flag, already: Sequence[Parts]) -> list[str]:
    """The line about conversations that were so before, if there are any."""
    return [f"{_much(already)} {'was' if len(already) == 1 else 'were'} {flag.already}."] if already else []


def _much(conversations: Sequence[Parts]) -> str:
    return matched(len(conversations), sum(map(len, conversations)))


def _facts(
    call: Call, flag: _Flag, done: Sequence[Parts], spared: int, already: Sequence[Parts] = ()
) -> dict[str, Any]:
    return {
        "sessions": [part for parts in done for part in parts],
        "already": [part for parts in already for part in parts],
        "conversations": len(done),
        flag.column: flag.value,
        "open_skipped": spared,
        "dry_run": call.is_rehearsal,
    }


def _require(db: SessionDB, column: str) -> None:
    """Refuse before anything is asked.

    Raises:
        VersionTooOld: The store cannot hold the flag.
    """
    from storage import VersionTooOld

    if not db.reading().layout.has("sessions", column):
        raise VersionTooOld("sessions", column)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="*", help="a session, by its id or a beginning that only it has"
    )
    add_filters(parser)


COMMANDS: Final = {
    "archive": Command(
        _run, "Put conversations out of the lists: those named, or those ended ones that filters choose.",
        _options, by_source=True,
    ),
    "unarchive": Command(
        _run, "Put archived conversations back into the lists.", _options, by_source=True
    ),
    "pin": Command(
        _run, "Pin conversations to the top of the list, where no prune takes them.", _options, by_source=True
    ),
    "unpin": Command(_run, "Let pinned conversations go.", _options, by_source=True),
}  # fmt: skip
