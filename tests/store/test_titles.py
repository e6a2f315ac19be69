"""Titles: what is kept of them, who may have them, how they are found again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import SessionDB
from storage.conversation.titles import LONGEST, sanitize_title
from storage.errors import TitleTaken, TitleTooLong, VersionTooOld
from tests.support.clock import Clock
from tests.support.stores import BuildV11, CopyStore


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (None, None),
        ("", None),
        ("  \t\n ", None),
        ("\u200b\ufeff", None),
        ("a\tb\nc", "a b c"),
        ("  many   blanks  ", "many blanks"),
        ("a\x00\x1b[31mb\x7f", "a[31mb"),
        ("a\u2028b\u202ec\u2066d\ufffce", "abcde"),
        ("\ud800x", "\ufffdx"),
        ("日本語 🎉 é", "日本語 🎉 é"),
        ("soft\u00adhyphen", "soft\u00adhyphen"),
        ("x" * 100 + "   ", "x" * 100),
    ],
)
def test_what_is_kept(typed: str | None, kept: str | None) -> None:
    assert sanitize_title(typed) == kept
    assert SessionDB.sanitize_title(typed) == kept


def test_too_long() -> None:
    with pytest.raises(TitleTooLong) as error:
        sanitize_title("é" * 101)
    assert str(error.value) == "Title too long (101 chars, max 100)"


@given(st.text(st.characters(), max_size=300))
def test_sanitizing_is_idempotent_and_bounded(typed: str) -> None:
    try:
        kept = sanitize_title(typed)
    except TitleTooLong:
        return
    assert sanitize_title(kept) == kept
    if kept is not None:
        assert 1 <= len(kept) <= LONGEST
        assert kept == " ".join(kept.split())
        assert not re.search(
            "[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]", kept
        )


def test_set_and_take_away(db: SessionDB) -> None:
    db.create_session("a", "cli")
    assert db.set_session_title("a", "  First   talk ") is True
    assert db.get_session_title("a") == "First talk"
    assert db.set_session_title("a", "First talk") is True
    found = db.get_session_by_title("First talk")
    assert found is not None
    assert found["id"] == "a"
    assert db.get_session_by_title("first talk") is None
    assert db.set_session_title("a", None) is True
    assert db.get_session_title("a") is None
    assert db.get_session_title("nobody") is None
    assert db.set_session_title("nobody", "x") is False


def test_case_makes_a_difference(db: SessionDB) -> None:
    db.create_session("a", "cli")
    db.create_session("b", "cli")
    db.set_session_title("a", "Talk")
    assert db.set_session_title("b", "talk") is True
    assert db.resolve_session_by_title("Talk") == "a"


def test_automatic_only_where_there_is_none(db: SessionDB) -> None:
    for name in ("a", "b", "c"):
        db.create_session(name, "cli")
    assert db.set_auto_title_if_empty("a", "Automatic") is True
    assert db.set_auto_title_if_empty("a", "Another") is False
    assert db.get_session_title("a") == "Automatic"
    assert db.set_auto_title_if_empty("nobody", "x") is False
    with pytest.raises(TitleTaken) as error:
        db.set_auto_title_if_empty("b", "Automatic")
    assert str(error.value) == "Title 'Automatic' is already in use by session a (cli)"
    db.set_session_title("b", "Own")
    assert db.set_auto_title_if_empty("b", "Automatic") is False


def test_an_automatic_title_that_is_not_needed_takes_nothing(db: SessionDB) -> None:
    db.create_session("root", "cli")
    db.set_session_title("root", "talk")
    db.end_session("root", "compression")
    db.create_session("tip", "cli", parent_session_id="root")
    db.set_session_title("tip", "talk #2")
    assert db.set_auto_title_if_empty("tip", "talk") is False
    assert db.get_session_title("root") == "talk"


def test_a_parent_that_was_not_compressed_keeps_its_title(db: SessionDB) -> None:
    db.create_session("boss", "cli")
    db.set_session_title("boss", "talk")
    db.create_session("child", "cli", parent_session_id="boss")
    with pytest.raises(TitleTaken):
        db.set_session_title("child", "talk")


def test_ancestors_in_a_circle_end(build_v11: BuildV11) -> None:
    path = build_v11(
        """INSERT INTO sessions(id,source,started_at,ended_at,end_reason,title,parent_session_id) VALUES
        ('a','cli',1,2,'compression',NULL,'b'),('b','cli',1,2,'compression',NULL,'a'),('u','cli',1,2,'x','taken',NULL);"""
    )
    with SessionDB(path, migrate=False) as db, pytest.raises(TitleTaken):
        db.set_session_title("a", "taken")


def test_of_numbered_titles_the_one_that_started_last(db: SessionDB, clock: Clock) -> None:
    for session, title in (("three", "talk #3"), ("two", "talk #2"), ("one", "talk")):
        clock.sleep(60)
        db.create_session(session, "cli")
        db.set_session_title(session, title)
    assert db.resolve_session_by_title("talk") == "two"
    assert db.resolve_session_by_title("talk #3") == "three"
    assert db.resolve_session_by_title("tal") is None


@pytest.mark.parametrize(
    ("titles", "base", "following"),
    [
        ([], "talk", "talk"),
        ([], "talk #7", "talk"),
        (["talk"], "talk", "talk #2"),
        (["talk #4"], "talk", "talk #5"),
        (["talk", "talk #2", "talk #10"], "talk #2", "talk #11"),
        (["talk", "talk #99999999999999999999"], "talk", "talk #2"),
        (["100%", "100x #5"], "100%", "100% #2"),
        (["a_b", "axb #5"], "a_b", "a_b #2"),
    ],
)
def test_next_in_lineage(db: SessionDB, titles: list[str], base: str, following: str) -> None:
    for place, title in enumerate(titles):
        db.create_session(f"s{place}", "cli")
        db.set_session_title(f"s{place}", title)
    assert db.get_next_title_in_lineage(base) == following


def test_a_store_without_titles(copy_store: CopyStore) -> None:
    with SessionDB(copy_store("state-v2.db"), migrate=False) as db:
        session = db.search_sessions()[0]["id"]
        assert db.get_session_title(session) is None
        assert db.get_session_by_title("x") is None
        assert db.resolve_session_by_title("x") is None
        assert db.get_next_title_in_lineage("x") == "x"
        with pytest.raises(VersionTooOld) as error:
            db.set_session_title(session, "x")
    assert str(error.value) == (
        "Nothing was written: this store is too old to hold sessions.title;"
        " `hermes-tui sessions migrate` brings it up to date."
    )


def test_a_title_that_is_no_text_is_nobodys_number(build_v11: BuildV11) -> None:
    path = build_v11(
        "INSERT INTO sessions(id,source,started_at,title) VALUES('b','cli',1,CAST('t #2' AS BLOB));"
    )
    with SessionDB(path, read_only=True) as db:
        assert db.get_next_title_in_lineage("t") == "t"
