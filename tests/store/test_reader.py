"""What one read-only connection promises: nothing pinned, nothing lost, and it stops when told to."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.engine.connection import Cancel, Reader, open_reader
from storage.errors import IndexDamaged, Interrupted, StoreClosed, StoreUnreadable
from tests.support.stores import BuildV11, CopyStore

LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
"""Never ends by itself."""

ONE = (
    "INSERT INTO sessions(id,source,started_at,title) VALUES('s1','cli',1780000000,'one');"
    "INSERT INTO messages(id,session_id,role,content,timestamp) VALUES(1,'s1','user','hello there',1780000000);"
)


def use(reader: Reader) -> None:
    """One of each call, all of them ended."""
    reader.info()
    reader.refresh_layout()
    reader.data_version()
    assert len(reader.rows("SELECT * FROM messages")) == 134
    assert reader.one("SELECT id FROM messages ORDER BY id") == (1,)
    assert len(reader.json("SELECT json_group_array(id) FROM messages")) == 134


def test_a_checkpoint_between_the_calls_finds_nobody_in_its_way(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-0.19.0.db")
    with (
        closing(open_reader(path)) as one,
        closing(open_reader(path)) as two,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer,
    ):
        for number in range(20):
            use(one)
            two.rows("SELECT rowid FROM messages_fts WHERE messages_fts MATCH '\"docker\"' LIMIT 1")
            two.one("SELECT id FROM messages")
            writer.execute("UPDATE sessions SET message_count = ?", (number,))
            assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)


def test_a_writer_between_the_calls_is_never_locked_out_without_a_wal(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-delete-journal.db")
    with (
        closing(open_reader(path)) as reader,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer,
    ):
        for number in range(20):
            use(reader)
            reader.one("SELECT id FROM messages")
            writer.execute("UPDATE sessions SET message_count = ?", (number,))
            assert reader.rows("SELECT DISTINCT message_count FROM sessions") == [(number,)]


def test_a_call_that_fails_pins_nothing_either(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-delete-journal.db")
    with (
        closing(open_reader(path)) as reader,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer,
    ):
        with pytest.raises(StoreUnreadable):
            reader.rows("SELECT abs(CASE WHEN id > 5 THEN -9223372036854775808 ELSE id END) FROM messages")
        writer.execute("UPDATE sessions SET message_count = 1")


def test_nothing_can_be_written_through_it(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11(ONE))) as reader:
        for statement in ("DELETE FROM sessions", "CREATE TABLE x(y)", "PRAGMA user_version=5", "VACUUM"):
            with pytest.raises(StoreUnreadable, match="readonly database"):
                reader.rows(statement)


def test_bad_bytes_decode(build_v11: BuildV11) -> None:
    path = build_v11(
        "INSERT INTO sessions(id,source,started_at,title)"
        " VALUES(CAST(x'61ff62' AS TEXT),'cli',1780000000,CAST(x'eda080e9' AS TEXT));"
    )
    with closing(open_reader(path)) as reader:
        assert reader.rows("SELECT id, title FROM sessions") == [("a\ufffdb", "\ufffd\ufffd\ufffd\ufffd")]
        # The last byte begins a character, and must not swallow the quote after it.
        assert reader.json("SELECT json_group_array(title) FROM sessions") == ["\ufffd\ufffd\ufffd\ufffd"]


def test_json_crosses_as_one_value(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11())) as reader:
        assert reader.json("SELECT json_array(1, 2.5, NULL, 'a' || char(0, 10, 34) || 'b')") == [
            1,
            2.5,
            None,
            'a\0\n"b',
        ]
        assert reader.json("SELECT NULL") is None
        assert reader.json("SELECT '[]' WHERE 0") is None
        assert reader.json("SELECT json_array(9e999, -9e999, 'Inf', '\\\"Inf')") == [
            float("inf"),
            float("-inf"),
            "Inf",
            '\\"Inf',
        ]


VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([float("inf"), float("-inf"), 0.5]),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from(["Inf", '"', "\\", ",", "-", " "])).map("".join),
)


@given(st.lists(VALUES, max_size=20))
def test_json_brings_every_value_across(values: list[object]) -> None:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "state.db"
        path.touch()
        with closing(open_reader(path)) as reader:
            marks = ", ".join("?" * len(values))
            assert reader.json(f"SELECT json_array({marks})", values) == values


def test_bindings_that_do_not_fit_are_our_own_fault(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11())) as reader, pytest.raises(sqlite3.ProgrammingError):
        reader.rows("SELECT ?", (1, 2))


def test_what_sqlite_says_is_kept(build_v11: BuildV11) -> None:
    path = build_v11()
    with closing(open_reader(path)) as reader, pytest.raises(StoreUnreadable) as error:
        reader.rows("SELECT gone FROM sessions")
    assert str(error.value) == f"Cannot read {path}: no such column: gone."
    assert isinstance(error.value.__cause__, sqlite3.OperationalError)


# --- damage


def test_a_damaged_index_is_told_from_a_damaged_store(build_v11: BuildV11) -> None:
    path = build_v11(ONE + "DELETE FROM messages_fts_data WHERE id > 10;")
    with closing(open_reader(path)) as reader:
        with pytest.raises(IndexDamaged) as error:
            reader.rows("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello'")
        assert str(error.value).startswith(f"The search index of {path} cannot be used: ")
        assert reader.rows("SELECT content FROM messages") == [("hello there",)]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM messages_fts_data;",
        "UPDATE messages_fts_data SET block = x'ffff' WHERE id = 10;",
        "UPDATE messages_fts_config SET v = 99;",
        "PRAGMA writable_schema=ON; DELETE FROM sqlite_master WHERE name = 'messages_fts_data';",
        "PRAGMA writable_schema=ON; DELETE FROM sqlite_master WHERE name = 'messages_fts_idx';",
        "PRAGMA writable_schema=ON; DELETE FROM sqlite_master WHERE name = 'messages_fts';",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql ="
        " 'CREATE VIRTUAL TABLE messages_fts USING fts5(content, tokenize=cjk_unicode61)' WHERE name = 'messages_fts';",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql ="
        " 'CREATE VIRTUAL TABLE messages_fts USING fts9(content)' WHERE name = 'messages_fts';",
    ],
)
def test_no_damage_to_the_index_keeps_the_store_closed(damage: str, build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11(ONE + damage))) as reader:
        try:
            found = reader.rows("SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello'")
        except IndexDamaged:
            found = []
        assert found == []
        assert reader.info().sessions == 1


def test_a_damaged_page_of_messages_is_not_blamed_on_the_index(copy_store: CopyStore) -> None:
    path = copy_store("state-v22-delete-journal.db")
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with closing(open_reader(path)) as reader:
        with pytest.raises(StoreUnreadable, match="the database is damaged"):
            reader.rows("SELECT * FROM messages")
        assert reader.info().sessions == 41


# --- what changes underneath


def test_data_version_moves_with_another_writer_only(build_v11: BuildV11) -> None:
    path = build_v11(ONE)
    with closing(open_reader(path)) as reader, closing(sqlite3.connect(path)) as writer:
        first = reader.data_version()
        use_again = reader.rows("SELECT * FROM sessions")
        assert (reader.data_version(), len(use_again)) == (first, 1)
        writer.execute("UPDATE sessions SET title = 'two'")
        writer.commit()
        assert reader.data_version() != first


def test_the_layout_follows_another_writers_migration(build_v11: BuildV11) -> None:
    path = build_v11(ONE)
    with closing(open_reader(path)) as reader, closing(sqlite3.connect(path)) as writer:
        before = reader.layout
        reader.refresh_layout()
        assert reader.layout is before
        writer.executescript(
            "ALTER TABLE sessions ADD COLUMN archived INTEGER DEFAULT 0; UPDATE schema_version SET version = 14;"
        )
        reader.refresh_layout()
        assert reader.layout.has("sessions", "archived")
        assert reader.layout.version == 14
        assert reader.rows("SELECT archived FROM sessions") == [(0,)]


# --- stopping


def running(reader: Reader, cancel: Cancel | None = None) -> tuple[threading.Thread, list[BaseException]]:
    """A thread in the middle of a statement without end, and what it raised."""
    raised: list[BaseException] = []
    begun = threading.Event()

    def work() -> None:
        begun.set()
        try:
            reader.rows(LONG, cancel=cancel)
        except Interrupted as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    return thread, raised


def test_a_token_stops_the_statement_that_runs_under_it(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11(ONE))) as reader:
        cancel = Cancel()
        thread, raised = running(reader, cancel)
        cancel.cancel()
        thread.join(20)
        assert [type(error) for error in raised] == [Interrupted]
        assert reader.rows("SELECT id FROM sessions") == [("s1",)]


def test_it_stops_wherever_the_token_is_cancelled(build_v11: BuildV11) -> None:
    """Between preparing a statement and its first step SQLite forgets an interrupt: many tries meet that."""
    with closing(open_reader(build_v11())) as reader:
        for _ in range(300):
            cancel = Cancel()
            thread, raised = running(reader, cancel)
            cancel.cancel()
            thread.join(20)
            assert not thread.is_alive()
            assert len(raised) == 1


def test_a_lost_interrupt_is_made_up_for(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_reader(build_v11())) as reader:
        cancel = Cancel()
        thread, raised = running(reader, cancel)
        monkeypatch.setattr(cancel, "_running", None)
        cancel.cancel()
        thread.join(20)
        assert len(raised) == 1


def test_a_cancelled_token_runs_nothing_more(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11(ONE))) as reader:
        cancel = Cancel()
        cancel.check()
        reader.rows("SELECT 1", cancel=cancel)
        cancel.cancel()
        assert cancel.cancelled
        for call in (reader.rows, reader.one, reader.json):
            with pytest.raises(Interrupted):
                call("SELECT 1", (), cancel)
        with pytest.raises(Interrupted):
            cancel.check()


def test_a_token_does_not_stop_the_next_call(build_v11: BuildV11) -> None:
    with closing(open_reader(build_v11(ONE))) as reader:
        for _ in range(50):
            late = Cancel()
            reader.rows("SELECT 1", cancel=late)
            late.cancel()
            assert reader.rows("SELECT id FROM sessions", cancel=Cancel()) == [("s1",)]


def test_closing_stops_what_runs_and_refuses_what_comes(build_v11: BuildV11) -> None:
    path = build_v11()
    reader = open_reader(path)
    thread, raised = running(reader)
    reader.close()
    thread.join(20)
    reader.close()
    assert [type(error) for error in raised] == [StoreClosed]
    with pytest.raises(StoreClosed) as error:
        reader.info()
    assert str(error.value) == f"{path} has been closed."


def test_many_threads_share_one_reader(copy_store: CopyStore) -> None:
    with closing(open_reader(copy_store("state-v23.db"))) as reader:
        counts: list[int] = []
        threads = [
            threading.Thread(target=lambda: counts.append(len(reader.rows("SELECT * FROM messages"))))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert counts == [counts[0]] * 8


def test_an_unreadable_file_leaves_no_connection_behind(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE notes(id)")
        for _ in range(3):
            with pytest.raises(Exception, match="not a session store"):
                open_reader(path)
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
