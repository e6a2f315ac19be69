"""What no Hermes that we know puts into a store, and what sessions leave beside it: it goes and comes back too."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage import SessionDB
from storage.locations import trash_dir
from tests.support.raw import raw_rows
from tests.support.stores import CopyStore

STRANGE = """
CREATE TABLE notes(id INTEGER PRIMARY KEY, session_id TEXT REFERENCES sessions, [a "b] TEXT,
    size INTEGER GENERATED ALWAYS AS (length([a "b])) VIRTUAL);
CREATE TABLE scores(session_id TEXT REFERENCES sessions(id) ON DELETE CASCADE, value REAL);
CREATE TABLE marks(message_id INTEGER REFERENCES messages(id), colour BLOB, PRIMARY KEY (message_id, colour))
    WITHOUT ROWID;
CREATE TABLE links(note INTEGER REFERENCES notes(id), message INTEGER, session TEXT,
    FOREIGN KEY (message, session) REFERENCES messages(id, session_id));
CREATE UNIQUE INDEX messages_both ON messages(id, session_id);
CREATE TABLE jobs(name TEXT, session_id TEXT REFERENCES sessions(id) ON DELETE SET NULL);
CREATE TABLE prompts(hash TEXT PRIMARY KEY, prompt TEXT);
ALTER TABLE sessions ADD COLUMN prompt_hash TEXT REFERENCES prompts(hash);
ALTER TABLE sessions ADD COLUMN twin TEXT REFERENCES sessions(id);
ALTER TABLE messages ADD COLUMN answers INTEGER REFERENCES messages(id);
INSERT INTO prompts VALUES ('h', 'You are'), ('other', 'x');
"""


@pytest.fixture
def strange(db: SessionDB) -> SessionDB:
    for id_ in ("a", "b"):
        db.create_session(id_, "cli")
        db.append_message(id_, "user", f"word{id_}")
    with closing(sqlite3.connect(db.path, isolation_level=None)) as connection:
        connection.executescript(STRANGE)
        connection.executescript(
            """
            UPDATE sessions SET prompt_hash = 'h', twin = CASE id WHEN 'a' THEN 'b' ELSE 'a' END;
            UPDATE messages SET answers = 3 - id;
            INSERT INTO notes(id, session_id, [a "b])
            VALUES (7, 'a', 'x'), (8, 'b', CAST(x'ff' AS TEXT)), (9, NULL, 'y');
            INSERT INTO scores VALUES ('a', 9e999), ('a', 1), ('b', NULL);
            INSERT INTO marks VALUES (1, x'00ff'), (2, 'red');
            INSERT INTO links VALUES (7, 1, 'a'), (8, 1, 'a'), (8, 2, 'b'), (9, NULL, NULL);
            INSERT INTO jobs VALUES ('one', 'a'), ('two', 'b'), ('three', NULL);
            """
        )
    return db


@pytest.mark.parametrize("ids", [["a"], ["b"], ["a", "b"]])
def test_tables_that_name_sessions_or_what_goes_with_them(strange: SessionDB, ids: list[str]) -> None:
    before = raw_rows(strange.path)
    deletion = strange.trash_sessions([ids])
    assert (deletion.failed, deletion.deleted) == (None, tuple(ids))
    assert strange.reader.rows("PRAGMA foreign_key_check") == []
    assert strange.reader.rows("SELECT count(*) FROM notes WHERE session_id IS NOT NULL") == [(2 - len(ids),)]
    assert strange.reader.rows("SELECT count(*), count(session_id) FROM jobs") == [(3, 2 - len(ids))]
    assert strange.restore_trash(deletion.step).messages == len(ids)
    assert raw_rows(strange.path) == before


def test_without_a_copy_they_go_too(strange: SessionDB) -> None:
    deletion = strange.trash_sessions([["a", "b"]], keep_copy=False)
    assert (deletion.failed, deletion.messages) == (None, 2)
    assert strange.reader.rows("SELECT id FROM notes") == [(9,)]
    assert strange.reader.rows("PRAGMA foreign_key_check") == []


def test_one_at_a_time_taken_back_in_the_other_order(strange: SessionDB) -> None:
    before = raw_rows(strange.path)
    first, second = (strange.trash_sessions([[id_]]).step for id_ in ("a", "b"))
    strange.restore_trash(second)
    strange.restore_trash(first)
    assert raw_rows(strange.path) == before


def test_numbers_that_are_taken_are_followed_where_they_are_named(strange: SessionDB) -> None:
    step = strange.trash_sessions([["a"]]).step
    strange.write(lambda within: within.change("INSERT INTO notes(id) VALUES (7)"))
    strange.restore_trash(step)
    assert strange.reader.rows("SELECT id FROM notes WHERE session_id = 'a'") == [(10,)]
    assert strange.reader.rows("SELECT note FROM links WHERE session = 'a' AND message = 1 ORDER BY 1") == [
        (8,),
        (10,),
    ]


def test_a_row_that_only_they_named_comes_back_where_somebody_cleared_up(strange: SessionDB) -> None:
    step = strange.trash_sessions([["a", "b"]]).step
    strange.write(lambda within: within.change("DELETE FROM prompts"))
    strange.restore_trash(step)
    assert strange.reader.rows("SELECT * FROM prompts") == [("h", "You are")]
    assert strange.reader.rows("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("owner", ["first", "second"])
def test_tables_that_name_each_other(db: SessionDB, owner: str) -> None:
    db.create_session("a", "cli")
    with closing(sqlite3.connect(db.path, isolation_level=None)) as connection:
        connection.executescript(
            f"""
            CREATE TABLE first(id INTEGER PRIMARY KEY, other INTEGER REFERENCES second(id));
            CREATE TABLE second(id INTEGER PRIMARY KEY, other INTEGER REFERENCES first(id));
            ALTER TABLE {owner} ADD COLUMN session_id TEXT REFERENCES sessions(id);
            INSERT INTO first(id, other) VALUES (1, 1), (2, NULL);
            INSERT INTO second(id, other) VALUES (1, 1), (2, 2);
            UPDATE {owner} SET session_id = 'a' WHERE id = 1;
            """
        )
    before = raw_rows(db.path)
    deletion = db.trash_sessions([["a"]])
    assert deletion.failed is None
    assert db.reader.rows(f"SELECT id FROM {owner}") == [(2,)]
    assert db.reader.rows("PRAGMA foreign_key_check") == []
    db.restore_trash(deletion.step)
    assert raw_rows(db.path) == before


def test_triggers_of_a_newer_hermes_leave_the_rows_as_they_were(db: SessionDB) -> None:
    db.create_session("a", "cli")
    db.append_message("a", "user", "hello")
    with closing(sqlite3.connect(db.path, isolation_level=None)) as connection:
        connection.executescript(
            "ALTER TABLE messages ADD COLUMN place INTEGER;"
            "CREATE TRIGGER placing AFTER INSERT ON messages BEGIN"
            " UPDATE messages SET place = new.id * 10 WHERE id = new.id;"
            " UPDATE sessions SET message_count = message_count + 1 WHERE id = new.session_id; END"
        )
    before = raw_rows(db.path)
    db.restore_trash(db.trash_sessions([["a"]]).step)
    assert raw_rows(db.path) == before


def test_what_a_store_has_no_column_for_stays_in_the_copy(strange: SessionDB, tmp_path: Path) -> None:
    step = strange.trash_sessions([["a"]]).step
    with SessionDB(tmp_path / "older" / "state.db") as older:
        trash_dir(older.path).mkdir()
        place = trash_dir(older.path) / f"{step}.jsonl"
        (trash_dir(strange.path) / place.name).rename(place)
        assert older.restore_trash(step).sessions == ("a",)
        assert [hit["session_id"] for hit in older.search_messages("worda")] == ["a"]
        assert [one.sessions for one in older.list_trash()] == [("a",)]
        assert older.restore_trash(step).skipped == ("a",)


def test_titles_that_an_old_store_has_twice_stay_double(copy_store: CopyStore) -> None:
    path = copy_store("state-v3.db")
    with closing(sqlite3.connect(path)) as connection:
        (has_title,) = connection.execute(
            "SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'title'"
        ).fetchone()
        if not has_title:
            connection.execute("ALTER TABLE sessions ADD COLUMN title TEXT")
        connection.execute("DROP INDEX IF EXISTS idx_sessions_title_unique")
        connection.execute("UPDATE sessions SET title = 'same'")
        connection.commit()
    with SessionDB(path, migrate=False) as db:
        before = raw_rows(path)
        ids = [id_ for (id_,) in db.reader.rows("SELECT id FROM sessions")]
        assert db.restore_trash(db.trash_sessions([[id_] for id_ in ids]).step).retitled == ()
        assert raw_rows(path) == before


# --- files that sessions left in a home


@pytest.fixture
def files(strange: SessionDB) -> Path:
    directory = strange.path.parent / "sessions"
    directory.mkdir()
    strange.create_session("a_b", "cli")
    for name, content in {
        "a.json": b"{}",
        "a.jsonl": b"\xff\n",
        "request_dump_a_1.json": b"x" * 100_000,
        "request_dump_a_b_1.json": b"of the other",
        "aa.json": b"nobody's",
    }.items():
        (directory / name).write_bytes(content)
        os.chmod(directory / name, 0o640)
        os.utime(directory / name, (1_000, 1_000))
    (directory / "request_dump_a_link.json").symlink_to(directory / "aa.json")
    os.mkfifo(directory / "request_dump_a_pipe.json")
    return directory


def contents(directory: Path) -> dict[str, tuple[bytes, int, float]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime)
        for path in sorted(directory.iterdir())
        if path.is_file()
    }


def test_files_go_and_come_back(strange: SessionDB, files: Path) -> None:
    before = contents(files)
    step = strange.trash_sessions([["a"]]).step
    assert sorted(contents(files)) == ["aa.json", "request_dump_a_b_1.json", "request_dump_a_link.json"]
    strange.restore_trash(step)
    assert contents(files) == before


def test_a_file_that_is_there_again_stays(strange: SessionDB, files: Path) -> None:
    step = strange.trash_sessions([["a"]]).step
    (files / "a.json").write_bytes(b"new")
    strange.restore_trash(step)
    assert (files / "a.json").read_bytes() == b"new"
    assert (files / "a.jsonl").read_bytes() == b"\xff\n"


def test_without_a_copy_files_go_too(strange: SessionDB, files: Path) -> None:
    strange.trash_sessions([["a"]], keep_copy=False)
    assert sorted(contents(files)) == ["aa.json", "request_dump_a_b_1.json"]
