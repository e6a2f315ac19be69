"""What lone exclusions leave of the top is there before it is known of all conversations what they hold."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import Cancel, HiddenClass, SessionDB, Sort, parse
from storage.errors import Interrupted
from storage.finding import hits, holding, listing, top
from tests.store.test_search_oracle import WIDE_ROWS
from tests.support.layouts import START, Row, write

EVERYBODY = "abcdefg"


@st.composite
def any_sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Seven sessions: alone, compressed into one another, pinned, and of hidden classes."""
    sessions = []
    for place, id_ in enumerate(EVERYBODY):
        parent = draw(st.sampled_from([None, None, *EVERYBODY[:place]]))
        sessions.append(
            {
                "id": id_,
                "parent_session_id": parent,
                "source": draw(st.sampled_from(["cli", "cli", "telegram", "cron"])),
                "title": draw(st.sampled_from([None, "docker notes", "other"])),
                "started_at": START + draw(st.integers(0, 30)),
                "end_reason": draw(st.sampled_from([None, "compression"])),
                "archived": draw(st.sampled_from([0, 0, 0, 1])),
                "pinned": draw(st.sampled_from([0, 0, 1])),
            }
        )
    return sessions


def with_pins(path: Path, layout: str, rows: list[Row], sessions: list[dict[str, Any]]) -> Path:
    pins = [session.pop("pinned") for session in sessions]
    write(path, layout, rows, sessions)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN pinned INTEGER DEFAULT 0")
        for session, pinned in zip(sessions, pins, strict=True):
            db.execute("UPDATE sessions SET pinned = ? WHERE id = ?", (pinned, session["id"]))
    return path


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["one column", "v11", "v23", "v30", "none", "stale", "v23 rebuilding", "damaged"]),
    st.lists(st.tuples(WIDE_ROWS, st.sampled_from(["abc", "def", "cga"])), min_size=1, max_size=3),
    any_sessions(),
    st.lists(
        st.sampled_from(["docker", "café", "会话", "部署失败", "ok", "Docker会", "c++", "dock*", "nowhere"]),
        min_size=1,
        max_size=2,
        unique=True,
    ),
    st.sampled_from(["", "source:cli", "-is:archived", "source:cron"]),
    st.sampled_from(Sort),
    st.sets(st.sampled_from(HiddenClass)),
    st.integers(1, 4),
    st.integers(1, 3),
    st.booleans(),
)
def test_the_first_page_is_the_top_of_the_whole(
    layout: str,
    some: list[tuple[list[Row], str]],
    sessions: list[dict[str, Any]],
    words: list[str],
    beside: str,
    sort: Sort,
    shown: set[HiddenClass],
    limit: int,
    first: int,
    alone: bool,
) -> None:
    rows = [row._replace(session_id=ids["abc".index(row.session_id)]) for own, ids in some for row in own]
    query = parse(f"{''.join(f'NOT {word} ' for word in words)}{beside} ", typing=False)
    show = frozenset(shown)
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as directory,
        SessionDB(with_pins(Path(directory) / "state.db", layout, rows, sessions), read_only=True) as db,
    ):
        patch.setattr(listing, "SMALL", 0)
        patch.setattr(top, "_FIRST", first)
        patch.setattr(holding, "_ALONE", 2_000 if alone else 0)
        page = db.first_page(show, limit, query=query, sort=sort)
        whole = db.listing(query, sort, show, fresh=False)
        again = db.first_page(show, limit, query=query, sort=sort)
    assert page.entries == (whole.entries if page.complete else whole.entries[:limit])
    assert page.complete is not bool(whole.entries)
    assert again == whole


# --- how it is found

MANY = [Row(f"s{n}", "docker" if n % 3 else "podman") for n in range(600) for _ in range(2)]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """600 conversations, the last one the newest; two of three hold the word in each of their messages."""
    return write(tmp_path / "state.db", "external", MANY)


def messages_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    read: list[int] = []
    verified = hits.verified

    def noted(*args: Any, **options: Any) -> Any:
        read.extend(json.loads(args[4][0]))
        return verified(*args, **options)

    monkeypatch.setattr(hits, "verified", noted)
    return read


@pytest.mark.parametrize("layout", ["external", "v23", "none"])
def test_only_conversations_near_the_top_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    read = messages_read(monkeypatch)
    with SessionDB(write(tmp_path / "state.db", layout, MANY), read_only=True) as db:
        db.listing()
        page = db.first_page(limit=40, query=parse("-docker "))
        assert [entry.id for entry in page.entries] == [f"s{n}" for n in range(597, 477, -3)]
        # A hundred of them hold no more than 34 that are left, and twice as many more all that is wanted.
        assert min(read, default=len(MANY)) > len(MANY) - 2 * 300


def test_who_writes_on_waits_for_nothing(many: Path) -> None:
    cancel = Cancel()
    cancel.cancel()
    with SessionDB(many, read_only=True) as db:
        db.listing()
        with pytest.raises(Interrupted):
            db.first_page(query=parse("-docker "), cancel=cancel)
        assert not db.first_page(query=parse("-docker ")).complete


@pytest.mark.parametrize("most", [3, 100])
def test_a_word_that_is_nearly_everywhere_is_looked_for_no_further(
    many: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Few rows are shown, or all of them at once where there would be none."""
    monkeypatch.setattr(top, "_FIRST", 2)
    monkeypatch.setattr(top, "_MOST", most)
    asked: list[int] = []
    among = holding.Holders.among

    def noted(holders: holding.Holders, sessions: list[str]) -> Any:
        asked.append(len(sessions))
        return among(holders, sessions)

    monkeypatch.setattr(holding.Holders, "among", noted)
    with SessionDB(many, read_only=True) as db:
        db.listing()
        page = db.first_page(query=parse("-docker "))
        assert (len(page.entries), page.complete) == ({3: 2, 100: 42}[most], False)
        assert asked == {3: [2, 4], 100: [2, 4, 8, 16, 32, 64]}[most]
        page = db.first_page(query=parse("-docker -podman "))
        assert (page.entries, page.complete) == ((), True)


def test_what_is_known_is_not_looked_for(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SessionDB(many, read_only=True) as db:
        whole = db.listing(parse("-docker "))
        monkeypatch.setattr(holding, "Holders", None)
        assert db.first_page(query=parse("-docker ")) == whole


@pytest.mark.parametrize("line", ["source:cli ", ""])
def test_any_other_list_comes_whole(many: Path, line: str) -> None:
    with SessionDB(many, read_only=True) as db:
        assert db.first_page(query=parse(line)) == db.listing(parse(line))
        assert db.first_page(sort=Sort.STARTED) == db.listing(sort=Sort.STARTED)


def test_the_rows_of_the_page_do_not_wait_for_the_whole(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection runs one statement at a time: what takes long is asked of the other one."""
    with SessionDB(many, read_only=True) as db:
        db.listing()
        run = db.reader._run
        asked: list[str] = []

        def noted(sql: str, *rest: Any) -> Any:
            asked.append(sql)
            return run(sql, *rest)

        monkeypatch.setattr(db.reader, "_run", noted)
        db.first_page(query=parse("-docker "))
        db.listing(parse("-docker "), fresh=False)
        assert asked == []
