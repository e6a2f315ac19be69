"""`hermes-tui sessions rename`: a session gets another title, or none."""

from __future__ import annotations

import argparse
from typing import Any, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.naming import session_id


def _run(call: Call) -> int:
    title = " ".join(call.said.title)
    with call.opened() as db:
        id_ = session_id(db, call.said.id)
        check = db.check_title(id_, title)
        if check.refusal is not None:
            raise check.refusal
        if not call.is_rehearsal:
            db.rename_session(id_, title)
    show = call.output.show
    if check.stripped and check.clean is not None:
        call.remark("What cannot be seen and superfluous blanks were left out.")
    if check.holder is not None and check.gives_way:
        call.remark(f"Session '{show(check.holder[0])}', which it continues, gives the title up.")
    facts: dict[str, Any] = {
        "id": id_,
        "title": check.clean,
        "stripped": check.stripped,
        "before": check.own,
        "title_taken_from": check.holder[0] if check.holder and check.gives_way else None,
        "dry_run": call.is_rehearsal,
    }
    named = f"renamed to: {show(check.clean)}" if check.clean is not None else "has no title any more."
    line = f"Session '{show(id_)}' {named}"
    call.answer(
        facts, [line, f"Dry run {call.output.marks.dash} nothing renamed."] if call.is_rehearsal else [line]
    )
    return exits.OK


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the session, by its id or a beginning that only it has")
    parser.add_argument(
        "title",
        metavar="TITLE",
        nargs="+",
        help="its words need no quotes; '' takes the title away; one that begins with a dash goes behind --",
    )


COMMANDS: Final = {
    "rename": Command(
        _run,
        "Give a session another title: at most 100 characters, and no other session's.",
        _options,
    )
}
