"""How much matches a search, counted behind its first page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from storage import Cancel, HiddenClass, Interrupted, SearchOrder, SessionDB, parse
from storage.finding import counting, index
from tests.support.layouts import Row, write

ROWS = [
    Row("old", "docker"),
    *(Row(f"s{n % 5}", "docker") for n in range(20)),
    *(Row(f"cron{n}", "docker") for n in range(4)),
    *(Row("archived", "docker") for _ in range(3)),
]
SESSIONS: list[dict[str, Any]] = [
    *({"id": f"cron{n}", "source": "cron"} for n in range(4)),
    {"id": "archived", "archived": 1},
    {"id": "called", "title": "docker"},
]
EVERYTHING = {"old": 1, "s0": 4, "s1": 4, "s2": 4, "s3": 4, "s4": 4, "called": 0}
HIDDEN = {HiddenClass.CRON: 4, HiddenClass.ARCHIVED: 1}
QUERY = parse("docker ")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(index, "SLICE", 3)
    return write(tmp_path / "state.db", "external", ROWS, SESSIONS)


@pytest.mark.parametrize("order", SearchOrder)
def test_all_of_it_from_where_the_first_page_stopped(path: Path, order: SearchOrder) -> None:
    with SessionDB(path, read_only=True) as db:
        page = db.search(QUERY, limit=1, order=order)
        count = db.count_matches(QUERY, after=page)
        assert (dict(count.hits), dict(count.hidden), count.exact) == (EVERYTHING, HIDDEN, True)
        # The page is as it was, and goes on as it would have.
        assert db.count_matches(QUERY, after=page) == count
        assert {hit.entry.id: hit.hits for hit in db.search(QUERY, after=page).hits} == EVERYTHING


def test_without_a_page(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        assert dict(db.count_matches(QUERY).hits) == EVERYTHING
        shown = db.count_matches(QUERY, frozenset({HiddenClass.CRON}))
        assert dict(shown.hidden) == {HiddenClass.ARCHIVED: 1}
        assert len(shown.hits) == len(EVERYTHING) + 4


def test_filters_count(path: Path) -> None:
    with SessionDB(path, read_only=True) as db:
        count = db.count_matches(parse("docker source:cron"))
        assert dict(count.hits) == {f"cron{n}": 1 for n in range(4)}
        assert (dict(count.hidden), count.exact) == ({}, True)


def test_more_conversations_than_are_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST", 3)
    with SessionDB(path, read_only=True) as db:
        count = db.count_matches(QUERY)
        assert not count.exact
        assert set(count.hits) == {"called", "s4", "s3", "s2"}


@pytest.mark.parametrize("layout", ["external", "none"])
def test_more_messages_than_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setattr(counting, "_LOOKED_AT", 10)
    monkeypatch.setattr("storage.finding.scan.SLICE", 20)
    monkeypatch.setattr(index, "SLICE", 20)
    rows = [Row("a", "docker" if n % 2 or layout == "external" else "else") for n in range(100)]
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        count = db.count_matches(QUERY)
    assert (dict(count.hits), count.exact) == ({"a": 10 if layout == "external" else 5}, False)


def test_what_is_cancelled_stops(path: Path) -> None:
    cancel = Cancel()
    cancel.cancel()
    with SessionDB(path, read_only=True) as db, pytest.raises(Interrupted):
        db.count_matches(QUERY, cancel=cancel)
