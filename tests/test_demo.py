"""The demo's store: believable, whole, the same every time, and rich enough to show every feature."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from hermes_tui import demo
from storage import Edge, HiddenClass, Listing, MessageKind, SessionDB, Status, WritingNotSupported, parse

EVERY_CLASS = frozenset(HiddenClass)


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [
            str(row)
            for table in ("sessions", "messages")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")
        ]


def everything(store: SessionDB) -> Listing:
    return store.listing(show=EVERY_CLASS)


def test_two_demos_hold_the_same_rows(demo_path: Path, tmp_path: Path) -> None:
    assert dump(demo.make(tmp_path)) == dump(demo_path)


def test_a_demo_never_replaces_a_store(demo_path: Path) -> None:
    with pytest.raises(WritingNotSupported):
        demo.make(demo_path.parent)


def test_the_store_and_its_indexes_are_sound(demo_path: Path) -> None:
    with closing(sqlite3.connect(demo_path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("messages_fts", "messages_fts_trigram"):
            connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")


def test_conversations_and_hidden_classes(demo_store: SessionDB) -> None:
    listing = demo_store.listing()
    assert listing.total == len(listing.entries) == 57
    assert dict(listing.hidden) == {
        HiddenClass.ARCHIVED: 4,
        HiddenClass.SUBAGENT: 6,
        HiddenClass.CRON: 23,
        HiddenClass.TOOL: 4,
    }
    assert everything(demo_store).total == 94


def test_every_status_and_source_occurs(demo_store: SessionDB) -> None:
    rows = demo_store.details(everything(demo_store).entries)
    assert Counter(row.status for row in rows) == {
        Status.COMPLETE: 88,
        Status.INTERRUPTED: 2,
        Status.ERROR: 2,
        Status.EMPTY: 1,
        Status.RUNNING: 1,
    }
    assert {row.source for row in rows} == {
        "cli",
        "telegram",
        "discord",
        "slack",
        "acp",
        "cron",
        "tool",
        "subagent",
    }


def test_the_top_of_the_list(demo_store: SessionDB) -> None:
    rows = demo_store.details(demo_store.listing().entries[:8])
    assert [(row.title, row.pinned, row.status) for row in rows] == [
        ("weekly report", True, Status.COMPLETE),
        ("chapter nine", True, Status.COMPLETE),
        ("post-mortem: forty minutes without search", True, Status.COMPLETE),
        ("flaky checkout test", False, Status.RUNNING),
        ("Fix Docker Build #3", False, Status.COMPLETE),
        ("Sunday dinner for six", False, Status.COMPLETE),
        ("extract CartTotals", False, Status.COMPLETE),
        ("summarise the board deck", False, Status.ERROR),
    ]


def test_the_docker_family(demo_store: SessionDB) -> None:
    tip = next(
        row for row in demo_store.details(demo_store.listing().entries) if row.title == "Fix Docker Build #3"
    )
    assert tip.preview.startswith("The docker build of the shop image fails on CI since this morning")
    assert len(tip.parts) == 3
    family = demo_store.lineage(tip.parts[0])
    assert family.tip == tip.id
    assert [(node.depth, node.edge, node.title, node.live) for node in family.nodes] == [
        (0, Edge.ROOT, "Fix Docker Build", False),
        (1, Edge.COMPRESSED, "Fix Docker Build #2", False),
        (2, Edge.SUBAGENT, "read the logs", False),
        (2, Edge.BRANCH, "try podman", False),
        (2, Edge.COMPRESSED, "Fix Docker Build #3", True),
    ]


def test_a_branch_and_a_reset_are_rows_of_their_own(demo_store: SessionDB) -> None:
    edges = {row.title: row.edge for row in demo_store.details(demo_store.listing().entries)}
    assert edges["k8s with the database inside"] is Edge.BRANCH
    assert edges["try podman"] is Edge.BRANCH
    assert edges["Lisbon: the packing list"] is Edge.RESET


def test_no_child_is_older_than_its_parent(demo_path: Path) -> None:
    with closing(sqlite3.connect(demo_path)) as connection:
        assert connection.execute(
            "SELECT c.title FROM sessions c JOIN sessions p ON p.id = c.parent_session_id"
            " WHERE c.started_at < p.started_at"
        ).fetchall() == []  # fmt: skip


def test_the_long_conversation_was_compacted_and_rewound(demo_store: SessionDB) -> None:
    entry = next(
        entry
        for entry in demo_store.listing().entries
        if demo_store.details([entry])[0].title.startswith("port the")
    )
    talk = demo_store.transcript(entry.parts)
    assert len(talk.messages) == 133
    assert Counter(message.kind for message in talk.messages)[MessageKind.SUMMARY] == 1
    assert sum(message.compacted for message in talk.messages) == 73
    assert not any("rename all the files" in message.text for message in talk.messages)


def test_words_in_every_script_find_something(demo_store: SessionDB) -> None:
    found = {
        word: len(demo_store.search(parse(word)).hits) for word in ("docker", "137", "数据库重构", "flamingo")
    }
    assert found == {"docker": 10, "137": 4, "数据库重构": 1, "flamingo": 3}
