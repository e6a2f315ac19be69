"""What a deletion takes and what it leaves, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hermes_tui.text.figures import count, plural, size
from hermes_tui.text.relative_time import day

if TYPE_CHECKING:
    from storage import DeletePreview, Deletion


def going(preview: DeletePreview) -> str:
    """What goes: "3 parts · 412 messages · 1.2 MB"."""
    pieces = []
    if preview.parts > preview.conversations:
        pieces.append(plural(preview.parts, "part"))
    pieces += [plural(preview.messages, "message"), size(preview.size)]
    return " · ".join(pieces)


def active(preview: DeletePreview) -> str:
    """When many were last active: "last active 2026-08-03 to 2026-11-29"; empty for one, or where nobody knows."""
    if preview.conversations < 2 or preview.oldest is None or preview.newest is None:
        return ""
    oldest, newest = day(preview.oldest), day(preview.newest)
    return f"last active {oldest}" if oldest == newest else f"last active {oldest} to {newest}"


def along(subagents: int, conversations: int) -> str:
    """What the box about subagents says."""
    return f"with {plural(subagents, 'subagent session')} that worked for {'it' if conversations < 2 else 'them'}"


def staying(preview: DeletePreview, *, part: bool) -> str:
    """What becomes of the rest of the family; `part`: one part of a conversation goes alone."""
    sentences = []
    if preview.continuations:
        sentences.append(
            f"{_of_the_rest(preview.continuations)} of the conversation {_stays(preview.continuations)};"
            " what continued this one stands alone then."
        )
    if preview.branches:
        whose = "its" if preview.conversations < 2 else "their"
        sentences.append(
            f"{plural(preview.branches, 'branch or fresh start', 'branches and fresh starts')}"
            f" {_stays(preview.branches)}, without {whose} parent."
        )
    if not sentences:
        sentences.append("Nothing else of the family is touched." if part else "Nothing else is touched.")
    if preview.missing:
        sentences.append(
            f"{plural(len(preview.missing), 'session')} of it {_is(preview.missing)} gone already."
        )
    return " ".join(sentences)


def running(preview: DeletePreview) -> str:
    """A warning; empty when nothing runs."""
    if not preview.running:
        return ""
    what = (
        "It is"
        if preview.conversations < 2
        else f"{count(len(preview.running))} of them {_is(preview.running)}"
    )
    return f"{what} running: a message came within the last ten minutes."


def deleted(deletion: Deletion, what: str) -> str:
    """What was done: to be said when it is over."""
    if not deletion.deleted and deletion.failed is not None:
        return str(deletion.failed)
    if not deletion.deleted:
        return (
            f"{what} was gone already; nothing was deleted." if deletion.missing else "Nothing was deleted."
        )
    done = deletion.conversations
    name = what if done == 1 and not deletion.left else plural(done, "conversation")
    said = f"Deleted {name}, {plural(deletion.messages, 'message')}"
    said += (
        "; u brings it back."
        if deletion.step and done == 1
        else "; u brings them back."
        if deletion.step
        else "."
    )
    if deletion.missing:
        said += f" {plural(len(deletion.missing), 'session')} {_was(deletion.missing)} gone already."
    return said + left(deletion.left, deletion.cancelled, str(deletion.failed or ""))


def left(number: int, cancelled: bool, why: str) -> str:
    """What was not come to, and why; empty when all was done."""
    if not number:
        return f" {why}" if why else ""
    rest = f" {plural(number, 'conversation')} {'is' if number == 1 else 'are'} as before"
    return f"{rest}: stopped." if cancelled or not why else f"{rest}: {why}"


def _of_the_rest(number: int) -> str:
    return "The other part" if number == 1 else f"The {count(number)} other parts"


def _stays(number: int) -> str:
    return "stays" if number == 1 else "stay"


def _is(ids: tuple[str, ...]) -> str:
    return "is" if len(ids) == 1 else "are"


def _was(ids: tuple[str, ...]) -> str:
    return "was" if len(ids) == 1 else "were"
