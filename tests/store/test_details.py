"""The rows of a page: figures and status of conversations."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from storage.finding import details
from storage.finding.listing import Lister
from storage.records import Conversation, Edge, Entry, HiddenClass, Sort, Status
from tests.store.row_of_store import NOW, listed
from tests.support.listed import Opened
from tests.support.stores import BuildV11, CopyStore

ROWS = {
    "20261106_120000_fe1472": (
        "my project #3",
        "Let's start my project: a session browser in Textual",
        12,
        80700,
    ),
    "6f1c2b1e-7a40-4c55-9a53-0d2f5a6b7c8d": ("acp editor fix", "Fix the failing unit test in editor", 2, 0),
    "20261129_000000_4a9315": ("find todos", "List the files and find TODOs", 8, 20100),
    "20261128_120000_8cd283": (
        "fourteen exchanges",
        "Question 1: how does step 1 of the build work? docker deployment",
        28,
        49000,
    ),
    "20261127_120000_edef2d": ("", "", 0, 0),
    "20261125_120000_191b24": ("نسخ احتياطي", "مرحبا، كيف يمكنني نسخ قاعدة البيانات احتياطيا؟", 3, 0),
    "20261124_120000_0f4dbe30": ("数据库重构", "请帮我把数据库迁移到新的服务器上，谢谢", 4, 2580),
    "20261122_120000_95687a": (
        "vector databases",
        "Research three vector databases and compare them",
        5,
        17500,
    ),
    "20261121_120000_b3cd915d": (
        "picture question",
        "What is on this picture? diagram of the pipeline [image]",
        2,
        3560,
    ),
    "20261117_120000_ed73f6b4": ("", "도커 배포가 실패했어요", 2, 0),
    "20261116_120000_b37c8d": ("rewound session", "keep this turn", 2, 0),
    "20261112_120000_bc2f39": ("broken json", "row with broken json", 2, 0),
    "20261110_120000_d40edb": ("", "first non-null user text comes third", 4, 0),
    "20261017_120000_58c471f0": ("", "What's the weather in Las Vegas?", 6, 1020),
    "20260930_142400_b163d4": ("", "Plan the kubernetes migration", 2, 0),
    "20260821_120000_085724": ("", "", 0, 0),
}
"""Title, preview, messages and tokens of some rows of the stored stores, read by hand."""
NOT_COMPLETE = {
    "20261127_120000_edef2d": Status.EMPTY,
    "20260821_120000_085724": Status.EMPTY,
    "20261125_120000_191b24": Status.INTERRUPTED,
    "20261112_120000_bc2f39": Status.INTERRUPTED,
    "20261110_120000_d40edb": Status.INTERRUPTED,
}


@pytest.mark.parametrize(
    "name", ["state-v22-0.19.0.db", "state-v22-delete-journal.db", "state-v23.db", "state-v23-cjk.db"]
)
def test_rows_of_the_stored_stores(name: str, copy_store: CopyStore, opened: Opened) -> None:
    found = listed(opened(copy_store(name)))
    assert len(found) == 38
    rows = {id_: found[id_] for id_ in ROWS}
    assert {id_: (row.title, row.preview, row.messages, row.tokens) for id_, row in rows.items()} == ROWS
    shown = {id_: row.status for id_, row in found.items() if row.hidden is None}
    assert {id_: status for id_, status in shown.items() if status is not Status.COMPLETE} == NOT_COMPLETE


def test_every_column_of_a_chain(copy_store: CopyStore, opened: Opened) -> None:
    found = listed(opened(copy_store("state-v22-0.19.0.db")))["20261106_120000_fe1472"]
    assert found == Conversation(
        id="20261106_120000_fe1472",
        title="my project #3",
        preview="Let's start my project: a session browser in Textual",
        source="cli",
        model="anthropic/claude-sonnet-4.6",
        started_at=1793361600.0,
        last_active=1795949998.75,
        ended_at=None,
        status=Status.COMPLETE,
        messages=12,
        tokens=80700,
        cost=0.0869 + 0.142 + 0.2103,
        parts=("20261030_120000_894196", "20261101_120000_ac801e", "20261106_120000_fe1472"),
        cwd="/home/user/project",
    )


def test_the_oldest_store_tells_what_it_knows(copy_store: CopyStore, opened: Opened) -> None:
    found = listed(opened(copy_store("state-v1.db")))
    row = found["20261106_120000_fe1472"]
    assert (row.title, row.cost, row.cwd, row.branch, row.archived, row.pinned) == (
        "",
        None,
        "",
        "",
        False,
        False,
    )
    assert row.preview == "Let's start my project: a session browser in Textual"
    assert row.messages == 12
    assert found["20261125_120000_191b24"].status is Status.INTERRUPTED
    assert found["20261116_120000_b37c8d"].messages == 2


def test_rows_keep_the_order_and_leave_out_what_is_gone(copy_store: CopyStore, opened: Opened) -> None:
    path = copy_store("state-v22-0.19.0.db")
    reader = opened(path)
    entries = Lister(reader).listing(None, Sort.ACTIVE, frozenset()).entries
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("DELETE FROM sessions WHERE id IN (?, '20261106_120000_fe1472')", (entries[3].id,))
    found = details.conversations(reader, (entries[4], entries[3], entries[0]), NOW)
    assert [row.id for row in found] == [entries[4].id, entries[0].id]
    assert found[1].title == "my project #2"
    assert found[1].messages == 8
    assert details.conversations(reader, (), NOW) == ()


def test_an_entry_of_unknown_sessions_is_no_row(build_v11: BuildV11, opened: Opened) -> None:
    entry = Entry(id="nobody", parts=("nobody",), last_active=None, source="cli")
    assert details.conversations(opened(build_v11()), [entry], NOW) == ()


def test_a_page_costs_the_same_few_statements_however_long_it_is(
    copy_store: CopyStore, opened: Opened, ran: list[str]
) -> None:
    reader = opened(copy_store("state-v22-0.19.0.db"))
    entries = Lister(reader).listing(None, Sort.ACTIVE, frozenset()).entries
    ran.clear()
    assert len(details.conversations(reader, entries[:4], NOW)) == 4
    few = len(ran)
    assert few == 3
    ran.clear()
    assert len(details.conversations(reader, entries[:6], NOW)) == 6
    assert len(ran) == few


# --- what the tip says and what earlier parts say for it


def test_an_untitled_tip_has_the_newest_title_of_its_line(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """ALTER TABLE sessions ADD COLUMN cwd TEXT; ALTER TABLE sessions ADD COLUMN git_branch TEXT;
        INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id, title, model, cwd,
            git_branch) VALUES
        ('a', 'cli', 1780000000, 1780000100, 'compression', NULL, 'first', 'model a', '/a', 'main'),
        ('b', 'cli', 1780000100, 1780000200, 'compression', 'a', 'second', NULL, '/b', NULL),
        ('dead', 'cli', 1780000150, 1780000250, 'cli_close', 'a', 'dead end', 'model d', '/d', 'dead'),
        ('c', 'telegram', 1780000200, 1780000300, 'cli_close', 'b', NULL, NULL, NULL, '');"""
    )
    (row,) = listed(opened(path)).values()
    assert row.id == "c"
    assert (row.title, row.model, row.cwd, row.branch) == ("second", "model a", "/b", "main")
    assert (row.source, row.started_at, row.ended_at) == ("telegram", 1780000000, 1780000300)
    assert row.parts == ("a", "b", "c", "dead")
    assert row.last_active == 1780000200


def test_figures_are_sums_over_all_parts_and_rubbish_counts_nothing(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id, input_tokens,
            output_tokens, estimated_cost_usd, actual_cost_usd) VALUES
        ('a', 'cli', 1780000000, 1780000100, 'compression', NULL, 10, 1, 0.5, NULL),
        ('b', 'cli', 1780000100, NULL, NULL, 'a', 'many', 2, 9.0, 0.25),
        ('dead', 'cli', 1780000150, 1780000250, 'cli_close', 'a', 9e999, x'00', 'dear', NULL),
        ('unknown', 'cli', 1700000000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
        INSERT INTO messages(session_id, role, content, timestamp) VALUES
        ('a', 'user', 'x', 1780000001), ('b', 'user', 'x', 1780000101), ('dead', 'user', 'x', 1780000151);"""
    )
    found = listed(opened(path))
    assert (found["b"].tokens, found["b"].cost, found["b"].messages) == (13, 0.75, 3)
    assert (found["unknown"].tokens, found["unknown"].cost, found["unknown"].messages) == (0, None, 0)


