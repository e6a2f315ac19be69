"""A line of nothing but exclusions leaves out whatever holds the word, however it is known."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import SessionDB, parse
from storage.finding import hits, holding
from tests.store.test_search_oracle import WIDE_ROWS, oracle
from tests.support.layouts import Row, write


@settings(max_examples=250, deadline=None)
@given(
    st.sampled_from(["v11", "v23", "v30", "none", "v23 rebuilding", "damaged"]),
    WIDE_ROWS,
    st.sampled_from(["docker", "café", "会话", "部署失败", "ok", "Docker会", "nowhere"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_what_holds_the_word_anywhere_is_left_out(
    layout: str, rows: list[Row], word: str, few_match: bool, few_remain: bool, alone: bool
) -> None:
    rows = [*rows, Row("a", "一个用中文写的店", active=0)]
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as directory,
        SessionDB(write(Path(directory) / "state.db", layout, rows), read_only=True) as db,
    ):
        patch.setattr(holding, "_FEW", 20_000 if few_match else 0)
        patch.setattr(holding, "_REMAINING", 1 if few_remain else 0)
        patch.setattr(holding, "_OTHERS", 1 if few_remain else 0)
        patch.setattr(holding, "_ALONE", 2_000 if alone else 0)
        left = {entry.id for entry in db.listing(parse(f"NOT {word} ")).entries}
        everyone = {entry.id for entry in db.listing().entries}
    assert left == everyone - set(oracle(rows, parse(f"{word} "), columns=4))


def test_the_index_is_asked_once_for_a_word_that_is_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Walking through all of its messages would take a second in a large store."""
    rows = [Row(f"s{n % 7}", "docker") for n in range(50)] + [Row("other", "podman")]
    with SessionDB(write(tmp_path / "state.db", "external", rows), read_only=True) as db:
        asked: list[str] = []
        read = db.searcher.one

        def one(sql: str, *rest: Any) -> Any:
            asked.append(sql)
            return read(sql, *rest)

        monkeypatch.setattr(db.searcher, "one", one)
        assert [entry.id for entry in db.listing(parse("-docker ")).entries] == ["other"]
    assert sum("DISTINCT m.session_id" in sql for sql in asked) == 1
    assert not any("json_group_array(found.id)" in sql for sql in asked)


def test_sessions_of_which_the_index_of_words_tells_nothing_are_looked_at_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Theirs are the only messages that are read, and which these are is asked once."""
    rows = [Row(f"s{n % 9}", "docker") for n in range(50)]
    rows += [Row("glued", "修改docker服务端"), Row("within", "dockerfile"), Row("other", "podman")]
    with SessionDB(write(tmp_path / "state.db", "v11", rows), read_only=True) as db:
        monkeypatch.setattr(holding, "_FEW", 0)
        monkeypatch.setattr(holding, "_ALONE", 0)
        looked_at: list[list[int]] = []
        verified = hits.verified

        def noted(*args: Any) -> Any:
            looked_at.append(json.loads(args[4][0]))
            return verified(*args)

        monkeypatch.setattr(hits, "verified", noted)
        assert {entry.id for entry in db.listing(parse("-docker ")).entries} == {"within", "other"}
    assert looked_at == [[51, 52]]
