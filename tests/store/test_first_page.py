"""The first page and single sessions, without reading the whole; and what was read last."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from storage.conversation import relatives
from storage.conversation.family import chains
from storage.engine.connection import Cancel, Reader
from storage.errors import Interrupted, StoreBusy
from storage.finding import listing as listing_module
from storage.finding import newest
from storage.finding.listing import Lister
from storage.records import HiddenClass, Listing, Sort
from tests.support.listed import ALL, NONE, SHOWN, Opened, ids, rows
from tests.support.stores import BuildV11, CopyStore

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
                "INSERT OR IGNORE INTO sessions(id, source, started_at, parent_session_id)"
                " SELECT 'new', 'cli', 1790000000, min(id) FROM sessions"
            )
        return answer

    monkeypatch.setattr(Reader, "json", spy)
    found = relatives.everyone(reader)["new"]
    monkeypatch.undo()
    assert found == relatives.everyone(reader)["new"]
    assert (found.parent, found.started_at) == (min(set(relatives.everyone(reader)) - {"new"}), 1790000000)


def test_an_end_is_read_where_it_decides_something(crowd: Path, opened: Opened) -> None:
    """Of what has children, and of siblings; whatever is read tells the same conversations."""
    with closing(sqlite3.connect(crowd, isolation_level=None)) as writer:
        writer.execute("ALTER TABLE sessions ADD COLUMN session_key TEXT")
        some = [row[0] for row in writer.execute("SELECT id FROM sessions ORDER BY id LIMIT 7")]
        top, only, first, second, leaf, reset, other = some
        writer.execute(
            "UPDATE sessions SET ended_at = 1790000000, end_reason = 'compression', session_key = 'k'"
        )
        writer.execute("UPDATE sessions SET end_reason = 'idle' WHERE id = ?", (other,))
        writer.execute("UPDATE sessions SET parent_session_id = NULL")
        for child, parent in ((only, top), (first, only), (second, only), (leaf, first), (reset, other)):
            writer.execute("UPDATE sessions SET parent_session_id = ? WHERE id = ?", (parent, child))
    reader = opened(crowd)
    kin = relatives.everyone(reader)
    assert {id_ for id_ in kin if kin[id_].ended} == {top, only, first, second, other}
    assert set(chains({id_: kin[id_] for id_ in some})) == set(chains(relatives.around(reader, some)))
    assert {chain.parts for chain in chains({id_: kin[id_] for id_ in some})} == {
        (top, only, second, first, leaf),
        (reset,),
        (other,),
    }


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
