"""`hermes-tui sessions prune`: old conversations go, and a copy of them to the trash."""

from __future__ import annotations

import argparse
from typing import Final

from hermes_tui.cli import candidates, deleting, exits
from hermes_tui.cli.candidates import Candidate, Candidates
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.filters import Chosen, add_filters, chosen
from hermes_tui.text.figures import plural
from hermes_tui.text.relative_time import minute

_AGE: Final = 90
"""Days since the last activity where no filter says otherwise."""


def _run(call: Call) -> int:
    filters = chosen(call.said, call.options.clock()) or _old(call.options.clock())
    spares = {} if call.said.include_archived else {"archived": False}
    dash = call.output.marks.dash
    with call.opened() as db:
        found = candidates.find(db, **spares, **filters.given)
        foretold = {**found.facts(), "dry_run": call.is_rehearsal}
        if not found.chosen:
            call.answer(foretold, [f"No sessions match ({filters}).", *candidates.spared(found)])
            return exits.OK
        foretold["subagents_left"] = db.count_subagents([row["id"] for row in found.rows])
        lines = [
            *candidates.preview(found, str(filters), call.output, whole=call.is_rehearsal),
            *candidates.spared(found),
            *deleting.staying(foretold["subagents_left"]),
            deleting.copy(kept=not call.said.purge),
        ]
        if call.is_rehearsal:
            call.answer(foretold, [*lines, f"Dry run {dash} nothing deleted."])
            return exits.OK
        call.show(lines)
        call.confirm(f"Delete these {len(found.rows)} session(s) ({found.span})?", "Nothing was deleted")
        # Whoever answers takes their time, and meanwhile one of them may have been taken up again.
        going = _still(found.chosen, candidates.find(db, **spares, **filters.given))
        done = deleting.delete(
            call, db, [one.parts for one in going], with_subagents=False, keep_copy=not call.said.purge
        )
    lines = [f"Pruned {len(done.deleted)} session(s)."]
    if call.said.yes and done.deleted:
        lines += deleting.staying(foretold["subagents_left"])
    status = deleting.answer(call, done, foretold, lines)
    if revived := len(found.chosen) - len(going):
        call.remark(f"{plural(revived, 'conversation')} changed meanwhile and stayed.")
    return status


def _old(now: float) -> Chosen:
    before = now - _AGE * 86400
    return Chosen({"active_before": before}, (f"last active before {minute(before)}",))


def _still(confirmed: tuple[Candidate, ...], now: Candidates) -> list[Candidate]:
    """Those of the confirmed conversations that are just as they were."""
    left = {(one.parts, one.last_active) for one in now.chosen}
    return [one for one in confirmed if (one.parts, one.last_active) in left]


def _options(parser: argparse.ArgumentParser) -> None:
    add_filters(parser)
    parser.add_argument("--include-archived", action="store_true", help="delete archived ones, too")
    parser.add_argument("--purge", action="store_true", help="keep no copy: nothing brings them back")


COMMANDS: Final = {
    "prune": Command(
        _run,
        f"Delete ended conversations that were last active more than {_AGE} days ago, or those that filters choose."
        "\nOpen, pinned and archived ones are spared. A copy goes to the trash.",
        _options,
        by_source=True,
    )
}
