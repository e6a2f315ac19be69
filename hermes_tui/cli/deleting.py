"""`hermes-tui sessions delete`: sessions go, and a copy of them to the trash."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command
from hermes_tui.cli.naming import session_ids
from hermes_tui.cli.progress import progress, stopping
from hermes_tui.text.figures import plural, size
from hermes_tui.text.relative_time import minute
from hermes_tui.text.safe_text import cut, width

if TYPE_CHECKING:
    from hermes_tui.cli.output import Output
    from storage import DeletePreview, Deletion, SessionDB


_SHOWN: Final = 15
"""Sessions that a preview names, as `candidates` does."""


def delete(
    call: Call,
    db: SessionDB,
    conversations: Sequence[Sequence[str]],
    *,
    with_subagents: bool,
    keep_copy: bool,
) -> Deletion:
    """Delete what was confirmed, with a bar, and so that Ctrl+C stops between two conversations."""
    from storage import Cancel

    for one in db.interrupted_deletions():
        # The deletion that follows makes a step of it like any other, and nothing of one that had taken nothing.
        if one.sessions:
            gone = plural(len(one.sessions), "session")
            call.remark(f"The deletion {one.step} was cut off; {gone} had gone by then, and can be restored.")
    cancel = Cancel()
    with progress(call.output, "Deleting") as tell, stopping(cancel):
        return db.trash_sessions(
            conversations, with_subagents=with_subagents, keep_copy=keep_copy, progress=tell, cancel=cancel
        )


def copy(*, kept: bool) -> str:
    """Say whether there is a way back, before anything is deleted."""
    if kept:
        return "A copy goes to the trash, where it can be restored from for 30 days."
    return "No copy is kept: nothing brings them back."


def staying(subagents: int) -> list[str]:
    """The line about sessions that worked for what goes, and are in no list; none where there are none."""
    if not subagents:
        return []
    own = "its" if subagents == 1 else "their"
    return [f"{plural(subagents, 'subagent session')} {_stays(subagents)}, hidden, on {own} own"]


def answer(call: Call, done: Deletion, facts: Mapping[str, Any], lines: Iterable[str]) -> int:
    """Say what was deleted, how it can be taken back and what was left; returns the exit status.

    Args:
        facts: What `--json` says beside the deletion.
        lines: What a person reads of it; safe text.
    """
    try:
        call.answer({**facts, **_facts(done)}, lines)
        call.output.finish()
    finally:
        # Whoever reads the answer may have gone, and the deletion is done.
        if done.step and not call.options.demo and not call.said.json:
            call.output.aside(f"Undo: {call.again('trash', 'restore', done.step)}")
    if done.missing:
        gone = "was" if len(done.missing) == 1 else "were"
        call.remark(f"{plural(len(done.missing), 'session')} {gone} gone already.")
    if done.left:
        call.remark(f"{plural(done.left, 'conversation')} not deleted.")
    if done.failed is not None:
        call.output.error(str(done.failed))
        return exits.FAILED
    return exits.INTERRUPTED if done.cancelled else exits.OK


def _facts(done: Deletion) -> dict[str, Any]:
    return {
        "step": done.step or None,
        "deleted": list(done.deleted),
        "conversations": done.conversations,
        "messages": done.messages,
        "missing": list(done.missing),
        "left": done.left,
    }


def _run(call: Call) -> int:
    said = call.said
    with call.opened() as db:
        ids = session_ids(db, said.id)
        conversations: list[tuple[str, ...]] = [(one,) for one in ids]
        if said.chain:
            conversations = list(dict.fromkeys(db.conversation_parts(one) for one in ids))
        going = db.preview_delete(conversations, with_subagents=said.with_subagents)
        left = 0 if said.with_subagents else db.count_subagents(going.sessions)
        preview = [*_preview(db, going, call.output), *staying(left), copy(kept=not said.purge)]
        if call.is_rehearsal:
            dry = f"Dry run {call.output.marks.dash} nothing deleted."
            call.answer({**_foretold(going), "subagents_left": left, "dry_run": True}, [*preview, dry])
            return exits.OK
        if not said.yes:
            call.show(preview)
        call.confirm(_question(going, call.output), "Nothing was deleted")
        if going.running:
            call.confirm(f"{_running(going, call.output)} Delete it all the same?", "Nothing was deleted")
        done = delete(call, db, conversations, with_subagents=said.with_subagents, keep_copy=not said.purge)
    lines = [*_deleted(done, call.output), *(staying(left) if said.yes and done.deleted else [])]
    return answer(call, done, {"subagents_left": left, "dry_run": False}, lines)


def _question(going: DeletePreview, output: Output) -> str:
    if len(going.sessions) == 1:
        return f"Delete session '{output.show(going.sessions[0])}' and all its messages?"
    return f"Delete these {len(going.sessions)} sessions and all their messages?"


def _preview(db: SessionDB, going: DeletePreview, output: Output) -> Iterator[str]:
    parts = plural(going.parts, "session")
    subagents = f" and {plural(going.subagents, 'subagent session')}" if going.subagents else ""
    yield f"{parts}{subagents}: {plural(going.messages, 'message')}, about {size(going.size)}"
    for id_ in going.sessions[:_SHOWN]:
        name, title = output.show(id_), output.show(db.get_session_title(id_) or "")
        room = 60 if output.columns is None else min(60, max(output.columns - width(name) - 4, 0))
        yield f"  {name}  {cut(title, room, output.marks.ellipsis)}".rstrip()
    if len(going.sessions) > _SHOWN:
        yield f"  {output.marks.ellipsis} and {len(going.sessions) - _SHOWN} more"
    if going.newest is not None:
        times = dict.fromkeys(map(minute, (going.oldest, going.newest)))
        yield f"last active {' to '.join(times)}"
    if going.running:
        yield _running(going, output)
    if going.continuations:
        yield f"{plural(going.continuations, 'part')} of the same conversation {_stays(going.continuations)}"
    if going.branches:
        which = plural(going.branches, "branch or fresh start", "branches or fresh starts")
        yield f"{which} {_stays(going.branches)}, without a parent"


def _stays(number: int) -> str:
    return "stays" if number == 1 else "stay"


def _running(going: DeletePreview, output: Output) -> str:
    more = f" and {len(going.running) - 1} more" if len(going.running) > 1 else ""
    return f"Session '{output.show(going.running[0])}'{more} is running."


def _deleted(done: Deletion, output: Output) -> list[str]:
    if not done.deleted:
        return ["Nothing was deleted."]
    if len(done.deleted) == 1:
        return [f"Deleted session '{output.show(done.deleted[0])}'."]
    return [f"Deleted {len(done.deleted)} sessions."]


def _foretold(going: DeletePreview) -> dict[str, Any]:
    return {
        "sessions": list(going.sessions),
        "conversations": going.conversations,
        "messages": going.messages,
        "bytes": going.size,
        "oldest": going.oldest,
        "newest": going.newest,
        "running": list(going.running),
        "branches": going.branches,
        "continuations": going.continuations,
    }


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="+", help="a session, by its id or a beginning that only it has"
    )
    parser.add_argument(
        "--chain", action="store_true", help="delete the whole conversation that it is a part of"
    )
    parser.add_argument(
        "--with-subagents", action="store_true", help="delete the sessions that worked for it, too"
    )
    parser.add_argument("--purge", action="store_true", help="keep no copy: nothing brings it back")


COMMANDS: Final = {
    "delete": Command(
        _run,
        "Delete sessions with their messages. A copy goes to the trash, where it can be restored from for 30 days.",
        _options,
    )
}
