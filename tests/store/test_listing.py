"""The list of conversations: what is in it, in which order, and what is not shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.engine.connection import open_reader
from storage.finding import listing as listing_module
from storage.finding.listing import Lister
from storage.finding.query import Filter, SessionQuery
from storage.records import Edge, Entry, HiddenClass, Listing, Sort
from tests.support.listed import ALL, NONE, SHOWN, Opened, ids
from tests.support.stores import BuildV11, CopyStore, write_v11

ARCHIVED = "20261027_120000_d6194c"

BEFORE_ARCHIVES = [*SHOWN[:23], ARCHIVED, *SHOWN[23:]]
"""A store without the column `archived` has nothing archived."""

WITH_EXTRAS = [
    "20261126_120000_e10006",
    *SHOWN[:7],
    "20261126_110000_e10005",
    "20261126_102500_e10004",
    "20261126_100000_e10003",
    "20261126_095000_e10002",
    SHOWN[7],
    "20261126_090000_e10001",
    *SHOWN[8:],
]

HIDDEN = {HiddenClass.SUBAGENT: 4, HiddenClass.CRON: 2, HiddenClass.TOOL: 1}
ALL_HIDDEN = {**HIDDEN, HiddenClass.ARCHIVED: 1}

STORED = {
    "empty-v22-0.19.0.db": ([], {}),
    "state-v1.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v2.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v3.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v4.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v5.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v6.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v7.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v8.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v9.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v10.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v11-0.13.0.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v13-0.15.2.db": (BEFORE_ARCHIVES, HIDDEN),
    "state-v14-0.16.0.db": (SHOWN, ALL_HIDDEN),
    "state-v16-0.17.0.db": (SHOWN, ALL_HIDDEN),
    "state-v19-0.18.2.db": (SHOWN, ALL_HIDDEN),
    "state-v22-0.19.0.db": (SHOWN, ALL_HIDDEN),
    "state-v22-delete-journal.db": (SHOWN, ALL_HIDDEN),
    "state-v23.db": (SHOWN, ALL_HIDDEN),
    "state-v23-cjk.db": (SHOWN, ALL_HIDDEN),
    "state-v23-extras.db": (WITH_EXTRAS, ALL_HIDDEN),
    "state-v23-legacyfts.db": (SHOWN, ALL_HIDDEN),
    "state-v23-rebuilding.db": (SHOWN, ALL_HIDDEN),
}


# --- the stored stores


def test_every_stored_store_has_its_list_written_down(stores: Path) -> None:
    assert sorted(STORED) == sorted(path.name for path in stores.glob("*.db"))


@pytest.mark.parametrize("name", STORED)
def test_a_stored_store_shows_what_was_counted_by_hand(
    name: str, copy_store: CopyStore, opened: Opened
) -> None:
    shown, hidden = STORED[name]
    lister = Lister(opened(copy_store(name)))
    whole = lister.listing(None, Sort.ACTIVE, NONE)
    assert ids(whole) == shown
    assert whole.hidden == hidden
    assert (whole.complete, whole.total) == (True, len(shown))
    assert lister.first_page(NONE, 60) == whole


def test_what_is_hidden_can_be_shown_class_by_class(copy_store: CopyStore, opened: Opened) -> None:
    lister = Lister(opened(copy_store("state-v22-0.19.0.db")))

    def added(hidden: HiddenClass) -> set[str]:
        found = lister.listing(None, Sort.ACTIVE, frozenset({hidden}))
        assert found.hidden == ALL_HIDDEN
        assert found.total == 30 + ALL_HIDDEN.get(hidden, 0)
        return set(ids(found)) - set(SHOWN)

    assert added(HiddenClass.ARCHIVED) == {ARCHIVED}
    assert added(HiddenClass.HIDDEN) == set()
    assert added(HiddenClass.TOOL) == {"20261127_000000_974e5c"}
    assert added(HiddenClass.CRON) == {"cron_a1b2c3_20261127_142400", "cron_a1b2c3_20261128_142400"}
    assert added(HiddenClass.SUBAGENT) == {
        "20260920_120000_e53125",
        "20261122_121424_9948c6",
        "20261122_121550_b25b06",
        "20261122_122136_df3091",
    }
    assert lister.listing(None, Sort.ACTIVE, ALL).total == 38


def test_an_entry_says_how_its_chain_is_made(copy_store: CopyStore, opened: Opened) -> None:
    found = Lister(opened(copy_store("state-v23-extras.db"))).listing(None, Sort.ACTIVE, NONE)
    by_id = {entry.id: entry for entry in found.entries}
    assert by_id["20261106_120000_fe1472"] == Entry(
        id="20261106_120000_fe1472",
        parts=("20261030_120000_894196", "20261101_120000_ac801e", "20261106_120000_fe1472"),
        last_active=1795949998.75,
        source="cli",
        main=3,
        started_at=1793361600.0,
    )
    edges = {id_[-6:]: entry.edge for id_, entry in by_id.items() if entry.edge is not Edge.ROOT}
    assert edges == {
        "e10002": Edge.RESET,
        "e10004": Edge.RESET,
        "e10005": Edge.MISSING,
        "edbab4": Edge.BRANCH,
        "b163d4": Edge.BRANCH,
    }
    assert [entry.id for entry in found.entries if entry.pinned] == ["20261126_120000_e10006"]


# --- order


def test_pins_stand_on_top_only_where_they_are_wanted(copy_store: CopyStore, opened: Opened) -> None:
    lister = Lister(opened(copy_store("state-v23-extras.db")))
    unpinned = ids(lister.listing(None, Sort.ACTIVE, NONE, pins_first=False))
    assert unpinned == [*WITH_EXTRAS[1:8], WITH_EXTRAS[0], *WITH_EXTRAS[8:]]
    assert ids(lister.listing(None, Sort.STARTED, NONE))[0] == "20261126_120000_e10006"


def test_orders(copy_store: CopyStore, opened: Opened) -> None:
    lister = Lister(opened(copy_store("state-v22-0.19.0.db")))

    def first(sort: Sort, count: int) -> list[str]:
        found = ids(lister.listing(None, sort, NONE))
        assert sorted(found) == sorted(SHOWN)
        return [id_[-6:] for id_ in found[:count]]

    assert first(Sort.STARTED, 3) == ["6b7c8d", "4a9315", "8cd283"]
    assert first(Sort.TITLE, 5) == ["973333", "196a2b", "6b7c8d", "8e328b", "bc2f39"]
    assert first(Sort.MESSAGES, 3) == ["8cd283", "fe1472", "4a9315"]
    assert first(Sort.TOKENS, 3) == ["fe1472", "0f5264", "8cd283"]
    assert first(Sort.COST, 3) == ["fe1472", "0f5264", "8cd283"]


def test_a_message_with_an_unbelievable_time_does_not_decide_the_last_activity(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at) VALUES ('s', 'cli', 1780000000);
        INSERT INTO messages(session_id, role, timestamp) VALUES ('s', 'user', 1780000005), ('s', 'user', 'now'),
        ('s', 'user', 1780000009123), ('s', 'user', 9e999), ('s', 'user', -9e999), ('s', 'user', x'00');"""
    )
    lister = Lister(opened(path))
    (entry,) = lister.listing(None, Sort.ACTIVE, NONE).entries
    assert entry.last_active == 1780000005
    assert lister.find("s") == entry


