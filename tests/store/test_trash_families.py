"""Random families with hostile rows: whatever is deleted, in whatever order it is taken back, nothing differs."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from storage import SessionDB
from storage.engine.within import Within
from storage.keeping.trash_values import BadText, mark
from tests.support.raw import raw_rows
from tests.support.stores import NOW

IDS = [f"s{number}" for number in range(7)]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
bad_text = st.sampled_from([b"\xff", b"ab\xc3", b"\xed\xa0\x80", b"\x00\xfe"]).map(BadText)
value = st.one_of(
    st.none(),
    text,
    bad_text,
    st.binary(max_size=8),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.sampled_from(["[bold]x[/]", "\x1b[31m", "\u202e", "日本語のテスト", "a\x00b", "x" * 100]),
)
config = st.sampled_from(
    [None, "{}", "[1]", "no json", '{"_delegate_from": "s1"}', '{"_branched_from": "s0"}', '{"a": 1.0}']
) | bad_text  # fmt: skip
sessions = st.lists(
    st.fixed_dictionaries(
        {
            "parent_session_id": st.sampled_from([None, "nobody", *IDS, *IDS]),
            "source": st.sampled_from(["cli", "cli", "subagent", "tool", "telegram"]),
            "end_reason": st.sampled_from([None, "compression", "compression", "branched", "idle", "x"]),
            "ended_at": st.sampled_from([None, NOW - 5, float("inf")]),
            "session_key": st.sampled_from([None, "k"]),
            "model_config": config,
            "title": st.none() | text | bad_text,
            "archived": st.booleans().map(int),
            "pinned": st.booleans().map(int),
            "message_count": st.integers(0, 9),
            "system_prompt": value,
        }
    ),
    min_size=3,
    max_size=len(IDS),
)
messages = st.lists(
    st.tuples(
        st.sampled_from(IDS),
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["user", "assistant", "tool"]),
                "content": value,
                "tool_calls": value,
                "timestamp": st.sampled_from([NOW - 10, 0, float("-inf")]),
                "active": st.booleans().map(int),
                "compacted": st.booleans().map(int),
            }
        ),
    ),
    max_size=8,
)
deletions = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, None]), st.booleans()), min_size=len(IDS), max_size=len(IDS)
)
"""For each session the step that it goes in, and in which of two conversations of that step."""


def insert(within: Within, table: str, row: dict[str, Any]) -> None:
    names, marks = ", ".join(row), ", ".join(mark(value) for value in row.values())
    within.connection.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(row.values()))


def filled(path: Path, people: list[dict[str, Any]], said: list[tuple[str, dict[str, Any]]]) -> SessionDB:
    """A new store with these rows, references that lead nowhere or round in a circle included."""
    db = SessionDB(path, clock=lambda: NOW)

    def work(within: Within) -> None:
        titles: set[object] = set()
        for number, (id_, row) in enumerate(zip(IDS, people, strict=False)):
            title = None if row["title"] in titles else row["title"]
            titles.add(title)
            insert(within, "sessions", {**row, "id": id_, "title": title, "started_at": NOW - 100 + number})
        for session_id, message in said:
            if session_id in IDS[: len(people)]:
                insert(within, "messages", {**message, "session_id": session_id})
                model = {"session_id": session_id, "model": f"m{within.one('SELECT max(id) FROM messages')}"}
                insert(within, "session_model_usage", model)

    db.write(work, touches_messages=True, foreign_keys=False)
    return db


@settings(max_examples=40)
@given(
    people=sessions,
    said=messages,
    deletions=deletions,
    with_subagents=st.booleans(),
    order=st.permutations(range(3)),
)
def test_taken_back_in_any_order(
    people: list[dict[str, Any]],
    said: list[tuple[str, dict[str, Any]]],
    deletions: list[tuple[int | None, bool]],
    with_subagents: bool,
    order: list[int],
) -> None:
    with tempfile.TemporaryDirectory() as place, filled(Path(place) / "state.db", people, said) as db:
        before = raw_rows(db.path)
        exports = {id_: json.dumps(db.export_session(id_, exact=True)) for id_ in IDS}
        made = []
        for step in range(3):
            conversations = [
                [id_ for id_, place in zip(IDS, deletions, strict=True) if place == (step, second)]
                for second in (False, True)
            ]
            preview = db.preview_delete(conversations, with_subagents=with_subagents)
            deletion = db.trash_sessions(conversations, with_subagents=with_subagents)
            assert deletion.failed is None
            assert set(deletion.deleted) == set(preview.sessions)
            assert (deletion.messages, set(deletion.missing)) == (preview.messages, set(preview.missing))
            made.append(deletion.step)
        assert [one.step for one in db.list_trash()] == [name for name in reversed(made) if name]
        for step in order:
            if made[step]:
                db.restore_trash(made[step])
        assert raw_rows(db.path) == before
        assert {id_: json.dumps(db.export_session(id_, exact=True)) for id_ in IDS} == exports
        assert db.list_trash() == ()
        assert db.reader.rows("PRAGMA integrity_check") == [("ok",)]


@settings(max_examples=30)
@given(people=sessions, said=messages, order=st.permutations(range(len(IDS))))
def test_taken_back_one_session_at_a_time(
    people: list[dict[str, Any]], said: list[tuple[str, dict[str, Any]]], order: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as place, filled(Path(place) / "state.db", people, said) as db:
        before = raw_rows(db.path)
        here = IDS[: len(people)]
        deletion = db.trash_sessions([here[:3], here[3:]])
        assert sorted(deletion.deleted) == here
        for left, id_ in enumerate((IDS[one] for one in order if one < len(here)), 1 - len(here)):
            assert db.restore_trash(deletion.step, [id_]).sessions == (id_,)
            assert [len(one.sessions) for one in db.list_trash()] == ([-left] if left else [])
        assert raw_rows(db.path) == before
