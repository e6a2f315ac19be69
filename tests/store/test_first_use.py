"""What a filter reads when it is first asked for: no more of the store than its answer needs."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import Cancel, Entry, Interrupted, SessionDB, parse
from storage.finding import facts, known_names
from storage.finding.facts import Facts
from storage.finding.terms import Term
from tests.support.layouts import write
from tests.support.stores import NOW, BuildV11

THEN = NOW - 86_400

TITLED = f"""
ALTER TABLE sessions ADD COLUMN cwd TEXT;
ALTER TABLE sessions ADD COLUMN git_branch TEXT;
INSERT INTO sessions(id, source, title, started_at, ended_at, end_reason, parent_session_id) VALUES
('plain', 'cli', 'docker notes', {THEN - 10}, NULL, NULL, NULL),
('first', 'cli', 'docker build', {THEN - 90}, {THEN - 80}, 'compression', NULL),
('tip', 'cli', 'other things', {THEN - 80}, NULL, NULL, 'first'),
('begun', 'cli', 'Docker, begun', {THEN - 70}, {THEN - 60}, 'compression', NULL),
('goes on', 'cli', NULL, {THEN - 60}, NULL, NULL, 'begun'),
('none', 'cli', NULL, {THEN - 20}, NULL, NULL, NULL),
('another', 'cli', 'podman', {THEN - 30}, NULL, NULL, NULL);
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

    def noting(own: Facts, key: str, entries: Sequence[Entry] | None, cancel: Cancel | None = None) -> None:
        learned.append(["all"] if entries is None else sorted(entry.id for entry in entries))
        learn(own, key, entries, cancel)

    monkeypatch.setattr(Facts, "learn", noting)
    titled.listing(parse("title:docker "))
    assert learned == [["goes on", "plain", "tip"]]


LEARNT = ["dir:x", "branch:x", "model:x", "cost:>1", "tokens:>1", "msgs:>1", "is:error"]


@pytest.mark.parametrize("line", LEARNT)
def test_what_is_learnt_while_a_value_is_typed_is_not_read_again(
    titled: SessionDB, ran: list[str], monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """A slice with each step: whoever searches meanwhile goes on from there."""
    monkeypatch.setattr(facts, "SLICE", 2)
    monkeypatch.setattr(facts, "MANY", 0)
    titled.listing()
    ran.clear()
    key = line.partition(":")[0]
    learning = titled.learning(key)
    next(learning)
    titled.listing(parse(f"{line} "), fresh=False)
    assert len(ran) == (3 if key == "is" else 4)
    for _ in learning:
        pass
    titled.listing(parse(f"-{line} "), fresh=False)
    assert len(ran) == (3 if key == "is" else 4)


def test_nothing_is_learnt_before_the_list_is_read_or_after_the_store_moved_on(titled: SessionDB) -> None:
    assert list(titled.learning("cost")) == []
    titled.listing()
    learning = titled.learning("cost")
    next(learning)
    titled.listing()
    assert list(learning) == []
    assert len(list(titled.learning("cost"))) == 1


@pytest.mark.parametrize("steps", [1, 9])
@pytest.mark.parametrize("key", ["dir", "cost", "msgs", "is"])
def test_what_others_write_leaves_the_rest_learnt(
    titled: SessionDB, ran: list[str], monkeypatch: pytest.MonkeyPatch, key: str, steps: int
) -> None:
    """Where an agent is at work, nothing would be known for longer than a second."""
    monkeypatch.setattr(facts, "SLICE", 2)
    monkeypatch.setattr(facts, "MANY", 0)
    titled.listing()
    titled.changes()
    for _ in islice(titled.learning(key), steps):
        pass
    with closing(sqlite3.connect(titled.path)) as other, other:
        for id_, parent in (("new", None), ("longer", "plain")):
            other.execute(
                "INSERT INTO sessions(id, source, cwd, started_at, estimated_cost_usd, parent_session_id)"
                " VALUES (?, 'cli', '/srv', ?, 3, ?)",
                (id_, NOW - 70_000, parent),
            )
        other.execute(
            "UPDATE sessions SET end_reason = 'compression', ended_at = ? WHERE id = 'plain'", (THEN,)
        )
        for id_ in ("new", "longer", "none"):
            other.execute(
                "INSERT INTO messages(session_id, role, content, timestamp, finish_reason)"
                " VALUES (?, 'assistant', 'x', ?, 'error')",
                (id_, NOW - 60_000),
            )
        other.execute("UPDATE sessions SET cwd = '/srv', estimated_cost_usd = 3 WHERE id = 'none'")
    assert titled.changes() is not None
    lines = {"dir": "dir:/srv", "cost": "cost:3", "msgs": "msgs:2", "is": "is:error"}
    ran.clear()
    left = {entry.id for entry in titled.listing(parse(f"{lines[key]} "), fresh=False).entries}
    assert left == ({"longer", "none", "tip", "goes on"} if key == "msgs" else {"new", "longer", "none"})
    if steps == 9:
        assert len(ran) == (2 if key == "is" else 0)
    assert titled.listing(parse(f"{lines[key]} ")).entries == tuple(
        entry for entry in titled.listing().entries if entry.id in left
    )


@pytest.mark.parametrize("key", ["source", "id", "title", "after", "has", "role", "http"])
def test_what_costs_nothing_is_not_learnt(titled: SessionDB, key: str) -> None:
    titled.listing()
    assert list(titled.learning(key)) == []


@pytest.mark.parametrize("key", ["cost", "is"])
def test_learning_stops_when_it_is_cancelled_and_keeps_what_it_read(
    titled: SessionDB, ran: list[str], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(facts, "SLICE", 2)
    titled.listing()
    cancel = Cancel()
    learning = titled.learning(key, cancel)
    next(learning)
    cancel.cancel()
    with pytest.raises(Interrupted):
        next(learning)
    ran.clear()
    for _ in titled.learning(key):
        pass
    assert len(ran) == (2 if key == "is" else 3)


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
