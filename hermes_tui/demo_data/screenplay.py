"""The screenplays of the demo: text files that a person can write, read into scenes.

    === docker-2: Fix Docker Build #2            a session: its key, its title (may be empty)
    source: cli; model: opus; last: 1d 3h        facts about it, `name: value`, on the one line below
    YOU: the build is red again                  a turn; its text goes on until the next word in capitals
    LATER: 20m                                   a pause before the next turn

Turns are YOU, THINKS (the reasoning of the turn that follows), HERMES, CALLS and RETURNS; a note in brackets
says what is special about one: `YOU (picture):`, `CALLS (read_file):`, `HERMES (error):`. COMPACTED and
SUMMARY are what a compaction leaves behind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

_TURN = re.compile(
    r"^(YOU|THINKS|HERMES|CALLS|RETURNS|LATER|COMPACTED|SUMMARY)(?: \(([^)]+)\))?:(?: |$)", re.MULTILINE
)
_SPAN = re.compile(r"(\d+)([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Turn:
    kind: str
    note: str
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One session."""

    key: str
    title: str
    facts: dict[str, str]
    turns: tuple[Turn, ...]


def seconds(span: str) -> int:
    """ "1d 3h" → 97200."""
    return sum(int(number) * _SECONDS[unit] for number, unit in _SPAN.findall(span))


def read(directory: Path) -> list[Scene]:
    """Every scene of every screenplay in a directory, repeated ones as often as they say."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(directory.glob("*.txt")))
    return [scene for text in texts for written in _scenes(text) for scene in _repeated(written)]


def _scenes(text: str) -> Iterator[Scene]:
    for block in text.split("\n=== ")[1:]:
        heading, facts, turns = block.split("\n", 2)
        key, _, title = heading.partition(":")
        yield Scene(key.strip(), title.strip(), _facts(facts), tuple(_turns(turns)))


def _facts(line: str) -> dict[str, str]:
    pairs = (fact.partition(":") for fact in line.split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _turns(text: str) -> Iterator[Turn]:
    pieces = _TURN.split(text)
    for kind, note, said in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        yield Turn(kind, note or "", said.strip())


def _repeated(scene: Scene) -> Iterator[Scene]:
    """A scene with `times` and `every` once for each time; {n} in it is a number that differs a little."""
    first, every = seconds(scene.facts["last"]), seconds(scene.facts.get("every", ""))
    times = int(scene.facts.get("times", "1"))
    if times == 1:
        yield scene
        return
    for index in range(times):
        number = str(418 + index * 7 % 60)
        yield Scene(
            f"{scene.key}-{index}",
            # Titles are unique in a store; Hermes numbers them.
            f"{scene.title} #{times - index}" if scene.title and index < times - 1 else scene.title,
            {**scene.facts, "last": f"{first + index * every}s"},
            tuple(replace(turn, text=turn.text.replace("{n}", number)) for turn in scene.turns),
        )
