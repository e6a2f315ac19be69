"""What the index is asked about the most relevant, and what it could not tell anyway."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from storage import SearchOrder, parse
from storage.engine.connection import Reader
from storage.finding import relevance
from tests.support.layouts import Row, write
from tests.support.searching import opened


@pytest.mark.parametrize(
    ("line", "weighed"),
    [("docker ", False), ("dock", False), ("podman ", True), ("pod", True), ("docker podman ", True)],
)
def test_what_more_than_half_of_the_messages_hold_is_not_weighed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, weighed: bool
) -> None:
    """It takes the index as long as all of them, and bm25 gives each the same next to nothing."""
    rows = [Row(f"s{n}", "docker podman" if n % 5 < 2 else "docker") for n in range(20)]
    asked: list[str] = []
    run = Reader.json

    def noted(self: Reader, sql: str, params: Sequence[Any] = (), cancel: Any = None) -> Any:
        asked.append(sql)
        return run(self, sql, params, cancel)

    monkeypatch.setattr(relevance, "ENOUGH", 8)
    with opened(write(tmp_path / "state.db", "external", rows)) as db:
        monkeypatch.setattr(Reader, "json", noted)
        result = db.search(parse(line), order=SearchOrder.RELEVANT)
    assert any("bm25" in sql for sql in asked) is weighed
    assert len(result.hits) == (20 if line.startswith("dock") and " p" not in line else 8)


def test_of_few_hits_the_best_comes_first_wherever_the_word_stands(tmp_path: Path) -> None:
    rows = [Row("often", "docker docker docker"), Row("once", "docker and a great deal that is not")]
    with opened(write(tmp_path / "state.db", "external", rows)) as db:
        result = db.search(parse("docker "), order=SearchOrder.RELEVANT)
    assert [hit.entry.id for hit in result.hits] == ["often", "once"]


def test_only_what_the_filters_leave_is_weighed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the first and the last of few there may be very many others."""
    rows = [Row("few" if n in (0, 4, 19) else f"s{n}", f"docker {n}") for n in range(20)]
    weighed: list[int] = []
    run = relevance._weights

    def noted(*given: Any) -> Any:
        weights = run(*given)
        weighed.extend(weights)
        return weights

    monkeypatch.setattr(relevance, "_weights", noted)
    sessions = [{"id": "few", "source": "telegram"}]
    with opened(write(tmp_path / "state.db", "external", rows, sessions)) as db:
        result = db.search(parse("source:telegram docker "), order=SearchOrder.RELEVANT)
    assert sorted(weighed) == [1, 5, 20]
    assert [(hit.entry.id, hit.hits) for hit in result.hits] == [("few", 3)]
