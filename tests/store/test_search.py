"""Words → conversations: every route finds the same, newest first, and says what it could not do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import (
    Cancel,
    HiddenClass,
    Interrupted,
    SearchResult,
    parse,
)
from storage.conversation.content import flatten
from storage.finding import index, scan, sieve
from tests.support.layouts import INDEXES, START, Row, write
from tests.support.searching import (
    PICTURE,
    TALK,
    WHY_SCANNED,
    WITHOUT_TRIGRAMS,
    encoded,
    found,
    look,
    opened,
    text_part,
)
from tests.support.stores import CopyStore


@pytest.mark.parametrize(
    ("layout", "scanned", "notes"),
    [
        ("inline", False, ()),
        ("external", False, ()),
        ("rebuilding", True, ("search index still being built: 3 messages scanned",)),
        ("none", True, ("search index missing: scanned",)),
        ("stale", True, ("search index out of date: scanned",)),
        ("marked stale", True, ("search index out of date: scanned",)),
        ("damaged", True, ("search index damaged: scanned",)),
    ],
)
def test_every_route_finds_the_same(
    tmp_path: Path, layout: str, scanned: bool, notes: tuple[str, ...]
) -> None:
    result = look(write(tmp_path / "state.db", layout, TALK), "docker")
    assert found(result) == {"d": 1, "a": 3, "b": 1}
    assert [hit.messages for hit in result.hits] == [(7,), (5, 4, 1), (2,)]
    assert result.exhausted
    assert result.scanned is scanned
    assert result.notes == notes
    assert result.resume is None
    assert dict(result.hidden) == {}


def test_an_index_of_the_content_alone_says_so(tmp_path: Path) -> None:
    result = look(write(tmp_path / "state.db", "one column", TALK), "docker")
    assert found(result) == {"d": 1, "b": 1, "a": 1}
    assert result.notes == ("old search index: tool calls not searched",)
    assert not result.scanned


@pytest.mark.parametrize("layout", WITHOUT_TRIGRAMS)
def test_what_no_index_of_words_knows_is_scanned(tmp_path: Path, layout: str) -> None:
    path = write(
        tmp_path / "state.db", layout, [Row("a", "去年广西自驾"), Row("b", "done 100%"), Row("c", "🦀 crab")]
    )
    for text, expected in {"广西": "a", "%": "b", "🦀": "c", "_": None}.items():
        result = look(path, text)
        assert list(found(result)) == ([expected] if expected else [])
        assert result.scanned
        assert result.notes == (f"{WHY_SCANNED.get(layout, f'“{text}” is not in the index')}: scanned",)


def test_damaged_trigrams_are_done_without(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "damaged trigrams", [Row("a", "去年广西自驾"), Row("b", "部署失败")])
    result = look(path, "广西自驾")
    assert found(result) == {"a": 1}
    assert result.notes == ("search index damaged: scanned",)


@pytest.mark.parametrize("layout", INDEXES)
def test_pictures_are_searched_by_their_words_alone(tmp_path: Path, layout: str) -> None:
    path = write(
        tmp_path / "state.db",
        layout,
        [
            Row("words", encoded(text_part("describe the\nzebra — “Größe” photo"), PICTURE)),
            Row("picture", encoded(PICTURE)),
            Row("other form", '\x01json:[{"type":"text","text":"zebra"}]'),
            Row("broken", "\x00json:zebra not json"),
            Row("plain", "json zebra"),
            Row("word", "nzebra"),
        ],
    )
    assert list(found(look(path, "zebra"))) == ["plain", "broken", "other form", "words"]
    assert list(found(look(path, "größe photo"))) == ["words"]
    assert list(found(look(path, '"the zebra"'))) == ["words"]
    assert list(found(look(path, "zeb", typing=True))) == ["plain", "broken", "other form", "words"]
    assert found(look(path, "base64")) == {}
    assert found(look(path, "url type")) == {}


def test_more_encoded_messages_than_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sieve, "ENCODED_SLICE", 2)
    rows = [Row(f"s{n}", encoded(text_part("zebra")) if n % 2 else "zebra") for n in range(12)]
    result = look(write(tmp_path / "state.db", "external", rows), "zebra")
    assert list(found(result)) == [f"s{n}" for n in reversed(range(12))]
    assert set(found(result).values()) == {1}


def test_the_walk_stops_when_the_page_is_full_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SLICE", 6)
    rows = [Row(f"s{n % 5}", "docker") for n in range(20)]
    with opened(write(tmp_path / "state.db", "external", rows)) as db:
        query = parse("docker ")
        first = db.search(query, limit=2)
        assert found(first) == {"s4": 1, "s3": 1, "s2": 1}
        assert not first.exhausted
        second = db.search(query, limit=1, after=first)
        assert found(second) == {"s4": 2, "s3": 1, "s2": 1, "s1": 1, "s0": 1}
        again = db.search(query, limit=1, after=first)
        assert again.hits == second.hits
        assert found(first) == {"s4": 1, "s3": 1, "s2": 1}
        last = db.search(query, limit=1, after=second)
        assert found(last) == {"s4": 4, "s3": 4, "s2": 4, "s1": 4, "s0": 4}
        assert last.exhausted
        assert db.search(query, after=last) is last


def test_a_full_page_is_found_however_much_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SLICE", 3)
    rows = [Row("old", "docker")] + [Row(f"c{n}", "docker") for n in range(30)]
    sessions = [{"id": f"c{n}", "source": "cron"} for n in range(30)]
    result = look(write(tmp_path / "state.db", "external", rows, sessions), "docker", limit=1)
    assert found(result) == {"old": 1}
    assert result.hidden == {HiddenClass.CRON: 30}


def test_hidden_classes_and_sources(tmp_path: Path) -> None:
    path = write(
        tmp_path / "state.db",
        "external",
        [Row(id_, "docker") for id_ in ("plain", "arch", "cron", "kid", "tool", "bot", "cronarch")],
        [
            {"id": "arch", "source": "cli", "archived": 1},
            {"id": "cron", "source": "cron"},
            {"id": "kid", "source": "cli", "model_config": '{"_delegate_from": "plain"}'},
            {"id": "tool", "source": "tool"},
            {"id": "bot", "source": "telegram", "title": "docker too"},
            {"id": "cronarch", "source": "cron", "archived": 1},
        ],
    )
    everything = look(path, "docker")
    assert set(found(everything)) == {"plain", "bot"}
    assert everything.hidden == {
        HiddenClass.ARCHIVED: 2,
        HiddenClass.CRON: 1,
        HiddenClass.SUBAGENT: 1,
        HiddenClass.TOOL: 1,
    }
    assert set(found(look(path, "docker", show=frozenset({HiddenClass.TOOL})))) == {"plain", "bot", "tool"}
    cron = look(path, "docker source:cron")
    assert set(found(cron)) == {"cron"}
    assert cron.hidden == {HiddenClass.ARCHIVED: 1}
    assert set(found(look(path, "docker source:telegram source:tool"))) == {"bot", "tool"}
    assert look(path, "source:cron").hits == ()


def test_hits_of_a_chain_are_one_row(tmp_path: Path) -> None:
    path = write(
        tmp_path / "state.db",
        "external",
        [
            Row("root", "docker one"),
            Row("tip", "docker two"),
            Row("other", "docker three"),
            Row("root", "docker four"),
        ],
        [
            {"id": "root", "source": "cli", "ended_at": START + 1, "end_reason": "compression"},
            {"id": "tip", "source": "cli", "parent_session_id": "root", "started_at": START + 1},
        ],
    )
    result = look(path, "docker")
    assert found(result) == {"tip": 3, "other": 1}
    assert result.hits[0].messages == (4, 2, 1)


def test_titles_and_ids_stand_by_last_activity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SLICE", 1)
    path = write(
        tmp_path / "state.db",
        "external",
        [
            Row("old", "x"),
            Row("hit1", "docker"),
            Row("mid_docker_id", "x"),
            Row("hit2", "docker"),
            Row("titled", "docker"),
            Row("titled", "last word"),
        ],
        [
            {"id": "titled", "title": "All about Docker"},
            {"id": "old", "title": "Döcker, docker!"},
            {"id": "none", "title": "dockers"},
        ],
    )
    with opened(path) as db:
        query = parse("docker ")
        result = db.search(query)
        assert found(result) == {"titled": 1, "hit2": 1, "mid_docker_id": 0, "hit1": 1, "old": 0}
        assert [hit.by_name for hit in result.hits] == [True, False, True, False, True]
        first = db.search(query, limit=1)
        assert list(found(first)) == ["titled"]
        assert list(found(db.search(query, limit=1, after=first))) == ["titled", "hit2"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("modpack", {"20260315_092437_c9a6ff"}),
        ("20260315_0924", {"20260315_092437_c9a6ff"}),
        ("c9a6ff", {"20260315_092437_c9a6ff"}),
        ("C9A6", {"20260315_092437_c9a6ff"}),
        ("c9a", set()),
        ("an-94", {"20260316_101010_aaaaaa"}),
        ("modpack 2026", {"20260315_092437_c9a6ff"}),
        ("modpack aaaaaa", set()),
        ("2026%", set()),
        ("serv", set()),
        ("résumé", {"20260316_101010_aaaaaa"}),
        ("部署", {"20260316_101010_aaaaaa"}),
    ],
)
@pytest.mark.parametrize("drop", [False, True])
def test_names(tmp_path: Path, text: str, ids: set[str], drop: bool) -> None:
    path = write(
        tmp_path / "state.db",
        "external",
        [],
        [
            {"id": "20260315_092437_c9a6ff", "title": "Building the Modpack Server"},
            {"id": "20260316_101010_aaaaaa", "title": "AN-94 Resume 部署"},
        ],
    )
    if not drop:
        with closing(sqlite3.connect(path)) as db:
            db.execute(
                "CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL"
            )
    assert set(found(look(path, text))) == ids


def test_a_title_given_meanwhile_is_found_at_once(tmp_path: Path) -> None:
    """Titles that nearly all hold a letter are kept between two keys, but no longer than they stand."""
    path = write(tmp_path / "state.db", "external", [Row("a", "nothing")], [{"id": "a", "title": "zebra"}])
    with opened(path) as db:
        assert found(db.search(parse("z"))) == {"a": 0}
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE sessions SET title = 'yak'")
        assert found(db.search(parse("z"))) == {}
        assert found(db.search(parse("y"))) == {"a": 0}


@given(
    st.lists(st.text(st.sampled_from("ab é\n\x1e-会B")), max_size=6),
    st.sampled_from(["a", "a ", "ab ", "a b ", "a OR b ", "a -bbb ", "ab OR é "]),
)
def test_many_texts_match_as_each_does(texts: list[str], line: str) -> None:
    query = parse(line)
    assert query.matching(texts) == [query.matches(text) for text in texts]


def test_nothing_to_look_for_finds_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "external", TALK)
    assert look(path, "  ") == SearchResult((), exhausted=True)


def test_messages_without_a_session_lead_nowhere(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "external", TALK)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM sessions WHERE id = 'a'")
    assert found(look(path, "docker")) == {"d": 1, "b": 1}


def test_bad_times_do_not_break_the_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "state.db", "external", [Row("a", "docker"), Row("b", "docker"), Row("c", "docker")]
    )
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE messages SET timestamp = CASE id WHEN 3 THEN 'yesterday' WHEN 2 THEN 9e999 ELSE 5 END"
        )
    assert list(found(look(path, "docker"))) == ["c", "b", "a"]


def test_an_index_that_breaks_on_the_way_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of an index that were read before the damaged one gave true answers."""
    monkeypatch.setattr(index, "SLICE", 4)
    rows = [Row(f"s{n}", "docker") for n in range(6)]
    path = write(tmp_path / "state.db", "external", rows)
    with opened(path) as db:
        first = db.search(parse("docker "), limit=1)
        assert list(found(first)) == ["s5", "s4"]
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("DELETE FROM messages_fts_data WHERE id > 10")
        result = db.search(parse("docker "), after=first)
    assert list(found(result)) == ["s5", "s4", "s3", "s2", "s1", "s0"]
    assert set(found(result).values()) == {1}
    assert result.notes == ("search index damaged: scanned",)


