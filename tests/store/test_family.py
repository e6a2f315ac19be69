"""The rules that turn sessions into conversations (product: Session list)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.conversation.family import Chain, Kin, chains, edge, edges, links, markers, readable
from storage.records import Edge

NOBODY = Kin(
    id="nobody",
    parent=None,
    source="cli",
    started_at=None,
    ended_at=None,
    ended=False,
    end_reason="",
    session_key="",
    markers=frozenset(),
    last_active=None,
    archived=False,
    hidden=False,
    pinned=False,
)


def kin(id_: str, parent: str | None = None, **facts: Any) -> Kin:
    return NOBODY._replace(id=id_, parent=parent, **facts)


def by_id(everyone: Iterable[Kin]) -> dict[str, Kin]:
    return {one.id: one for one in everyone}


# --- one edge


@pytest.mark.parametrize(
    ("child", "parent", "why"),
    [
        ({"markers": frozenset({"delegate"})}, None, Edge.SUBAGENT),
        ({"source": "subagent"}, None, Edge.SUBAGENT),
        ({"markers": frozenset({"delegate", "branch"})}, {"end_reason": "compression"}, Edge.SUBAGENT),
        ({"markers": frozenset({"branch"})}, {}, Edge.BRANCH),
        ({"markers": frozenset({"branch"})}, {"end_reason": "compression"}, Edge.BRANCH),
        ({"started_at": 20.0}, {"end_reason": "branched", "ended_at": 20.0}, Edge.BRANCH),
        ({"started_at": 19.0}, {"end_reason": "branched", "ended_at": 20.0}, Edge.SUBAGENT),
        ({"started_at": None}, {"end_reason": "branched", "ended_at": 20.0}, Edge.SUBAGENT),
        ({"markers": frozenset({"reset"})}, {}, Edge.RESET),
        ({"markers": frozenset({"reset"})}, {"end_reason": "compression"}, Edge.RESET),
        ({"session_key": "k"}, {"end_reason": "idle", "session_key": "k"}, Edge.RESET),
        ({"session_key": "k"}, {"end_reason": "idle", "session_key": "other"}, Edge.SUBAGENT),
        ({"session_key": ""}, {"end_reason": "idle", "session_key": ""}, Edge.SUBAGENT),
        ({"session_key": "k"}, {"end_reason": "idle_reset", "session_key": "k"}, Edge.SUBAGENT),
        ({"started_at": 1.0}, {"end_reason": "compression", "ended_at": 20.0}, Edge.COMPRESSED),
        ({"source": "tool"}, {"end_reason": "compression"}, Edge.SUBAGENT),
        ({}, {"end_reason": "agent_close"}, Edge.SUBAGENT),
        ({}, {}, Edge.SUBAGENT),
    ],
)
def test_the_first_rule_that_fits(child: dict[str, Any], parent: dict[str, Any] | None, why: Edge) -> None:
    above = None if parent is None else kin("parent", **parent)
    assert edge(kin("child", None if parent is None else "parent", **child), above) is why


@pytest.mark.parametrize(
    "reason", ["session_reset", "session_switch", "idle", "daily", "suspended", "resume_pending_expired"]
)
def test_every_reset_reason_starts_afresh(reason: str) -> None:
    parent = kin("parent", end_reason=reason, session_key="k")
    assert edge(kin("child", "parent", session_key="k"), parent) is Edge.RESET


def test_without_a_parent_a_session_stands_alone() -> None:
    assert edge(kin("a"), None) is Edge.ROOT
    assert edge(kin("a", "gone"), None) is Edge.MISSING


# --- one chain


def test_a_chain_goes_on_in_what_was_compressed_then_in_what_is_open_then_in_the_latest() -> None:
    top = kin("top", ended=True, end_reason="compression")
    compressed = kin("compressed", "top", ended=True, end_reason="compression", last_active=1.0)
    open_ = kin("open", "top", last_active=2.0)
    closed = kin("closed", "top", ended=True, end_reason="cli_close", last_active=3.0)
    later = kin("later", "top", ended=True, end_reason="cli_close", last_active=4.0)

    def line(*children: Kin) -> tuple[str, ...]:
        (chain,) = chains(by_id([top, *children]))
        return chain.parts[: chain.main]

    assert line(closed, open_, compressed) == ("top", "compressed")
    assert line(closed, open_) == ("top", "open")
    assert line(later, closed) == ("top", "later")


def test_equal_continuations_are_told_apart_by_activity_start_and_id() -> None:
    top = kin("top", ended=True, end_reason="compression")
    a = kin("a", "top", started_at=5.0, last_active=9.0)
    b = kin("b", "top", started_at=6.0, last_active=8.0)
    assert chains(by_id([top, a, b])) == [Chain(("top", "a", "b"), 2, Edge.ROOT)]
    b = b._replace(last_active=9.0)
    assert chains(by_id([top, a, b])) == [Chain(("top", "b", "a"), 2, Edge.ROOT)]
    b = b._replace(started_at=5.0)
    assert chains(by_id([top, a, b])) == [Chain(("top", "b", "a"), 2, Edge.ROOT)]
    assert chains(by_id([top, b, a])) == [Chain(("top", "b", "a"), 2, Edge.ROOT)]


def test_dead_ends_follow_the_main_line_oldest_first_each_with_its_own_continuations() -> None:
    compressed: dict[str, Any] = {"ended": True, "end_reason": "compression"}
    family = by_id(
        [
            kin("top", started_at=1.0, **compressed),
            kin("late dead end", "top", started_at=4.0, ended=True, end_reason="x"),
            kin("early dead end", "top", started_at=2.0, **compressed),
            kin("its end", "early dead end", started_at=9.0, ended=True, end_reason="x"),
            kin("line", "top", started_at=3.0, last_active=50.0, **compressed),
            kin("tip", "line", started_at=5.0),
        ]
    )
    (chain,) = chains(family)
    assert chain.parts == ("top", "line", "tip", "early dead end", "its end", "late dead end")
    assert chain.main == 3
    assert chain.tip == "tip"


def test_a_subagent_that_was_compressed_stays_a_subagent() -> None:
    family = by_id(
        [
            kin("boss"),
            kin("agent", "boss", ended=True, end_reason="compression", markers=frozenset({"delegate"})),
            kin("agent goes on", "agent"),
        ]
    )
    assert chains(family) == [
        Chain(("boss",), 1, Edge.ROOT),
        Chain(("agent", "agent goes on"), 2, Edge.SUBAGENT),
    ]


def test_a_branch_in_the_middle_of_a_chain_is_a_chain_of_its_own() -> None:
    family = by_id(
        [
            kin("top", ended=True, end_reason="compression"),
            kin("tip", "top"),
            kin("side", "top", ended=True, end_reason="compression", markers=frozenset({"branch"})),
            kin("side goes on", "side"),
        ]
    )
    assert chains(family) == [
        Chain(("top", "tip"), 2, Edge.ROOT),
        Chain(("side", "side goes on"), 2, Edge.BRANCH),
    ]


# --- loops


def test_a_session_that_is_its_own_parent_is_a_row_of_its_own() -> None:
    for reason in ("", "compression", "branched"):
        assert chains(by_id([kin("a", "a", end_reason=reason)])) == [Chain(("a",), 1, Edge.ROOT)]


def test_a_loop_of_compressions_is_cut_at_its_oldest_session() -> None:
    family = by_id(
        [
            kin("c", "b", started_at=3.0, ended=True, end_reason="compression"),
            kin("a", "c", started_at=1.0, ended=True, end_reason="compression"),
            kin("b", "a", started_at=2.0, ended=True, end_reason="compression"),
        ]
    )
    assert chains(family) == [Chain(("a", "b", "c"), 3, Edge.ROOT)]


def test_a_loop_is_cut_where_it_does_not_tear_a_chain() -> None:
    family = by_id(
        [
            kin("a", "b", started_at=1.0),
            kin("b", "a", started_at=2.0, ended=True, end_reason="compression"),
        ]
    )
    assert chains(family) == [Chain(("b", "a"), 2, Edge.ROOT)]


def test_what_hangs_below_a_loop_keeps_its_place() -> None:
    family = by_id(
        [
            kin("a", "b", started_at=1.0),
            kin("b", "a", started_at=2.0),
            kin("below", "b", markers=frozenset({"branch"})),
        ]
    )
    above = links(family)
    assert above == {"b": "a", "below": "b"}
    assert edges(family, above) == {"a": Edge.ROOT, "b": Edge.SUBAGENT, "below": Edge.BRANCH}


def test_a_long_chain_needs_no_deep_stack() -> None:
    length = 5_000
    family = by_id(
        kin(str(n), str(n - 1) if n else None, ended=True, end_reason="compression") for n in range(length)
    )
    assert chains(family) == [Chain(tuple(map(str, range(length))), length, Edge.ROOT)]


# --- any forest, any loops


@st.composite
def any_family(draw: st.DrawFn) -> dict[str, Kin]:
    names = [f"s{n}" for n in range(draw(st.integers(0, 12)))]
    time = st.none() | st.sampled_from([10.0, 20.0, 30.0])
    return by_id(
        kin(
            name,
            draw(st.none() | st.sampled_from([*names, "gone"])),
            source=draw(st.sampled_from(["cli", "cli", "cli", "tool", "subagent"])),
            started_at=draw(time),
            ended_at=draw(time),
            ended=draw(st.booleans()),
            end_reason=draw(
                st.sampled_from(["compression", "compression", "compression", "branched", "idle", ""])
            ),
            session_key=draw(st.sampled_from(["", "k"])),
            markers=draw(st.frozensets(st.sampled_from(["delegate", "branch", "reset"]), max_size=1)),
            last_active=draw(time),
        )
        for name in names
    )


def joined_by_compression(family: Mapping[str, Kin]) -> set[frozenset[str]]:
    """Chains the slow way: whatever a compression edge touches is one."""
    groups = [{id_} for id_ in family]
    for one in family.values():
        parent = family.get(one.parent or "")
        if parent is not None and edge(one, parent) is Edge.COMPRESSED:
            meant = [group for group in groups if one.id in group or parent.id in group]
            groups = [group for group in groups if group not in meant] + [set().union(*meant)]
    return {frozenset(group) for group in groups}


def slow_line(top: str, members: frozenset[str], family: Mapping[str, Kin]) -> list[str]:
    line = [top]
    while True:
        children = [
            one
            for one in family.values()
            if one.id in members and one.parent == line[-1] and one.id != top
            and edge(one, family[line[-1]]) is Edge.COMPRESSED
        ]  # fmt: skip
        if not children:
            return line
        compressed = [one for one in children if one.end_reason == "compression"]
        open_ = [one for one in children if not one.ended]
        children = compressed or open_ or children
        line.append(max(children, key=lambda o: (o.last_active or 0, o.started_at or 0, o.id)).id)


@given(any_family())
def test_every_session_is_in_exactly_one_chain(family: dict[str, Kin]) -> None:
    found = chains(family)
    assert sorted(part for chain in found for part in chain.parts) == sorted(family)
    assert {frozenset(chain.parts) for chain in found} == joined_by_compression(family)


@given(any_family())
def test_the_main_line_is_what_a_walk_from_the_top_finds(family: dict[str, Kin]) -> None:
    for chain in chains(family):
        top = chain.parts[0]
        assert list(chain.parts[: chain.main]) == slow_line(top, frozenset(chain.parts), family)
        assert chain.edge is not Edge.COMPRESSED


@given(any_family())
def test_the_order_of_the_rows_changes_nothing(family: dict[str, Kin]) -> None:
    backwards = dict(reversed(family.items()))
    assert sorted(chains(backwards)) == sorted(chains(family))


@given(any_family())
def test_links_are_a_forest_and_lose_one_link_a_loop(family: dict[str, Kin]) -> None:
    above = links(family)
    for id_ in family:
        seen = []
        here: str | None = id_
        while here is not None:
            seen.append(here)
            here = above.get(here)
        assert len(seen) == len(set(seen))
    loops = set()
    for id_ in family:
        for _ in family:  # after so many steps whoever has a parent still is on a loop
            if (parent := family[id_].parent) not in family:
                break
            id_ = parent
        else:
            loop = {id_}
            while (parent := family[id_].parent) not in loop:
                assert parent is not None
                loop.add(id_ := parent)
            loops.add(frozenset(loop))
    lost = [one.id for one in family.values() if one.parent in family and one.id not in above]
    assert sorted(len(loop.intersection(lost)) for loop in loops) == [1] * len(loops)
    assert len(lost) == len(loops)


# --- what a row says


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ('{"_delegate_from": "p"}', {"delegate"}),
        ('{"_branched_from": "p", "temperature": 0.2}', {"branch"}),
        ('{"_reset_from": "p", "_delegate_from": "__orphaned__"}', {"reset", "delegate"}),
        ('{"_delegate_from": null}', set()),
        ('{"_delegate_from": false}', {"delegate"}),
        ('{"note": "_delegate_from"}', set()),
        ('{"nested": {"_delegate_from": "p"}}', set()),
        ('["_delegate_from"]', set()),
        ('{bad "_delegate_from"', set()),
        ("[" * 100_000 + '"_from"', set()),
        ("", set()),
        (None, set()),
        (b'{"_delegate_from": "p"}', set()),
        (7, set()),
    ],
)
def test_markers_are_read_from_any_text(config: object, found: set[str]) -> None:
    assert markers(config) == found


@given(st.text() | st.binary() | st.none() | st.integers())
def test_markers_never_raise(config: object) -> None:
    assert markers(config) <= {"delegate", "branch", "reset"}


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1780000000, 1780000000.0),
        (1780000000.5, 1780000000.5),
        (1893456000, 1893456000.0),
        (0, None),
        (-62135596800, None),
        (1780000000123, None),
        (float("inf"), None),
        (float("nan"), None),
        ("2026-05-01T10:00:00", None),
        ("1780000000", None),
        (True, None),
        (b"1", None),
        (None, None),
    ],
)
def test_only_a_believable_time_is_one(value: object, time: float | None) -> None:
    assert readable(value) == time
