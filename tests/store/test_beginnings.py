"""A word that has only begun, beside others: the index is not asked for all that begin so."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from storage.engine.connection import Cancel
from storage.finding import routes
from storage.finding.routes import Part
from storage.finding.sieve import Sieve, Sieved
from tests.support.layouts import Row, write
from tests.support.searching import found, look

ROWS = [
    Row("a", "docker build"),
    Row("b", "docker ps"),
    Row("c", "a build"),
    Row("d", "before it, build it"),
    Row("e", "docker\nbuilt"),
]


def asked(path: Path, text: str, *, is_weighed: bool = False) -> str | None:
    """MATCH for the index of words where what it offers is looked at; None where it finds what matches."""
    with SessionDB(path, read_only=True) as db:
        plan = routes.plan(db.searcher, parse(text), Cancel(), Part(is_weighed=is_weighed))
    route = plan.stretches[-1].route
    if not isinstance(route, Sieved):
        return None
    words = route.sieves[0]
    assert isinstance(words, Sieve)
    return words.match


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("docker b", '("docker")'),
        ("docker it bu", '("docker" AND "it")'),
        ("docker b* OR it b", '("docker") OR ("it")'),
        ("docker bui", None),
        ("docker z", None),
        ("docker OR b", None),
        ("b", None),
    ],
)
def test_the_others_are_asked_for(tmp_path: Path, text: str, match: str | None) -> None:
    path = write(tmp_path / "state.db", "v11", ROWS)
    assert asked(path, text) == match
    assert asked(path, text, is_weighed=True) is None


@pytest.mark.parametrize(
    ("text", "sessions"),
    [
        ("docker b", {"a", "e"}),
        ("docker p", {"b"}),
        ("it b", {"d"}),
        ("docker OR b", set("abcde")),
        ("docker b* OR it b", {"a", "d", "e"}),
    ],
)
@pytest.mark.parametrize("layout", ["none", "v11", "v23"])
def test_what_begins_so_is_found(tmp_path: Path, layout: str, text: str, sessions: set[str]) -> None:
    path = write(tmp_path / "state.db", layout, ROWS)
    assert set(found(look(path, text, typing=True))) == sessions
