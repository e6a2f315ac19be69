"""Renaming: what a check foretells is what the write does, and undoing it leaves the store as it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import SessionDB, TitleCheck
from storage.errors import TitleChanged, TitleTaken, UnknownSession, VersionTooOld
from tests.support.stores import BuildV11, CopyStore, dump, write_v11

FAMILY = """
INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
('p','cli',1779999000,1780000000,'compression','plan',NULL),
('r','desktop',1780000000,1780001000,'compression','scanner',  'p'),
('t','tui',1780001000,NULL,NULL,'scanner #2','r'),('u','telegram',1780000500,NULL,NULL,'taken',NULL),
('n','cli',1780000600,NULL,NULL,NULL,NULL);
"""


@pytest.fixture
def family(build_v11: BuildV11) -> Iterator[SessionDB]:
    with SessionDB(build_v11(FAMILY), migrate=False) as db:
        yield db


def titles(db: SessionDB) -> dict[str, str | None]:
    return {row["id"]: row["title"] for row in db.search_sessions()}


def test_a_free_title(family: SessionDB) -> None:
    assert family.check_title("t", "new") == TitleCheck(
        "t", "new", 3, 100, False, None, False, False, "scanner #2", (("r", "scanner"), ("p", "plan"))
    )


def test_who_has_it_and_what_is_left_out(family: SessionDB) -> None:
    check = family.check_title("t", "  ta\u200bken\n")
    assert (check.clean, check.length, check.stripped) == ("taken", 5, True)
    assert (check.holder, check.gives_way) == (("u", "telegram"), False)
    assert str(check.refusal) == "Title 'taken' is already in use by session u (telegram)"


def test_an_ancestor_gives_way_to_whoever_continues_it_alone(family: SessionDB) -> None:
    check = family.check_title("t", "plan")
    assert (check.holder, check.gives_way, check.refusal) == (("p", "cli"), True, None)
    check = family.check_title("p", "scanner #2")
    assert (check.holder, check.gives_way) == (("t", "tui"), False)
    assert str(check.refusal) == "Title 'scanner #2' is already in use by session t (tui)"


def test_its_own_title_is_free(family: SessionDB) -> None:
    check = family.check_title("u", "taken")
    assert (check.holder, check.refusal, check.own) == (None, None, "taken")


def test_too_long_is_counted_as_it_would_be_stored(family: SessionDB) -> None:
    check = family.check_title("u", f" {'é' * 60}  {'x' * 50}")
    assert (check.length, check.limit) == (111, 100)
    assert str(check.refusal) == "Title too long (111 chars, max 100)"
    assert family.check_title("u", " " * 200 + "x").refusal is None


@pytest.mark.parametrize("title", [None, "", " \u200b\t"])
def test_no_title(family: SessionDB, title: str | None) -> None:
    check = family.check_title("n", title)
    assert (check.clean, check.length, check.refusal, check.own, check.earlier) == (None, 0, None, None, ())


def test_nobody(family: SessionDB) -> None:
    check = family.check_title("nobody", "taken")
    assert (check.missing, check.own, check.earlier) == (True, None, ())
    assert str(check.refusal) == "Session 'nobody' no longer exists."
    with pytest.raises(UnknownSession):
        family.rename_session("nobody", "x")
    assert "nobody" not in titles(family)


def test_checking_writes_nothing(build_v11: BuildV11) -> None:
    path = build_v11(FAMILY)
    before = path.read_bytes()
    with SessionDB(path, read_only=True) as db:
        db.check_title("t", "plan")
        db.check_title("t", "taken")
    assert path.read_bytes() == before


def test_a_store_without_titles(copy_store: CopyStore) -> None:
    with SessionDB(copy_store("state-v2.db"), read_only=True) as db, pytest.raises(VersionTooOld):
        db.check_title("x", "y")


def test_undone_an_ancestor_has_its_title_again(family: SessionDB) -> None:
    before = titles(family)
    renamed = family.rename_session("t", "plan")
    assert titles(family) == {**before, "t": "plan", "p": None}
    assert family.undo_rename(renamed) == "scanner #2"
    assert titles(family) == before


def test_undone_a_cleared_title_is_back_and_a_new_one_gone(family: SessionDB) -> None:
    before = titles(family)
    cleared, given = family.rename_session("u", ""), family.rename_session("n", "new")
    assert titles(family) == {**before, "u": None, "n": "new"}
    assert family.undo_rename(given) is None
    assert family.undo_rename(cleared) == "taken"
    assert titles(family) == before


def test_what_was_renamed_since_stays(family: SessionDB) -> None:
    renamed = family.rename_session("u", "mine")
    family.set_session_title("u", "theirs")
    with pytest.raises(TitleChanged) as error:
        family.undo_rename(renamed)
    assert str(error.value) == "Nothing was undone: session u is now titled 'theirs'."
    family.set_session_title("u", None)
    with pytest.raises(TitleChanged, match="session u has no title now"):
        family.undo_rename(renamed)
    assert titles(family)["u"] is None


def test_what_was_taken_since_stays_with_its_taker(family: SessionDB) -> None:
    renamed = family.rename_session("u", "mine")
    family.set_session_title("n", "taken")
    with pytest.raises(TitleTaken, match="'taken' is already in use by session n"):
        family.undo_rename(renamed)
    assert (titles(family)["u"], titles(family)["n"]) == ("mine", "taken")


def test_a_part_that_has_another_title_by_now_keeps_it(family: SessionDB) -> None:
    renamed = family.rename_session("t", "scanner")
    family.set_session_title("r", "older")
    family.undo_rename(renamed)
    assert (titles(family)["t"], titles(family)["r"]) == ("scanner #2", "older")


def test_who_is_gone_is_not_made_again(family: SessionDB) -> None:
    renamed = family.rename_session("u", "mine")
    family.delete_session("u")
    with pytest.raises(UnknownSession):
        family.undo_rename(renamed)
    assert "u" not in titles(family)


def test_a_title_that_is_no_utf8_comes_back_byte_for_byte(build_v11: BuildV11) -> None:
    path = build_v11(f"{FAMILY} UPDATE sessions SET title = CAST(x'ff41' AS TEXT) WHERE id = 'n';")
    with SessionDB(path, migrate=False) as db:
        assert db.check_title("n", "x").own == "\ufffdA"
        assert db.undo_rename(db.rename_session("n", "x")) == "\ufffdA"
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT typeof(title), hex(title) FROM sessions WHERE id = 'n'").fetchall()
    assert found == [("text", "FF41")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionDB]:
    path: Path = tmp_path_factory.mktemp("renaming") / "state.db"
    with SessionDB(write_v11(path, FAMILY), migrate=False) as db:
        yield db


TITLES = st.one_of(
    st.sampled_from(["", "plan", "scanner", " taken ", "scan\u200bner #2", "x" * 101]),
    st.text(st.characters(), max_size=120),
)


@given(session=st.sampled_from(["p", "r", "t", "u", "n", "nobody"]), title=TITLES)
def test_what_a_check_foretells_is_what_happens_and_undo_leaves_no_trace(
    shared: SessionDB, session: str, title: str
) -> None:
    before = dump(shared.path)
    check = shared.check_title(session, title)
    if (refusal := check.refusal) is not None:
        with pytest.raises(type(refusal)) as error:
            shared.rename_session(session, title)
        assert str(error.value) == str(refusal)
    else:
        renamed = shared.rename_session(session, title)
        assert titles(shared)[session] == check.clean
        assert (renamed.gave_way is not None) == check.gives_way
        assert shared.undo_rename(renamed) == check.own
    assert dump(shared.path) == before
