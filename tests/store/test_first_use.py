"""What a filter reads when it is first asked for: no more of the store than its answer needs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import Cancel, Entry, SessionDB, parse
from storage.finding import known_names
from storage.finding.facts import Facts
from storage.finding.terms import Term
from tests.support.layouts import write
from tests.support.stores import NOW, BuildV11

TITLED = f"""
INSERT INTO sessions(id, source, title, started_at, ended_at, end_reason, parent_session_id) VALUES
('plain', 'cli', 'docker notes', {NOW - 10}, NULL, NULL, NULL),
('first', 'cli', 'docker build', {NOW - 90}, {NOW - 80}, 'compression', NULL),
('tip', 'cli', 'other things', {NOW - 80}, NULL, NULL, 'first'),
('begun', 'cli', 'Docker, begun', {NOW - 70}, {NOW - 60}, 'compression', NULL),
('goes on', 'cli', NULL, {NOW - 60}, NULL, NULL, 'begun'),
('none', 'cli', NULL, {NOW - 20}, NULL, NULL, NULL),
('another', 'cli', 'podman', {NOW - 30}, NULL, NULL, NULL);
INSERT INTO messages(session_id, role, content, timestamp) SELECT id, 'user', 'docker', started_at FROM sessions;
"""


@pytest.fixture
def titled(build_v11: BuildV11) -> Iterator[SessionDB]:
    with SessionDB(build_v11(TITLED), read_only=True, clock=lambda: NOW) as db:
        yield db


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("title:docker", ["plain", "goes on"]),
        ("title:dock", ["plain", "goes on"]),
        ("-title:docker", ["none", "another", "tip"]),
        ("title:docker title:podman", ["plain", "another", "goes on"]),
        ("title:ocker", []),
    ],
)
def test_a_title_is_the_newest_one_of_the_conversation(titled: SessionDB, line: str, left: list[str]) -> None:
    assert [entry.id for entry in titled.listing(parse(f"{line} ")).entries] == left


def test_titles_are_read_of_what_has_one_that_holds_it(
    titled: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[list[str]] = []
    learn = Facts.learn

    def noting(facts: Facts, key: str, entries: Sequence[Entry] | None, cancel: Cancel | None = None) -> None:
        learned.append(["all"] if entries is None else sorted(entry.id for entry in entries))
        learn(facts, key, entries, cancel)

    monkeypatch.setattr(Facts, "learn", noting)
    titled.listing(parse("title:docker "))
    assert learned == [["goes on", "plain", "tip"]]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.sampled_from(["docker notes", "Café 50%", "会话 docker", "修改docker服务端", "c++", "-", None])
    ),
    st.sampled_from(["docker", "dock", "cafe", "50%", "c++", "会", "-", "docker notes", "x"]),
    st.sampled_from([0, known_names.SPARED]),
)
def test_a_title_holds_what_a_look_at_each_says(titles: list[str | None], value: str, spared: int) -> None:
    sessions = [{"id": f"s{number}", "title": title} for number, title in enumerate(dict.fromkeys(titles))]
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as directory,
        SessionDB(write(Path(directory) / "state.db", "v23", [], sessions), read_only=True) as db,
    ):
        patch.setattr(known_names, "SPARED", spared)
        found = {entry.id for entry in db.listing(parse(f'title:"{value}" ')).entries}
    term = Term(value, prefix=True)
    assert found == {one["id"] for one in sessions if term.matches(one["title"] or "")}
