"""The list of conversations: what is in it, in which order, and what is not shown."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.conversation import relatives
from storage.engine.connection import Cancel, Reader, open_reader
from storage.errors import Interrupted, StoreBusy
from storage.finding import listing as listing_module
from storage.finding import newest
from storage.finding.listing import Lister
from storage.finding.query import Filter, SessionQuery
from storage.records import Edge, Entry, HiddenClass, Listing, Sort
from tests.support.stores import BuildV11, CopyStore, write_v11

NONE: frozenset[HiddenClass] = frozenset()
ALL = frozenset(HiddenClass)

SHOWN = [
    "20261106_120000_fe1472",
    "6f1c2b1e-7a40-4c55-9a53-0d2f5a6b7c8d",
    "20261129_000000_4a9315",
    "20261128_120000_8cd283",
    "20261128_022400_8e328b",
    "20261128_000000_196a2b",
    "20261127_120000_edef2d",
    "20261126_120000_ba323c3f",
    "20261125_120000_191b24",
    "20261124_120000_0f4dbe30",
    "20261122_120000_95687a",
    "20261121_120000_b3cd915d",
    "20261120_120000_a78c5bf6",
    "20261118_120000_973333",
    "20261117_120000_ed73f6b4",
    "20261116_120000_b37c8d",
    "20261114_142400_edbab4",
    "20261114_120000_5cfdb8",
    "20261112_120000_bc2f39",
    "20261111_120000_0f5264",
    "20261110_120000_d40edb",
    "20261107_120000_aaaa02",
    "20261107_120000_aaaa01",
    "20261017_120000_58c471f0",
    "20260930_142400_b163d4",
    "20260930_120000_47f10b",
    "20260826_120000_6033b846",
    "20260821_120000_085724",
    "20260806_120000_5dac3f",
    "20260802_120000_120bc1",
]
"""The 30 conversations of the stored stores, counted by hand, by last activity."""

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


Opened = Callable[[Path], Reader]


def ids(found: Listing) -> list[str]:
    return [entry.id for entry in found.entries]


def rows(count: int, sql: str) -> str:
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) {sql};"


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


# --- the first page


@pytest.fixture
def crowd(build_v11: BuildV11) -> Path:
    """2,600 sessions with a message each, of which every third is a subagent's, and one old pair of a chain."""
    return build_v11(
        rows(
            2_598,
            """INSERT INTO sessions(id, source, started_at, model_config)
            SELECT 's' || i, 'cli', 1780000000 + i * 10, iif(i % 3, NULL, '{"_delegate_from": "boss"}') FROM n""",
        )
        + """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id) VALUES
        ('first', 'cli', 1700000000, 1700000001, 'compression', NULL), ('last', 'cli', 1700000001, NULL, NULL, 'first');
        INSERT INTO messages(session_id, role, content, timestamp)
        SELECT id, 'user', 'hello', started_at + 1 FROM sessions ORDER BY started_at;"""
    )


def test_the_first_page_is_the_beginning_of_the_whole(crowd: Path, opened: Opened) -> None:
    lister = Lister(opened(crowd))
    whole = lister.listing(None, Sort.ACTIVE, NONE)
    page = lister.first_page(NONE, 60)
    assert not page.complete
    assert (page.total, page.hidden) == (0, {})
    assert page.entries == whole.entries[:60]
    assert whole.total == 2_598 - 866 + 1
    assert whole.hidden == {HiddenClass.SUBAGENT: 866}
    everything = lister.listing(None, Sort.ACTIVE, ALL)
    assert lister.first_page(ALL, 7).entries == everything.entries[:7]