def test_flags_and_edges_reach_the_row(copy_store: CopyStore, opened: Opened) -> None:
    found = listed(opened(copy_store("state-v23-extras.db")))
    assert found["20261126_120000_e10006"].pinned
    assert found["20261027_120000_d6194c"].archived
    assert found["20261027_120000_d6194c"].hidden is HiddenClass.ARCHIVED
    assert found["20261126_095000_e10002"].edge is Edge.RESET
    assert [id_ for id_, row in found.items() if row.archived] == ["20261027_120000_d6194c"]


# --- counts


def test_taken_back_messages_do_not_count_and_compacted_ones_do(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """ALTER TABLE messages ADD COLUMN active INTEGER DEFAULT 1;
        ALTER TABLE messages ADD COLUMN compacted INTEGER DEFAULT 0;
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000);
        INSERT INTO messages(session_id, role, content, timestamp, active, compacted) VALUES
        ('s', 'user', 'taken back', 1780000001, 0, 0), ('s', 'user', 'archived', 1780000002, 0, 1),
        ('s', 'assistant', 'live', 1780000003, 1, 0), ('s', 'user', 'taken back too', 1780000004, 0, 0),
        ('s', 'assistant', 'not healed yet', 1780000005, NULL, 0);"""
    )
    row = listed(opened(path))["s"]
    assert row.messages == 3
    assert row.preview == "archived"
    assert row.status is Status.COMPLETE
    assert row.last_active == 1780000005


