"""What a compression copied is told once."""

from __future__ import annotations

from hermes_tui.export.copies import without_copies
from storage.readings import Message, MessageKind


def say(
    words: str, session: str = "a", *, compacted: bool = False, role: str = "user", tool: str = ""
) -> list[Message]:
    """A message for each word; one in capitals is a summary."""
    return [
        Message(
            0,
            session,
            role,
            word,
            None,
            tool_name=tool,
            compacted=compacted,
            kind=MessageKind.SUMMARY if word.isupper() else MessageKind.MESSAGE,
        )
        for word in words.split()
    ]


def told(*parts: list[Message]) -> str:
    return " ".join(message.text for message in without_copies([one for part in parts for one in part]))


def test_the_end_that_is_kept_is_not_repeated() -> None:
    assert told(say("a b c d"), say("SUM c d e", "b")) == "a b c d SUM e"


def test_nor_is_the_beginning_before_the_summary() -> None:
    assert told(say("a b c d"), say("a SUM d e", "b")) == "a b c d SUM e"


def test_a_compression_within_its_session() -> None:
    assert told(say("a b c d", compacted=True), say("a SUM d e")) == "a b c d SUM e"


def test_every_part_is_compared_with_the_one_before_it() -> None:
    assert told(say("a b c"), say("SUM c d", "b"), say("SUMTWO c d e", "c")) == "a b c SUM d SUMTWO e"


def test_a_copied_result_was_shortened() -> None:
    before = say("a"), say("long", role="tool", tool="t")
    assert told(*before, say("SUM a", "b"), say("short b", "b", role="tool", tool="t")) == "a long SUM b"


def test_what_is_said_again_is_told_again() -> None:
    assert told(say("yes a b"), say("yes c", "b")) == "yes a b yes c"
    assert told(say("a a"), say("b a", "b")) == "a a b a"
    assert told(say("a a a")) == "a a a"