def test_the_first_page_does_not_read_the_whole(
    crowd: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(crowd)
    lister = Lister(reader)
    run, plans = Reader.one, []

    def spy(self: Reader, sql: str, params: Sequence[object] = (), cancel: Cancel | None = None) -> object:
        plans.append([str(row[3]) for row in self.rows(f"EXPLAIN QUERY PLAN {sql}", params)])
        return run(self, sql, params, cancel)

    monkeypatch.setattr(Reader, "one", spy)
    assert len(lister.first_page(NONE, 60).entries) == 60
    counted, *walked = plans
    assert "SCAN sessions USING COVERING INDEX idx_sessions_started" in counted  # two thousand rows at most
    assert [step for plan in walked for step in plan if step.startswith(("SCAN s", "SCAN m"))] == []


def test_a_chain_that_goes_on_comes_to_the_first_page_whole(crowd: Path, opened: Opened) -> None:
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.execute(
            "INSERT INTO messages(session_id, role, content, timestamp) VALUES ('last', 'user', 'again', 1790000000)"
        )
    page = Lister(opened(crowd)).first_page(NONE, 3)
    assert [(entry.id, entry.parts) for entry in page.entries] == [
        ("last", ("first", "last")),
        ("s2597", ("s2597",)),
        ("s2596", ("s2596",)),
    ]


def test_sessions_without_messages_are_on_the_first_page_at_their_start(crowd: Path, opened: Opened) -> None:
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.execute("INSERT INTO sessions(id, source, started_at) VALUES ('silent', 'cli', 1780025965)")
    page = Lister(opened(crowd)).first_page(NONE, 3)
    assert [entry.id for entry in page.entries] == ["s2597", "silent", "s2596"]


def test_a_first_page_that_the_newest_messages_do_not_fill_is_the_whole(
    crowd: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.executescript(
            rows(
                3_000,
                """INSERT INTO messages(session_id, role, content, timestamp)
                SELECT 's3', 'user', 'working', 1790000000 + i FROM n""",
            )
        )
    monkeypatch.setattr(newest, "_SLICES", 1)
    lister = Lister(opened(crowd))
    page = lister.first_page(NONE, 60)
    assert page.complete
    assert page == lister.listing(None, Sort.ACTIVE, NONE)


def test_the_whole_is_the_first_page_where_it_can_only_be_had_by_scanning(
    crowd: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = Lister(opened(crowd)).listing(None, Sort.ACTIVE, NONE)
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.executescript("DROP INDEX idx_sessions_parent; DROP INDEX idx_messages_session;")
    page = Lister(opened(crowd)).first_page(NONE, 60)
    assert page == expected
    monkeypatch.setattr(listing_module, "SMALL", 10_000)
    assert Lister(opened(crowd)).first_page(NONE, 60) == expected


# --- asking for single sessions


def test_every_part_of_a_chain_leads_to_its_conversation(copy_store: CopyStore, opened: Opened) -> None:
    lister = Lister(opened(copy_store("state-v22-0.19.0.db")))
    whole = {part: entry for entry in lister.listing(None, Sort.ACTIVE, ALL).entries for part in entry.parts}
    assert len(whole) == 41
    assert {id_: lister.find(id_) for id_ in whole} == whole
    assert lister.find("nobody") is None
    assert lister.find("%") is None


@pytest.mark.parametrize("read", [True, False])
def test_entries_of_many_sessions_at_once(read: bool, copy_store: CopyStore, opened: Opened) -> None:
    path = copy_store("state-v22-0.19.0.db")
    lister = Lister(opened(path))
    if read:
        lister.listing(None, Sort.ACTIVE, NONE)
    asked = ["20261030_120000_894196", "nobody", "20261101_120000_ac801e", "20261122_121424_9948c6"]
    found = lister.entries_of(asked)
    assert {id_: entry.id for id_, entry in found.items()} == {
        "20261030_120000_894196": "20261106_120000_fe1472",
        "20261101_120000_ac801e": "20261106_120000_fe1472",
        "20261122_121424_9948c6": "20261122_121424_9948c6",
    }
    assert found["20261122_121424_9948c6"].hidden is HiddenClass.SUBAGENT
    assert lister.entries_of([]) == {}


def test_asking_for_entries_can_be_cancelled(copy_store: CopyStore, opened: Opened) -> None:
    lister = Lister(opened(copy_store("state-v22-0.19.0.db")))
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(Interrupted):
        lister.entries_of(["20261030_120000_894196"], cancel)


def test_parents_with_crowds_of_delegates_do_not_make_their_chain_expensive(
    build_v11: BuildV11, opened: Opened
) -> None:
    path = build_v11(
        """INSERT INTO sessions(id, source, started_at, ended_at, end_reason, parent_session_id) VALUES
        ('boss', 'cli', 1780000000, 1780000100, 'compression', NULL), ('tip', 'cli', 1780000100, NULL, NULL, 'boss');"""
        + rows(
            500,
            """INSERT INTO sessions(id, source, started_at, parent_session_id, model_config)
            SELECT 'd' || i, 'cli', 1780000000 + i, 'boss', '{"_delegate_from": "boss"}' FROM n""",
        )
        + """INSERT INTO sessions(id, source, started_at, parent_session_id, model_config) VALUES
        ('null marker', 'cli', 1780000001, 'boss', '{"_delegate_from": null}'),
        ('broken', 'cli', 1780000002, 'boss', '{"_delegate_from": bad');"""
    )
    lister = Lister(opened(path))
    found = lister.find("boss")
    assert found is not None
    assert found.parts == ("boss", "tip", "null marker", "broken")
    assert found == lister.listing(None, Sort.ACTIVE, NONE).entries[0]


# --- the snapshot


def test_an_order_that_need_not_be_fresh_is_answered_from_what_was_read_last(
    copy_store: CopyStore, opened: Opened
) -> None:
    path = copy_store("state-v22-0.19.0.db")
    lister = Lister(opened(path))
    lister.listing(None, Sort.ACTIVE, NONE)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("UPDATE sessions SET archived = 1 WHERE id = ?", (SHOWN[0],))
    assert ids(lister.listing(None, Sort.ACTIVE, NONE, fresh=False)) == SHOWN
    assert ids(lister.listing(None, Sort.ACTIVE, NONE)) == SHOWN[1:]
    assert ids(lister.listing(None, Sort.ACTIVE, NONE, fresh=False)) == SHOWN[1:]


def test_the_whole_is_read_in_slices_and_nobody_falls_between_them(
    crowd: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.execute("DELETE FROM sessions WHERE rowid % 7 = 0")
    reader = opened(crowd)
    whole = relatives.everyone(reader)
    assert len(whole) == 2_600 - 371
    for size in (1, 7, 100, 2_229, 2_230):
        monkeypatch.setattr(relatives, "SLICE", size)
        assert relatives.everyone(reader) == whole


def test_a_session_that_comes_while_the_whole_is_read_is_in_it(
    crowd: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(crowd)
    run = Reader.json

    def spy(self: Reader, sql: str, params: Sequence[object] = (), cancel: Cancel | None = None) -> object:
        answer = run(self, sql, params, cancel)
        with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
            writer.execute(
                "INSERT OR IGNORE INTO sessions(id, source, started_at) VALUES ('new', 'cli', 1790000000)"
            )
        return answer

    monkeypatch.setattr(Reader, "json", spy)
    assert "new" in relatives.everyone(reader)


@pytest.mark.parametrize("enabled", [True, False])
def test_the_cycle_collector_rests_during_the_reading_and_not_after_it(
    enabled: bool, copy_store: CopyStore, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = opened(copy_store("state-v22-0.19.0.db"))
    lister = Lister(reader)
    seen: list[bool] = []

    def fail(*_: object) -> object:
        seen.append(gc.isenabled())
        raise StoreBusy(reader.path)

    monkeypatch.setattr(Reader, "json", fail)
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with pytest.raises(StoreBusy):
            lister.listing(None, Sort.ACTIVE, NONE)
        assert (seen, gc.isenabled()) == ([False], enabled)
    finally:
        (gc.enable if before else gc.disable)()


def test_a_file_of_no_bytes_has_no_conversations(tmp_path: Path, opened: Opened) -> None:
    path = tmp_path / "state.db"
    path.touch()
    lister = Lister(opened(path))
    assert lister.first_page(NONE, 60) == Listing((), {}, complete=True, total=0)
    assert lister.find("s1") is None
    assert lister.entries_of(["s1"]) == {}
    assert lister.changes() is None


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
