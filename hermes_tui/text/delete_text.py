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


def staying(preview: DeletePreview, *, part: bool, subagents: int = 0) -> str:
    """What becomes of the rest of the family.

    Args:
        part: One part of a conversation goes alone.
        subagents: Sessions that worked for what goes, and are not to go along.
    """
    sentences = []
    if preview.continuations:
        alone = "; what continued this one stands alone then" if preview.later else ""
        sentences.append(
            f"{_of_the_rest(preview.continuations)} of the conversation {_stays(preview.continuations)}{alone}."
        )
    if subagents:
        sentences.append(
            f"{plural(subagents, 'subagent session')} {_stays(subagents)}, hidden as before,"
            f" and {'stands' if subagents == 1 else 'stand'} alone then."
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


def deleted(deletion: Deletion, what: str, way_back: str = "u") -> str:
    """What was done: to be said when it is over.

    Args:
        what: What was to go, safe to print.
        way_back: The key or the command that takes it back.
    """
    if not deletion.deleted and deletion.failed is not None:
        return str(deletion.failed)
    if not deletion.deleted:
        return (
            f"{what} was gone already; nothing was deleted." if deletion.missing else "Nothing was deleted."
        )
    them = "it" if deletion.conversations == 1 else "them"
    said = f"Deleted {gone(deletion, what)}, {plural(deletion.messages, 'message')}"
    said += f"; {way_back} brings {them} back." if deletion.step else "."
    if deletion.missing:
        said += f" {plural(len(deletion.missing), 'session')} {_was(deletion.missing)} gone already."
    return said + left(deletion.left, deletion.cancelled, str(deletion.failed or ""))


def gone(deletion: Deletion, what: str) -> str:
    """What a deletion has taken of `what` was to go: "69 conversations" of 637."""
    one = deletion.conversations == 1 and not deletion.left
    return what if one else plural(deletion.conversations, "conversation")


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