def test_a_chain_is_pinned_with_any_of_its_parts(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """ALTER TABLE sessions ADD COLUMN pinned INTEGER;
        INSERT INTO sessions(id, source, started_at, end_reason, parent_session_id, pinned) VALUES
        ('new', 'cli', 1780000009, NULL, NULL, 0), ('old', 'cli', 1780000001, 'compression', NULL, 1),
        ('tip', 'cli', 1780000002, NULL, 'old', 0);"""
    )
    found = Lister(opened(path)).listing(None, Sort.ACTIVE, NONE)
    assert [(entry.id, entry.pinned) for entry in found.entries] == [("tip", True), ("new", False)]


def test_a_title_is_compared_without_case_and_untitled_ones_come_last(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, title, parent_session_id) VALUES
        ('none', 'cli', 1780000009, NULL, NULL, NULL, NULL), ('b', 'cli', 1780000001, NULL, NULL, 'beta', NULL),
        ('B', 'cli', 1780000002, NULL, NULL, 'Beta', NULL), ('a', 'cli', 1780000003, NULL, NULL, 'ALPHA', NULL),
        ('r', 'cli', 1780000004, 1780000005, 'compression', 'aaa', NULL),
        ('t', 'cli', 1780000005, NULL, NULL, NULL, 'r');"""
    )
    lister = Lister(opened(path))
    assert ids(lister.listing(None, Sort.TITLE, NONE)) == ["t", "a", "B", "b", "none"]


def test_what_costs_nothing_known_comes_after_what_cost_nothing(build_v11: BuildV11, opened: Opened) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, estimated_cost_usd, actual_cost_usd, input_tokens) VALUES
        ('unknown', 'cli', 1780000009, NULL, NULL, 'many'), ('free', 'cli', 1780000001, 0, NULL, 5),
        ('cheap', 'cli', 1780000002, 9, 0.5, x'00'), ('dear', 'cli', 1780000003, 1, NULL, 9e999);"""
    )
    lister = Lister(opened(path))
    assert ids(lister.listing(None, Sort.COST, NONE)) == ["dear", "cheap", "free", "unknown"]
    assert ids(lister.listing(None, Sort.TOKENS, NONE)) == ["free", "unknown", "dear", "cheap"]


# --- filters


def test_a_source_asked_for_by_name_is_shown_though_its_class_is_hidden(
    copy_store: CopyStore, opened: Opened
) -> None:
    lister = Lister(opened(copy_store("state-v22-0.19.0.db")))

    def of(*sources: str) -> Listing:
        return lister.listing(
            SessionQuery(filters=tuple(Filter("source", one) for one in sources)), Sort.ACTIVE, NONE
        )

    cron = of("cron")
    assert ids(cron) == ["cron_a1b2c3_20261128_142400", "cron_a1b2c3_20261127_142400"]
    assert cron.hidden == {HiddenClass.CRON: 2}
    assert ids(of("tool")) == ["20261127_000000_974e5c"]
    assert ids(of("tool", "acp")) == ["6f1c2b1e-7a40-4c55-9a53-0d2f5a6b7c8d", "20261127_000000_974e5c"]
    assert ids(of("subagent")) == []
    assert ids(of("nowhere")) == []
    cli = of("cli")
    assert (cli.total, cli.hidden) == (22, {HiddenClass.SUBAGENT: 4, HiddenClass.ARCHIVED: 1})


