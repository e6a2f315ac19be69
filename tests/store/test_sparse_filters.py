"""Whether a filter reads rows of what is met, or of all at once, goes by how many of those that are met it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from storage import Cancel, Entry, SessionDB, parse
from storage.finding import filters, search
from storage.finding.catalog import Catalog
from storage.finding.facts import Facts
from tests.support.layouts import Row, write

SESSIONS = 400


@pytest.mark.parametrize(
    ("every", "number", "whole"),
    [(1, 60, False), (4, 60, False), (100, 4, True), (1_000, 1, True)],
)
def test_all_are_looked_at_when_few_of_those_met_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int, number: int, whole: bool
) -> None:
    monkeypatch.setattr(filters, "MANY", 0)
    monkeypatch.setattr(filters, "_ON_THE_WAY", 1)
    learned: list[int] = []
    learn = Facts.learn

    def noting(facts: Facts, key: str, entries: Sequence[Entry], cancel: Cancel | None = None) -> None:
        learned.append(len(entries))
        learn(facts, key, entries, cancel)

    monkeypatch.setattr(Facts, "learn", noting)
    rows = [Row(f"s{n}", "docker") for n in range(SESSIONS)]
    rows += [Row(f"s{n}", "more") for n in range(0, SESSIONS, every)]
    with SessionDB(write(tmp_path / "state.db", "v23", rows), read_only=True) as db:
        result = db.search(parse("docker msgs:>1 "))
        assert [hit.entry.id for hit in result.hits[:number]] == [
            f"s{n}" for n in reversed(range(0, SESSIONS, every))
        ][:number]
        assert (max(learned) == SESSIONS) is whole


@pytest.mark.parametrize(
    ("met", "left", "conversations", "better"),
    [
        (101, 0, 10_000, True),
        (101, 2, 10_000, True),
        (101, 3, 10_000, False),
        (400, 10, 10_000, True),
        (400, 30, 10_000, False),
        (101, 0, 50_000, False),
        (200, 0, 50_000, True),
        (101, 5, 1_000, True),
    ],
)
def test_looking_at_all_is_weighed_against_the_way_to_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, met: int, left: int, conversations: int, better: bool
) -> None:
    assert met > search._MET
    monkeypatch.setattr(filters, "MANY", 0)
    with SessionDB(write(tmp_path / "state.db", "v23", [Row("a", "x")]), read_only=True) as db:
        entry = db.listing().entries[0]
        known = Catalog((entry,) * conversations, {}), db._lister.known()[1]
        monkeypatch.setattr(db._lister, "known", lambda: known)
        choice = filters.choice(db.reader, db._lister, parse("x msgs:>1"), 0, Cancel())
        assert choice is not None
        assert choice.is_better_settled(met, left) is better
