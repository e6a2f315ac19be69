"""The family of a session, with the reason of every edge."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.conversation.lineage import family
from storage.errors import UnknownSession
from storage.readings import Lineage, LineageNode
from storage.records import Edge
from tests.support.listed import Opened
from tests.support.stores import BuildV11, CopyStore


def shape(found: Lineage) -> list[tuple[int, str, Edge]]:
    return [(node.depth, node.id, node.edge) for node in found.nodes]


FAMILY = """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id, model_config, title)
    VALUES
    ('top', 'cli', 1780000000, 1780001000, 'compression', NULL, NULL, 'talk'),
    ('second', 'cli', 1780001000, 1780002000, 'compression', 'top', NULL, 'talk #2'),
    ('tip', 'cli', 1780002000, NULL, NULL, 'second', NULL, 'talk #3'),
    ('dead', 'cli', 1780000900, 1780000950, 'compression', 'top', NULL, NULL),
    ('dead tip', 'cli', 1780000950, 1780000990, 'cli_close', 'dead', NULL, NULL),
    ('branch', 'cli', 1780002500, NULL, NULL, 'second', '{"_branched_from": "second"}', 'other way'),
    ('agent', 'cli', 1780001100, 1780001200, 'agent_close', 'second', '{"_delegate_from": "second"}', NULL),
    ('agent of agent', 'cli', 1780001150, 1780001160, 'agent_close', 'agent', NULL, NULL),
    ('stranger', 'cli', 1780000000, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO messages(session_id, role, content, timestamp)
    SELECT id, 'user', 'words of ' || id, started_at + 1 FROM sessions;"""


def test_a_family_is_one_tree_that_ends_with_the_live_line(build_v11: BuildV11, opened: Opened) -> None:
    found = family(opened(build_v11(FAMILY)), "agent of agent")
    assert shape(found) == [
        (0, "top", Edge.ROOT),
        (1, "dead", Edge.COMPRESSED),
        (2, "dead tip", Edge.COMPRESSED),
        (1, "second", Edge.COMPRESSED),
        (2, "agent", Edge.SUBAGENT),
        (3, "agent of agent", Edge.SUBAGENT),
        (2, "branch", Edge.BRANCH),
        (2, "tip", Edge.COMPRESSED),
    ]
    assert [(node.id, node.parent) for node in found.nodes] == [
        ("top", None),
        ("dead", "top"),
        ("dead tip", "dead"),
        ("second", "top"),
        ("agent", "second"),
        ("agent of agent", "agent"),
        ("branch", "second"),
        ("tip", "second"),
    ]


@pytest.mark.parametrize(
    ("asked", "tip"),
    [
        ("top", "tip"),
        ("second", "tip"),
        ("tip", "tip"),
        ("dead", "tip"),
        ("dead tip", "tip"),
        ("branch", "branch"),
        ("agent", "agent"),
        ("agent of agent", "agent of agent"),
    ],
)
def test_any_relative_finds_the_same_family_and_its_own_live_tip(
    asked: str, tip: str, build_v11: BuildV11, opened: Opened
) -> None:
    reader = opened(build_v11(FAMILY))
    found = family(reader, asked)
    assert shape(found) == shape(family(reader, "top"))
    assert found.tip == tip
    assert [node.id for node in found.nodes if node.live] == [tip]


def test_each_part_says_where_hermes_goes_on_from_it(build_v11: BuildV11, opened: Opened) -> None:
    found = family(opened(build_v11(FAMILY)), "top")
    assert {node.id: node.chain for node in found.nodes} == {
        "top": "tip",
        "second": "tip",
        "tip": "tip",
        "dead": "dead tip",
        "dead tip": "dead tip",
        "branch": "branch",
        "agent": "agent",
        "agent of agent": "agent of agent",
    }


def test_only_untitled_parts_are_previewed(build_v11: BuildV11, opened: Opened) -> None:
    found = family(opened(build_v11(FAMILY)), "top")
    assert {node.id: node.preview for node in found.nodes if node.preview} == {
        "dead": "words of dead",
        "dead tip": "words of dead tip",
        "agent": "words of agent",
        "agent of agent": "words of agent of agent",
    }


def test_every_part_has_its_own_figures_and_the_family_their_sum(
    copy_store: CopyStore, opened: Opened
) -> None:
    found = family(opened(copy_store("state-v22-0.19.0.db")), "20261101_120000_ac801e")
    assert found == Lineage(
        nodes=(
            LineageNode(
                id="20261030_120000_894196",
                parent=None,
                depth=0,
                edge=Edge.ROOT,
                title="my project",
                source="cli",
                live=False,
                messages=4,
                tokens=15400,
                cost=0.0869,
                started_at=1793361600.0,
                chain="20261106_120000_fe1472",
            ),
            LineageNode(
                id="20261101_120000_ac801e",
                parent="20261030_120000_894196",
                depth=1,
                edge=Edge.COMPRESSED,
                title="my project #2",
                source="cli",
                live=False,
                messages=4,
                tokens=27100,
                cost=0.142,
                started_at=1793534400.0,
                chain="20261106_120000_fe1472",
            ),
            LineageNode(
                id="20261106_120000_fe1472",
                parent="20261101_120000_ac801e",
                depth=2,
                edge=Edge.COMPRESSED,
                title="my project #3",
                source="cli",
                live=True,
                messages=4,
                tokens=38200,
                cost=0.2103,
                started_at=1793966400.0,
                chain="20261106_120000_fe1472",
            ),
        ),
        messages=12,
        tokens=80700,
        cost=0.0869 + 0.142 + 0.2103,
        tip="20261106_120000_fe1472",
    )


def test_families_of_the_stored_stores(copy_store: CopyStore, opened: Opened) -> None:
    reader = opened(copy_store("state-v23-extras.db"))
    assert shape(family(reader, "20261122_121424_9948c6")) == [
        (0, "20261122_120000_95687a", Edge.ROOT),
        (1, "20261122_121424_9948c6", Edge.SUBAGENT),
        (1, "20261122_121550_b25b06", Edge.SUBAGENT),
        (1, "20261122_122136_df3091", Edge.SUBAGENT),
    ]
    assert shape(family(reader, "20261126_095000_e10002")) == [
        (0, "20261126_090000_e10001", Edge.ROOT),
        (1, "20261126_095000_e10002", Edge.RESET),
    ]
    assert shape(family(reader, "20261126_100000_e10003")) == [
        (0, "20261126_100000_e10003", Edge.ROOT),
        (1, "20261126_102500_e10004", Edge.RESET),
    ]
    assert shape(family(reader, "20260930_120000_47f10b")) == [
        (0, "20260930_120000_47f10b", Edge.ROOT),
        (1, "20260930_142400_b163d4", Edge.BRANCH),
    ]
    assert shape(family(reader, "20261126_110000_e10005")) == [(0, "20261126_110000_e10005", Edge.MISSING)]
    assert shape(family(reader, "20260920_120000_e53125")) == [(0, "20260920_120000_e53125", Edge.SUBAGENT)]
    alone = family(reader, "20261127_120000_edef2d")
    assert (alone.messages, alone.tokens, alone.cost) == (0, 0, None)


@pytest.mark.parametrize("name", ["state-v1.db", "state-v6.db", "state-v14-0.16.0.db"])
def test_old_stores_have_families_too(name: str, copy_store: CopyStore, opened: Opened) -> None:
    found = family(opened(copy_store(name)), "20261030_120000_894196")
    assert [(node.id, node.messages, node.live) for node in found.nodes] == [
        ("20261030_120000_894196", 4, False),
        ("20261101_120000_ac801e", 4, False),
        ("20261106_120000_fe1472", 4, True),
    ]


def test_an_unknown_session_is_refused_by_name(build_v11: BuildV11, opened: Opened, tmp_path: Path) -> None:
    with pytest.raises(UnknownSession, match="'nobody' no longer exists"):
        family(opened(build_v11(FAMILY)), "nobody")
    (tmp_path / "none.db").touch()
    with pytest.raises(UnknownSession):
        family(opened(tmp_path / "none.db"), "nobody")


def test_loops_are_cut_open(build_v11: BuildV11, opened: Opened) -> None:
    reader = opened(
        build_v11(
            """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id) VALUES
            ('a', 'cli', 1780000001, 1780000002, 'compression', 'c'),
            ('b', 'cli', 1780000002, 1780000003, 'compression', 'a'),
            ('c', 'cli', 1780000003, 1780000004, 'compression', 'b'),
            ('below', 'cli', 1780000005, NULL, NULL, 'b'),
            ('self', 'cli', 1780000000, NULL, NULL, 'self');"""
        )
    )
    expected = [
        (0, "a", Edge.ROOT),
        (1, "b", Edge.COMPRESSED),
        (2, "below", Edge.COMPRESSED),
        (2, "c", Edge.COMPRESSED),
    ]
    for asked in ("a", "b", "c", "below"):
        assert shape(family(reader, asked)) == expected
        assert family(reader, asked).tip == "c"
    assert shape(family(reader, "self")) == [(0, "self", Edge.ROOT)]


def test_a_very_large_family_takes_no_statement_per_relative(
    build_v11: BuildV11, opened: Opened, ran: list[str]
) -> None:
    path = build_v11()
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.executescript(
            """INSERT INTO sessions(id, source, started_at, title) VALUES ('root', 'cli', 1779000000, 'root');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO sessions(id, source, started_at, parent_session_id)
            SELECT 'child' || i, 'cli', 1780000000 + i, 'root' FROM n;
            INSERT INTO messages(session_id, role, content, timestamp)
            SELECT id, 'user', 'hello ' || id, started_at FROM sessions;"""
        )
    reader = opened(path)
    ran.clear()
    found = family(reader, "child7")
    assert len(ran) == 3
    assert len(found.nodes) == found.messages == 20_001
    assert found.nodes[7].id == "child7"
    assert found.nodes[20_000].preview == "hello child20000"


def test_a_very_deep_family_is_no_deeper_than_it_is(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
        INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id)
        SELECT i, 'cli', 1780000000 + i, 1780000000 + i, 'compression', iif(i, i - 1, NULL) FROM n;"""
    )
    found = family(opened(path), "1500")
    assert [node.depth for node in found.nodes] == list(range(3000))
    assert found.tip == "2999"
    assert {node.chain for node in found.nodes} == {"2999"}
