"""What stays the same from letter to letter, and from page to page, is not found out again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import SessionDB, parse
from storage.engine.connection import Cancel, Reader
from storage.finding import filters, hits, index, trigrams
from storage.finding.scope import Scope
from tests.support.layouts import Row, write

ROWS = [Row(f"s{n % 9}", f"docker 会话{n} x{n % 7}y error") for n in range(60)]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    sessions = [{"id": f"s{n}", "source": "cli" if n < 5 else "telegram"} for n in range(9)]
    with SessionDB(write(tmp_path / "state.db", "v23", ROWS, sessions), read_only=True) as opened:
        yield opened


@pytest.fixture
def asked(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that are asked from now on."""
    statements: list[str] = []
    ask = db.searcher.one

    def one(sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return ask(sql, *rest)

    monkeypatch.setattr(db.searcher, "one", one)
    return statements


def counted(monkeypatch: pytest.MonkeyPatch, room: object, name: str) -> list[None]:
    calls: list[None] = []
    really: Callable[..., Any] = getattr(room, name)

    def noted(*args: Any, **more: Any) -> Any:
        calls.append(None)
        return really(*args, **more)

    monkeypatch.setattr(room, name, noted)
    return calls


def test_which_messages_hold_cjk_is_asked_once(db: SessionDB, asked: list[str]) -> None:
    for text in ("zq", "zx ", "zq"):
        assert not db.search(parse(text)).hits
    weighed = "length(m.content) <> length(CAST(m.content AS BLOB))"
    assert sum("json_group_array(m.id)" in sql and weighed in sql and "LIKE" not in sql for sql in asked) == 1


def test_where_a_short_text_stands_is_asked_once(db: SessionDB, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = counted(monkeypatch, trigrams, "places")
    page = db.search(parse("会"), limit=1)
    while not page.exhausted:
        page = db.search(parse("会"), limit=1, after=page)
    assert (len(page.hits), sum(hit.hits for hit in page.hits), len(walks)) == (9, 60, 1)


def test_what_filters_leave_is_kept_but_where_time_changes_it(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    sifted = counted(monkeypatch, filters, "_sifted")
    for text in ("d", "do", "doc"):
        assert len(db.search(parse(f"source:cli {text}")).hits) == 5
    assert len(sifted) == 1
    for text in ("d", "do"):
        assert len(db.search(parse(f"source:telegram after:30y {text}")).hits) == 4
    assert len(sifted) == 3


def test_the_next_page_is_not_begun_with_small_steps(
    db: SessionDB, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SLICE", 4)
    first = db.search(parse("docker "), limit=4)
    walked = "SELECT json_group_array(id) FROM (SELECT rowid AS id FROM messages_fts "
    steps = [sql for sql in asked if sql.startswith(walked)]
    asked.clear()
    second = db.search(parse("docker "), limit=4, after=first)
    further = [sql for sql in asked if sql.startswith(walked)]
    assert len(second.hits) >= 8
    assert "LIMIT 2)" in steps[0]
    assert "LIMIT 2)" not in further[0]
    assert len(further) < len(steps)


def test_what_is_known_of_a_message_is_kept_until_somebody_commits(
    db: SessionDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    really = hits._read_facts

    def noted(reader: Reader, ids: Sequence[int], scope: Scope, cancel: Cancel) -> list[hits.Facts]:
        read.extend(ids)
        return really(reader, ids, scope, cancel)

    monkeypatch.setattr(hits, "_read_facts", noted)
    for text in ("docker ", "error ", "docker error "):
        assert sum(hit.hits for hit in db.search(parse(text)).hits) == 60
    assert sorted(read) == list(range(1, 61))
    with closing(sqlite3.connect(db.path)) as other, other:
        other.execute("UPDATE messages SET active = 0, compacted = 0 WHERE id > 50")
        other.execute("UPDATE messages SET session_id = 's1' WHERE id = 50")
    numbers = {hit.entry.id: hit.hits for hit in db.search(parse("docker ")).hits}
    assert numbers == {"s0": 6, "s1": 7, "s2": 6, "s3": 6, "s4": 5, "s5": 5, "s6": 5, "s7": 5, "s8": 5}