# --- status


@pytest.mark.parametrize(
    ("last", "ended", "seconds_ago", "status"),
    [
        (("assistant", "stop", None), True, 5, Status.COMPLETE),
        (("assistant", "stop", None), False, 601, Status.COMPLETE),
        (("assistant", "stop", None), False, 600, Status.RUNNING),
        (("assistant", None, '[{"id": 1}]'), True, 5, Status.INTERRUPTED),
        (("assistant", None, '[{"id": 1}]'), False, 5, Status.RUNNING),
        (("assistant", None, "[]"), True, 5, Status.COMPLETE),
        (("assistant", None, " null "), True, 5, Status.COMPLETE),
        (("assistant", None, "[broken"), True, 5, Status.INTERRUPTED),
        (("user", None, None), True, 5, Status.INTERRUPTED),
        (("user", None, None), False, 5, Status.RUNNING),
        (("user", None, None), False, 601, Status.INTERRUPTED),
        (("tool", None, None), False, 601, Status.INTERRUPTED),
        (("system", None, None), True, 5, Status.COMPLETE),
        (("assistant", "error", None), False, 5, Status.ERROR),
        (("assistant", "agent_error", None), True, 5, Status.ERROR),
        (("assistant", "content_filter", None), True, 5, Status.ERROR),
        (("assistant", "length", None), True, 5, Status.COMPLETE),
        (("user", None, None), False, -60, Status.RUNNING),
        (("user", None, None), False, -61, Status.INTERRUPTED),
    ],
)
def test_status_comes_from_the_last_message(
    last: tuple[str, str | None, str | None],
    ended: bool,
    seconds_ago: int,
    status: Status,
    build_v11: BuildV11,
    opened: Opened,
) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000);
        INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'assistant', 'x', 1780000001);"""
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute(
            """INSERT INTO messages(session_id, role, finish_reason, tool_calls, timestamp)
            VALUES ('s', ?, ?, ?, 1780001000)""",
            last,
        )
        if ended:
            writer.execute("UPDATE sessions SET ended_at = 1780001001")
    assert listed(opened(path), 1780001000.0 + seconds_ago)["s"].status is status


def test_bookkeeping_and_what_was_taken_back_do_not_decide_the_status(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """ALTER TABLE messages ADD COLUMN active INTEGER DEFAULT 1;
        INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000), ('m', 'cli', 1780000000);
        INSERT INTO messages(session_id, role, finish_reason, timestamp, active) VALUES
        ('s', 'user', NULL, 1780000001, 1), ('s', 'session_meta', NULL, 1780000002, 1),
        ('s', 'session_meta', NULL, 1780000003, 1), ('s', 'assistant', 'error', 1780000004, 0),
        ('m', 'session_meta', NULL, 1780000001, 1);"""
    )
    found = listed(opened(path))
    assert found["s"].status is Status.INTERRUPTED
    assert found["m"].status is Status.EMPTY


def test_the_status_is_that_of_the_tip_alone(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id) VALUES
        ('a', 'cli', 1780000000, 1780000100, 'compression', NULL), ('b', 'cli', 1780000100, NULL, NULL, 'a');
        INSERT INTO messages(session_id, role, content, timestamp) VALUES ('a', 'user', 'x', 1780000099);"""
    )
    row = listed(opened(path), 1780000110)["b"]
    assert row.status is Status.EMPTY
    assert row.messages == 1
