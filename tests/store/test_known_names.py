"""What is kept of titles and ids says the same as the store."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from storage import SessionDB, parse
from storage.engine.connection import Cancel, open_reader
from storage.finding import known_names, names
from tests.support.layouts import Row, write

PIECES = st.sampled_from(
    [
        "docker",
        "Docker",
        "build",
        "döcker",
        "do",
        "会",
        "会话",
        "修改docker服务",
        "C++",
        "100%",
        "->",
        " ",
        "  ",
        ".",
        "2026",
    ]
)
TITLES = st.one_of(
    st.none(), st.lists(PIECES, max_size=5).map(" ".join), st.lists(PIECES, max_size=5).map("".join)
)
IDS = st.sampled_from(
    ["20260801_120000_abc", "20260802_ABC", "docker", "cron_Docker_1", "会话", "a\tb", "a\nb", "İd", "build"]
)
QUERIES = st.lists(
    st.sampled_from(
        [
            "docker",
            "do",
            '"docker build"',
            "build",
            "-build",
            "OR",
            "会",
            "会话",
            "C++",
            "100%",
            "->",
            "2026",
            "abc",
            "ocke",
        ]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(IDS, TITLES, max_size=6), QUERIES, st.booleans(), st.sampled_from([1, 2_000]))
def test_what_is_kept_says_what_sql_says(
    sessions: dict[str, str | None], text: str, typing: bool, most: int
) -> None:
    query = parse(text, typing=typing)
    assume(query.is_search)
    rows = [Row(id_, "said") for id_ in sessions]
    titled: list[dict[str, Any]] = [{"id": id_, "title": title} for id_, title in sessions.items()]
    found = []
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as directory:
        path = write(Path(directory) / "state.db", "v23", rows, titled)
        patch.setattr(names, "MOST", most)
        for spared in (1_000, 0):
            patch.setattr(known_names, "SPARED", spared)
            with closing(open_reader(path)) as reader:
                found.append(names.named(reader, query, Cancel()))
    assert found[0] == found[1]


def test_nothing_is_kept_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading all titles takes longer than some searches: it pays where nobody commits in between."""
    path = write(tmp_path / "state.db", "v23", [Row("a", "said")], [{"id": "a", "title": "docker"}])
    read: list[None] = []
    really_read = known_names._read

    def noted(*args: Any) -> known_names.KnownNames | None:
        read.append(None)
        return really_read(*args)

    monkeypatch.setattr(known_names, "_read", noted)
    with SessionDB(path, read_only=True) as db, closing(sqlite3.connect(path)) as other:
        for number in range(2 * known_names.SPARED):
            db.search(parse("docker"))
            with other:
                other.execute("UPDATE sessions SET title = ?", (f"podman {number}",))
        assert read == []
        assert not db.search(parse("docker")).hits
        for _ in range(known_names.SPARED):
            db.search(parse("podman"))
        assert read == [None]
        assert [hit.entry.id for hit in db.search(parse("podman")).hits] == ["a"]
        with other:
            other.execute("UPDATE sessions SET title = 'docker'")
        assert not db.search(parse("podman")).hits
