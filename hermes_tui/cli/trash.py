"""`hermes-tui sessions trash`: what was deleted, brought back or let go for good."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.naming import NoSuchSession
from hermes_tui.errors import BrowserError
from hermes_tui.text.figures import plural, size
from hermes_tui.text.relative_time import relative
from hermes_tui.text.safe_text import cut, fit

if TYPE_CHECKING:
    from hermes_tui.cli.output import Output
    from storage import Restored, SessionDB, TrashedStep


class NoSuchStep(BrowserError):
    """The trash holds no deletion that could be meant, or several."""


def _list(call: Call) -> int:
    with call.opened(read_only=True) as db:
        steps = db.list_trash()
    call.answer({"steps": [_facts(one) for one in steps]}, _table(call, steps))
    return exits.OK


def _table(call: Call, steps: tuple[TrashedStep, ...]) -> Iterator[str]:
    show = call.output.show
    if not steps:
        yield "The trash is empty."
        return
    now = call.options.clock()
    if call.output.columns is not None:
        yield from _screen_table(call.output, steps, now)
        return
    yield f"{'Step':<28} {'Deleted':<13} {'Sessions':>8} {'Messages':>8} {'Size':>9}  What"
    yield call.output.marks.rule * 110
    for one in steps:
        what, note = _what(one, show), _note(one)
        yield (
            f"{one.step:<28} {fit(relative(one.deleted_at, now), 13)} {len(one.sessions):>8} {one.messages:>8}"
            f" {size(one.size):>9}  {cut(what, 40, call.output.marks.ellipsis)}{note}"
        )


def _screen_table(output: Output, steps: Sequence[TrashedStep], now: float) -> Iterator[str]:
    """The same columns, in the width of the terminal; the step is never cut."""
    from hermes_tui.cli.columns import Column, table

    columns = (
        Column("Step", [one.step for one in steps], 5),
        Column("Deleted", [relative(one.deleted_at, now) for one in steps], 3),
        Column("Sessions", [str(len(one.sessions)) for one in steps], 2, align="right"),
        Column("Messages", [str(one.messages) for one in steps], 0, align="right"),
        Column("Size", [size(one.size) for one in steps], 1, align="right"),
        Column(
            "What",
            [(_note(one) + " " + _what(one, output.show)).strip() for one in steps],
            4,
            most=50,
            least=8,
        ),
    )
    yield from table(columns, output.columns or 0, output.marks)


def _what(one: TrashedStep, show: Callable[[str], str]) -> str:
    names = one.titles or one.sessions
    return ", ".join(map(show, names[:3])) + (", ..." if len(names) > 3 else "")


def _note(one: TrashedStep) -> str:
    return " (cut off)" if one.interrupted else ""


def _restore(call: Call) -> int:
    with call.opened() as db:
        step = _step(db, call.said.step)
        wanted = _wanted(step, call.said.id)
        if call.is_rehearsal:
            there = [one for one in wanted if db.get_session(one) is not None]
            facts = {"step": step.step, "sessions": wanted, "skipped": there, "dry_run": True}
            call.answer(facts, _foretold(call, len(wanted), len(there)))
            return exits.OK
        done = db.restore_trash(step.step, wanted if call.said.id else None)
    facts = {
        "step": step.step,
        "sessions": list(done.sessions),
        "messages": done.messages,
        "retitled": [{"id": id_, "title": was, "now": now} for id_, was, now in done.retitled],
        "skipped": list(done.skipped),
        "detached": list(done.detached),
        "dry_run": False,
    }
    call.answer(facts, _restored(call, done))
    return exits.OK


def _foretold(call: Call, wanted: int, there: int) -> Iterator[str]:
    yield f"Would restore {plural(wanted - there, 'session')}."
    if there:
        yield f"{plural(there, 'session')} skipped: there already, and left alone."
    yield f"Dry run {call.output.marks.dash} nothing restored."


def _restored(call: Call, done: Restored) -> Iterator[str]:
    show = call.output.show
    yield f"Restored {plural(len(done.sessions), 'session')} with {plural(done.messages, 'message')}."
    for id_, title, now in done.retitled:
        yield f"Session '{show(id_)}' is called '{show(now)}': another one is '{show(title)}' by now."
    if done.skipped:
        yield f"{plural(len(done.skipped), 'session')} skipped: there already, and left alone."
    if done.detached:
        yield f"{plural(len(done.detached), 'session')} without the parent, which is not here."


def _empty(call: Call) -> int:
    with call.opened() as db:
        steps = (_step(db, call.said.step),) if call.said.step else db.list_trash()
        what = _said(steps)
        if call.is_rehearsal or not steps:
            lines = (
                ["The trash is empty."] if not steps else [f"Would remove {what} from the trash for good."]
            )
            dry = [f"Dry run {call.output.marks.dash} nothing removed."] if call.is_rehearsal else []
            call.answer(
                {"removed": 0, "steps": [one.step for one in steps], "dry_run": call.is_rehearsal},
                lines + dry,
            )
            return exits.OK
        call.confirm(f"Remove {what} from the trash for good?", "Nothing was removed")
        # Only what was confirmed goes: another process may delete meanwhile, or empty the trash too.
        removed = sum(_removed(db, one) for one in steps)
    call.answer(
        {"removed": removed, "steps": [one.step for one in steps], "dry_run": False},
        [f"Removed {plural(removed, 'deletion')} from the trash."],
    )
    return exits.OK


def _removed(db: SessionDB, step: TrashedStep) -> int:
    from storage import UnknownStep

    try:
        return db.empty_trash(step.step)
    except UnknownStep:
        return 0


def _said(steps: Sequence[TrashedStep]) -> str:
    sessions, bytes_ = sum(len(one.sessions) for one in steps), sum(one.size for one in steps)
    return f"{plural(len(steps), 'deletion')} ({plural(sessions, 'session')}, {size(bytes_)})"


def _step(db: SessionDB, typed: str) -> TrashedStep:
    """The deletion that is meant by its name or by a beginning that only it has.

    Raises:
        NoSuchStep
    """
    found = [one for one in db.list_trash() if one.step.startswith(typed)] if typed else []
    if len(found) == 1 or (found and found[0].step == typed):
        return found[0]
    if not found:
        raise NoSuchStep(
            f"No deletion '{typed}' in the trash. `hermes-tui sessions trash list` shows what there is."
        )
    several = ", ".join(one.step for one in found[:4])
    raise NoSuchStep(f"'{typed}' begins several deletions: {several}. Type more of it.")


def _wanted(step: TrashedStep, typed: list[str]) -> list[str]:
    """The sessions of the deletion that are meant; all where none was named."""
    if not typed:
        return list(step.sessions)
    wanted: dict[str, None] = {}
    for one in typed:
        found = (
            [one] if one in step.sessions else [id_ for id_ in step.sessions if one and id_.startswith(one)]
        )
        if len(found) != 1:
            how = "is none" if not found else "begins several"
            raise NoSuchSession(f"'{one}' {how} of the sessions in {step.step}.")
        wanted[found[0]] = None
    return list(wanted)


def _facts(one: TrashedStep) -> dict[str, Any]:
    return {
        "step": one.step,
        "deleted_at": one.deleted_at,
        "conversations": one.conversations,
        "sessions": list(one.sessions),
        "titles": list(one.titles),
        "messages": one.messages,
        "bytes": one.size,
        "interrupted": one.interrupted,
    }


def _restore_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", metavar="STEP", help="the deletion, by its name in the list or its beginning")
    parser.add_argument("id", metavar="ID", nargs="*", help="only these of its sessions")


def _empty_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", metavar="STEP", nargs="?", help="only this deletion")


_PARTS: Final = {
    "list": Command(_list, "show what was deleted, the newest first", changes=False),
    "restore": Command(_restore, "bring back what a deletion took, exactly as it was", _restore_options),
    "empty": Command(_empty, "remove the copies for good", _empty_options),
}

COMMANDS: Final = {
    "trash": Command(
        _list,
        "What was deleted lies in the trash for 30 days, and can be brought back until then.",
        parts=_PARTS,
    )
}