def test_asking_for_a_source_does_not_show_what_is_archived(copy_store: CopyStore, opened: Opened) -> None:
    path = copy_store("state-v22-0.19.0.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("UPDATE sessions SET archived = 1 WHERE id = 'cron_a1b2c3_20261128_142400'")
    found = Lister(opened(path)).listing(SessionQuery(filters=(Filter("source", "cron"),)), Sort.ACTIVE, NONE)
    assert ids(found) == ["cron_a1b2c3_20261127_142400"]
    assert found.hidden == {HiddenClass.CRON: 1, HiddenClass.ARCHIVED: 1}


def test_hidden_classes_have_one_precedence_and_follow_the_live_tip(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """ALTER TABLE sessions ADD COLUMN archived INTEGER; ALTER TABLE sessions ADD COLUMN hidden INTEGER;
        INSERT INTO sessions(id, source, started_at, archived, hidden, model_config, end_reason, parent_session_id)
        VALUES ('everything', 'cron', 1780000001, 1, 1, '{"_delegate_from": "x"}', NULL, NULL),
        ('hidden', 'tool', 1780000002, 0, 1, '{"_delegate_from": "x"}', NULL, NULL),
        ('agent', 'cron', 1780000003, 0, 0, '{"_delegate_from": "x"}', NULL, NULL),
        ('unmarked', 'subagent', 1780000004, 0, 0, NULL, NULL, NULL),
        ('old', 'cron', 1780000005, 1, 0, NULL, 'compression', NULL),
        ('tip', 'cli', 1780000006, 0, 0, NULL, NULL, 'old');"""
    )
    found = Lister(opened(path)).listing(None, Sort.ACTIVE, ALL)
    assert {entry.id: entry.hidden for entry in found.entries} == {
        "everything": HiddenClass.ARCHIVED,
        "hidden": HiddenClass.HIDDEN,
        "agent": HiddenClass.SUBAGENT,
        "unmarked": HiddenClass.SUBAGENT,
        "tip": None,
    }


# --- any store


CONFIGS = [
    *([None] * 6),
    "{bad _delegate_from",
    '{"_delegate_from": "x"}',
    '{"_delegate_from": null}',
    '{"_branched_from": "x"}',
    '{"_reset_from": 1}',
    b"\x00_from",
    7,
]


@st.composite
def any_rows(draw: st.DrawFn) -> list[tuple[object, ...]]:
    names = [f"s{n}" for n in range(draw(st.integers(1, 9)))]
    return [
        (
            name,
            draw(st.sampled_from([None, "", "gone", *names, *names])),
            draw(st.sampled_from(["cli", "cli", "cli", "tool", "subagent", "cron"])),
            draw(st.sampled_from([1780000010, 1780000020.5, 1780000030, "soon", 9e999, -1])),
            draw(st.sampled_from([None, 1780000015, 1780000025, "late", -9e999])),
            draw(st.sampled_from(["compression", "compression", "compression", "branched", None])),
            draw(st.sampled_from(CONFIGS)),
            draw(st.sampled_from([None, 1780000012, 1780000022, 1780000032, "now", 9e999])),
        )
        for name in names
    ]


@settings(max_examples=60, deadline=None)
@given(any_rows(), st.integers(1, 4))
def test_the_short_ways_agree_with_the_long_one(family: list[tuple[object, ...]], limit: int) -> None:
    """Single sessions, many at once and the first page are what the complete order says, on any family."""
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        path = write_v11(Path(directory) / "state.db")
        with closing(sqlite3.connect(path, isolation_level=None)) as writer:
            for id_, *facts, newest_message in family:
                writer.execute(
                    """INSERT INTO sessions(id, parent_session_id, source, started_at, ended_at, end_reason,
                    model_config) VALUES (?, ?, ?, ?, ?, ?, ?)""",
                    (id_, *facts),
                )
                if newest_message is not None:
                    writer.execute(
                        "INSERT INTO messages(session_id, role, timestamp) VALUES (?, 'user', ?)",
                        (id_, newest_message),
                    )
        with closing(open_reader(path)) as reader:
            lister = Lister(reader)
            patch.setattr(listing_module, "SMALL", 0)
            page = lister.first_page(ALL, limit)
            singly = {str(id_): lister.find(str(id_)) for id_, *_ in family}
            together = lister.entries_of([str(id_) for id_, *_ in family])
            whole = lister.listing(None, Sort.ACTIVE, ALL)
        assert page.entries == (whole.entries if page.complete else whole.entries[:limit])
        assert singly == together == {part: entry for entry in whole.entries for part in entry.parts}
        assert len(together) == len(family)
