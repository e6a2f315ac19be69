"""`hermes-tui sessions export`: conversations as Markdown, HTML, JSON or JSONL."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_tui.cli import candidates, exits
from hermes_tui.cli.candidates import Candidates
from hermes_tui.cli.command import Call, Command, Misused
from hermes_tui.cli.filters import Chosen, add_filters, chosen
from hermes_tui.cli.naming import session_ids
from hermes_tui.cli.progress import progress, stopping
from hermes_tui.text.figures import plural

if TYPE_CHECKING:
    from hermes_tui.export import Exported, Format
    from storage import SessionDB

_STREAM: Final = "-"


def _run(call: Call) -> int:
    from hermes_tui.export import Exported

    said = call.said
    filters = chosen(said, call.options.clock())
    if said.session_id and filters:
        raise Misused("--session-id and filters cannot be mixed: give the one or the other.")
    if said.json and said.output == _STREAM:
        raise Misused(
            "--json answers on the output, which the export is to go to: give it a file, or no --json."
        )
    if not said.output:
        raise Misused("OUTPUT names no file: give one, a directory, or - for the output.")
    form = _format(said.format, said.output)
    with call.opened(read_only=True) as db:
        found = _found(db, filters, include_open=said.include_open) if not said.session_id else Candidates(())
        conversations = _conversations(call, db, found)
        _require_directory(call, len(conversations), form)
        # Everything is what a person takes for everything.
        unnamed = 0 if said.session_id or filters else db.info().unnamed
        if call.is_rehearsal or not conversations:
            done = Exported("" if said.output == _STREAM else said.output, len(conversations), 0)
        else:
            done = _write(call, db, conversations, form)
    _tell(call, done, form, filters, found, unnamed)
    return exits.INTERRUPTED if done.cancelled else exits.OK


def _found(db: SessionDB, filters: Chosen, *, include_open: bool) -> Candidates:
    # Without a filter everything goes, which is what a backup is for; a filter is for what has ended (spec 5.2).
    return candidates.find(
        db, include_open=include_open or not filters, **{"include_pinned": True, **filters.given}
    )


def _conversations(call: Call, db: SessionDB, found: Candidates) -> list[tuple[str, ...]]:
    """What is to be one document each: whole chains, or single sessions."""
    whole = call.said.lineage == "logical"
    if call.said.session_id:
        ids = session_ids(db, call.said.session_id)
        return (
            list(dict.fromkeys(db.conversation_parts(one) for one in ids))
            if whole
            else [(one,) for one in ids]
        )
    newest_first = reversed(found.chosen)
    return [
        parts for one in newest_first for parts in ([one.parts] if whole else [(id_,) for id_ in one.parts])
    ]


def _write(call: Call, db: SessionDB, conversations: list[tuple[str, ...]], form: Format) -> Exported:
    from hermes_tui.export import export
    from storage import Cancel

    cancel = Cancel()
    if call.said.output == _STREAM:
        with call.output.stream() as stream, stopping(cancel):
            return export(db, conversations, stream, form, redact=call.said.redact, cancel=cancel)
    to = Path(call.said.output)
    overwrite = call.said.force or call.said.yes
    # Unlike pathlib's, it takes any path; what is wrong with one is said when it is written.
    if not overwrite and os.path.isfile(to):
        place = call.output.show(str(to))
        call.confirm(f"{place} exists. Replace it?", f"{place} exists already, so nothing was exported")
        overwrite = True
    with progress(call.output, "Exporting") as tell, stopping(cancel):
        return export(
            db, conversations, to, form,
            redact=call.said.redact, overwrite=overwrite, progress=tell, cancel=cancel,
        )  # fmt: skip


def _tell(call: Call, done: Exported, form: Format, filters: Chosen, found: Candidates, unnamed: int) -> None:
    said, output = call.said, call.output
    noun = "session" if said.lineage == "single" else "conversation"
    number = plural(done.conversations, noun)
    if done.cancelled:
        lines = [f"Stopped: {number} exported."]
    elif not done.conversations:
        lines = [f"No sessions match ({filters})." if filters else "No sessions to export."]
    elif call.is_rehearsal:
        lines = [f"Would export {number} as {form.name}.", f"Dry run {output.marks.dash} nothing exported."]
    else:
        lines = [f"Exported {number} to {output.show(done.path)}"]
    facts: dict[str, Any] = {
        "path": done.path or None,
        "format": form.value,
        "lineage": said.lineage,
        "conversations": done.conversations,
        "messages": done.messages,
        "masked": done.masked,
        "missing": list(done.missing),
        "unnamed": unnamed,
        "open_skipped": found.spared,
        "cancelled": done.cancelled,
        "dry_run": call.is_rehearsal,
    }
    if said.output == _STREAM:
        for line in lines if call.is_rehearsal or not done.conversations else []:
            output.remark(line)
    else:
        call.answer(facts, lines)
    if done.masked:
        call.remark(f"{plural(done.masked, 'secret')} masked (--no-redact leaves them).")
    if done.missing:
        call.remark(f"{plural(len(done.missing), 'session')} gone meanwhile.")
    if unnamed:
        its = (
            "whose id is missing or no text: it" if unnamed == 1 else "whose ids are missing or no text: they"
        )
        call.remark(f"Without {plural(unnamed, 'session')} {its} cannot be named.")
    if found.spared:
        call.remark(f"{candidates.spared(found)[0]} (--include-open takes them too).")


def _format(typed: str | None, output: str) -> Format:
    """The format that was asked for, else that of the file's ending; JSONL for a directory or no ending.

    Raises:
        Misused: The ending is that of no format.
    """
    from hermes_tui.export import Format

    if typed is not None:
        return Format(typed)
    ending = _ending(output)
    if not ending:
        return Format.JSONL
    if ending not in list(Format):
        raise Misused(
            f"Nothing is exported as .{ending}: name the file .md, .html, .json or .jsonl, or say the --format."
        )
    return Format(ending)


def _ending(output: str) -> str:
    """What the name of a file ends with, in lower case; empty for a directory."""
    is_directory = output.endswith("/") or os.path.isdir(output)
    return "" if is_directory else Path(output).suffix.lower().lstrip(".")


def _require_directory(call: Call, documents: int, form: Format) -> None:
    """Refuse to make a directory that has the name of a file.

    Raises:
        Misused
    """
    from hermes_tui.export import Format

    output = call.said.output
    if form.is_document and documents > 1 and _ending(output) in list(Format):
        raise Misused(
            f"{output} holds one conversation, and these are {documents}: name a directory for their files"
            f" ({output.removesuffix(Path(output).suffix)}/), or a file for all of them (.jsonl)."
        )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        help="the file; a directory for several conversations as md or html; - for the output",
    )
    parser.add_argument(
        "--format",
        choices=("jsonl", "json", "md", "html"),
        help="without it the ending of OUTPUT decides, else jsonl",
    )
    parser.add_argument(
        "--session-id",
        metavar="ID",
        action="append",
        default=[],
        help="only this session, by its id or a beginning that only it has; may be repeated;"
        " --session-id=ID where the id begins with a dash",
    )
    parser.add_argument(
        "--lineage",
        choices=("single", "logical"),
        default="single",
        help="each session by itself, or the chain of its continuations as one",
    )
    masks = parser.add_mutually_exclusive_group()
    masks.add_argument(
        "--redact", action="store_true", default=None, help="mask secrets in json and jsonl, too"
    )
    masks.add_argument(
        "--no-redact", dest="redact", action="store_false", help="leave secrets in md and html"
    )
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--include-open", action="store_true", help="with filters: also what has not ended")
    add_filters(parser)


COMMANDS: Final = {
    "export": Command(
        _run,
        "Write conversations to files: those named, those ended ones that filters choose, or all there are.\n"
        "Markdown and HTML are to be read, their secrets masked; JSON and JSONL are exact, for `import`.",
        _options,
        by_source=True,
    )
}