def test_a_cancelled_search_stops(tmp_path: Path) -> None:
    with opened(write(tmp_path / "state.db", "external", TALK)) as db:
        cancel = Cancel()
        cancel.cancel()
        with pytest.raises(Interrupted):
            db.search(parse("docker"), cancel=cancel)
        assert found(db.search(parse("docker")))


def test_a_scan_looks_at_the_token_between_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SLICE", 1)
    cancel = Cancel()
    read = scan.read
    slices: list[int] = []

    def watched(*args: Any) -> Any:
        slices.append(args[3])
        if len(slices) == 3:
            cancel.cancel()
        return read(*args)

    monkeypatch.setattr(scan, "read", watched)
    with opened(write(tmp_path / "state.db", "none", TALK)) as db, pytest.raises(Interrupted):
        db.search(parse("zzz"), cancel=cancel)
    assert len(slices) == 3


@pytest.mark.parametrize("layout", ["external", "none"])
@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"w{n}" for n in range(5_000)),
        '"' + " ".join(f"w{n}" for n in range(20_000)) + '"',
        " ".join(f"会{n}" for n in range(5_000)),
        "会" * 60_000,
        "x" * 60_000,
    ],
    ids=["words", "phrase", "terms", "wide", "word"],
)
def test_a_whole_page_pasted_into_the_box(tmp_path: Path, layout: str, text: str) -> None:
    """Past the depth that SQLite allows an expression, and the length that LIKE allows a pattern."""
    rows = [
        Row("plain", text.strip('"')),
        Row("photo", encoded(text_part(text.strip('"')))),
        Row("c", "w0 w1 会0"),
    ]
    path = write(tmp_path / "state.db", layout, rows, [{"id": "titled", "title": text.strip('"')}])
    assert found(look(path, text)) == {"photo": 1, "plain": 1, "titled": 0}


@pytest.mark.parametrize(
    "name",
    [
        "state-v1.db",
        "state-v10.db",
        "state-v11-0.13.0.db",
        "state-v22-delete-journal.db",
        "state-v23.db",
        "state-v23-cjk.db",
        "state-v23-legacyfts.db",
    ],
)
def test_docker_in_every_layout_that_was_stored(copy_store: CopyStore, name: str) -> None:
    path = copy_store(name)
    result = look(path, "docker", show=frozenset(HiddenClass))
    assert not result.scanned
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT content, tool_name, tool_calls FROM messages").fetchall()
    query = parse("docker ")
    columns = 1 if result.notes else 3
    expected = sum(query.matches(*(flatten(value) for value in row[:columns])) for row in rows)
    assert sum(found(result).values()) == expected > 0
