"""Words → conversations: every route finds the same, newest first, and says what it could not do."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import (
    Cancel,
    HiddenClass,
    Interrupted,
    SearchOrder,
    SearchResult,
    SessionDB,
    SessionQuery,
    parse,
)
from storage.conversation.content import flatten
from storage.finding import index, known_names, ranges, routes, scan, sieve, trigrams
from tests.support.layouts import INDEXES, START, Row, write
from tests.support.stores import CopyStore


@contextmanager
def opened(path: Path) -> Iterator[SessionDB]:
    with SessionDB(path, read_only=True) as db:
        yield db


def look(path: Path, text: str, *, typing: bool = False, **options: Any) -> SearchResult:
    with opened(path) as db:
        return db.search(parse(text, typing=typing), **options)


def found(result: SearchResult) -> dict[str, int]:
    """Conversations and their hits, in order."""
    return {hit.entry.id: hit.hits for hit in result.hits}


def encoded(*parts: object) -> str:
    return "\x00json:" + json.dumps(parts)


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo zebra"}}

ONE_COLUMN = ("one column", "v10")
"""Layouts whose index of words knows nothing but content."""

WHY_SCANNED = {
    "none": "search index missing",
    "stale": "search index out of date",
    "marked stale": "search index out of date",
}

PARTS_UNKNOWN = {"one column", "inline", "external", "rebuilding", "trigrams stale"}
"""Layouts with nothing that knows a word inside a longer one."""

WITHOUT_TRIGRAMS = [name for name, sql in INDEXES.items() if "trigram" not in sql]

TALK = [
    Row("a", "deploy with docker"),
    Row("b", "the docker daemon", "assistant"),
    Row("c", "nothing to see"),
    Row(
        "a",
        None,
        "assistant",
        None,
        '[{"function":{"name":"terminal","arguments":"{\\"cmd\\":\\"docker ps\\"}"}}]',
    ),
    Row("a", "CONTAINER ID", "tool", "docker_tool"),
    Row("d", "rewound docker", active=0),
    Row("d", "compacted docker", active=0, compacted=1),
    Row("e", "hidden docker", display_kind="hidden"),
    Row("e", "docker meta", "session_meta"),
]


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


WORDS = [
    "docker",
    "Dockerfile",
    "deploy",
    "café",
    "CAFÉ",
    "ümlaut",
    "naïve",
    "x",
    "json",
    "type",
    "n",
    "ß",
    "Привет",
    "42",
]
GAPS = [
    "",
    " ",
    "\n",
    "\t",
    ", ",
    "-",
    "_",
    "/",
    " — ",
    "“",
    "”",
    "…",
    "%",
    "  ",
    '"',
    "\\",
    "\x00",
    "'",
    "(",
    "*",
    "^",
    ":",
]
PLAIN = st.lists(st.tuples(st.sampled_from(GAPS), st.sampled_from(WORDS)).map("".join), max_size=5).map(
    "".join
)
CONTENT = st.one_of(
    PLAIN,
    PLAIN.map(lambda text: encoded(text_part(text), PICTURE)),
    st.none(),
    PLAIN.map(lambda text: "\x00json:" + text.replace("\x00", "")),
)
ROWS = st.lists(
    st.builds(
        Row,
        session_id=st.sampled_from(["a", "b", "c", "d"]),
        content=CONTENT,
        role=st.sampled_from(["user", "assistant", "tool", "session_meta"]),
        # No phrase is made of this word: the inline index runs on from the content into the tool's name.
        tool_name=st.sampled_from([None, "terminal"]),
        tool_calls=st.sampled_from(
            [None, '[{"function":{"name":"patch","arguments":"{}"}}]', "[broken docker"]
        ),
        active=st.sampled_from([1, 1, 1, 0]),
        compacted=st.sampled_from([0, 1]),
        display_kind=st.sampled_from([None, None, "hidden", "steer"]),
    ),
    min_size=1,
    max_size=12,
)
QUERIES = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(["doc", "caf", "na", "de", "Dock", "dockerfile deploy", "terminal", "term", "patch"]),
        st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(lambda pair: f'"{pair[0]} {pair[1]}"'),
        st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map("/".join),
    ),
    min_size=1,
    max_size=2,
).map(" ".join)


def oracle(rows: Sequence[Row], query: SessionQuery, *, columns: int) -> dict[str, int]:
    """By the definition alone: every message that is shown, decoded, looked through."""
    hits: Counter[str] = Counter()
    for row in rows:
        texts = [flatten(row.content), row.tool_name or "", row.tool_calls or ""][:columns]
        shown = (row.active or row.compacted) and row.display_kind != "hidden" and row.role != "session_meta"
        if shown and query.matches(*texts):
            hits[row.session_id] += 1
    return dict(hits)


def assert_defined(layout: str, result: SearchResult, rows: Sequence[Row], query: SessionQuery) -> None:
    """What was found in messages is what the definition finds there."""
    in_messages = {id_: hits for id_, hits in found(result).items() if hits}
    matching = oracle(rows, query, columns=3) if query.is_search else {}
    if layout in ONE_COLUMN:
        # Its notes say that tool calls may be missed.
        certain = oracle(rows, query, columns=1) if query.is_search and not query.excluded else {}
        assert set(certain) <= set(in_messages) <= set(matching)
    else:
        assert in_messages == matching


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(INDEXES)), ROWS, QUERIES, st.booleans())
def test_every_layout_agrees_with_the_definition(
    layout: str, rows: list[Row], text: str, typing: bool
) -> None:
    query = parse(text, typing=typing)
    with (
        tempfile.TemporaryDirectory() as directory,
        opened(write(Path(directory) / "state.db", layout, rows)) as db,
    ):
        result = db.search(query)
    assert_defined(layout, result, rows, query)
    newest = [hit.messages[0] for hit in result.hits if not hit.by_name]
    assert newest == sorted(newest, reverse=True)


WIDE = st.lists(
    st.sampled_from(
        [
            "会",
            "话",
            "会话",
            "部署失败",
            "🦀",
            "👍🏽",
            "デ",
            "한국",
            "docker",
            "ok",
            "Docker",
            "Ä",
            "café",
            "，",
            "%",
            "100",
            "C++",
            "->",
            "_",
            ".",
        ]
    )
    | st.sampled_from(' \n"'),
    max_size=7,
)
WIDE_TEXTS = WIDE.map("".join)
SPACED_TEXTS = WIDE.map(" ".join)
"""JSON that is not in ASCII hides a word that is glued to CJK."""
WIDE_ROWS = st.lists(
    st.builds(
        Row,
        session_id=st.sampled_from("abc"),
        content=WIDE_TEXTS
        # Longer than what layout C3 knows of a tool.
        | WIDE_TEXTS.map(lambda text: f"{'- ' * 4_096}{text}")
        | WIDE_TEXTS.map(lambda text: encoded(text_part(text), PICTURE))
        | SPACED_TEXTS.map(lambda text: "\x01json:" + json.dumps([text_part(text)], ensure_ascii=False)),
        role=st.sampled_from(["user", "assistant", "tool"]),
        tool_calls=st.sampled_from([None, '{"name": "patch", "arguments": "用docker部署失败了"}']),
        active=st.sampled_from([1, 1, 0]),
        compacted=st.sampled_from([0, 1]),
    ).map(lambda row: row._replace(tool_calls=None) if str(row.content).startswith("\0") else row),
    min_size=1,
    max_size=9,
)
WIDE_TERMS = st.sampled_from(
    [
        "会",
        "会话",
        "话部",
        "部署失败",
        "署失败会",
        "🦀",
        "👍🏽",
        "👍",
        "한",
        "ä会",
        "docker会",
        "，",
        "%",
        "->",
        "_",
        "docker",
        "dock*",
        "ok",
        "café",
        "100%",
        "c++",
        "100",
        "o*",
    ]
)
WIDE_QUERIES = st.lists(
    st.one_of(WIDE_TERMS, WIDE_TERMS, WIDE_TERMS.map("NOT {}".format), st.just("OR")), min_size=1, max_size=4
).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(
    # A damage that no query meets cannot be known of.
    st.sampled_from(sorted(INDEXES.keys() - {"damaged trigrams"})),
    WIDE_ROWS,
    WIDE_QUERIES,
    st.booleans(),
    st.sampled_from(SearchOrder),
)
def test_every_script_agrees_with_the_definition(
    layout: str, rows: list[Row], text: str, typing: bool, order: SearchOrder
) -> None:
    query = parse(text, typing=typing)
    rows = [*rows, Row("a", "一个用中文写的店", active=0)]
    with (
        tempfile.TemporaryDirectory() as directory,
        opened(write(Path(directory) / "state.db", layout, rows)) as db,
    ):
        result = db.search(query, order=order)
    assert_defined(layout, result, rows, query)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(PARTS_UNKNOWN - {"one column"})),
    WIDE_ROWS,
    st.sampled_from(["会", "会话", "🦀", "部署失败 -> 会", "会 OR docker", "%"]),
)
def test_without_trigrams_writing_without_blanks_is_scanned(layout: str, rows: list[Row], text: str) -> None:
    query = parse(text)
    with (
        tempfile.TemporaryDirectory() as directory,
        opened(write(Path(directory) / "state.db", layout, rows)) as db,
    ):
        assert found(db.search(query)) == oracle(rows, query, columns=3)


WAYS = st.fixed_dictionaries(
    {
        (ranges, "MET"): st.sampled_from([-1, 5_000]),
        (ranges, "TOGETHER"): st.sampled_from([1, 3, 5_000]),
        (routes, "NEWEST_FIRST"): st.sampled_from([1, 4, 6_000]),
        (routes, "FEW_MESSAGES"): st.sampled_from([-1, 60_000]),
        (trigrams, "MOST_PLACES"): st.sampled_from([0, 2, 50_000]),
        (known_names, "SPARED"): st.sampled_from([0, 3]),
        (scan, "SLICE"): st.sampled_from([1, 2, 500]),
        (index, "SLICE"): st.sampled_from([1, 8, 600]),
        (sieve, "SLICE"): st.sampled_from([1, 8, 1_000]),
    }
)
"""What decides which way a search goes, and how far at once: nothing of it may change an answer."""


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["v11", "v23", "v30", "none", "v23 rebuilding"]),
    WIDE_ROWS,
    WIDE_QUERIES,
    st.booleans(),
    st.sampled_from(["", "source:telegram ", "source:cli "]),
    WAYS,
)
def test_no_way_changes_an_answer(
    layout: str, rows: list[Row], text: str, typing: bool, source: str, ways: dict[tuple[Any, str], int]
) -> None:
    query = parse(f"{source}{text}", typing=typing)
    rows.append(Row("a", "一个用中文写的店", active=0))
    sessions = [
        {"id": "a", "source": "telegram"},
        {"id": "b", "source": "telegram"},
        {"id": "c", "source": "cli"},
    ]
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as directory,
        opened(write(Path(directory) / "state.db", layout, rows, sessions)) as db,
    ):
        patch.setattr(ranges, "NEARLY_ALL", 0.9)
        for (room, name), value in ways.items():
            patch.setattr(room, name, value)
        result = db.search(query)
        pages = db.search(query, limit=1)
        while not pages.exhausted:
            pages = db.search(query, limit=1, after=pages)
    left = [row for row in rows if not source or (row.session_id == "c") == ("cli" in source)]
    assert found(result) == (oracle(left, query, columns=3) if query.is_search else {})
    assert pages.hits == result.hits


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(INDEXES)), st.text(st.characters()), st.booleans())
def test_any_text_can_be_searched_for(
    tmp_path_factory: pytest.TempPathFactory, layout: str, text: str, typing: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any-{layout}.db"
    if not path.exists():
        write(path, layout, TALK)
    result = look(path, text, typing=typing)
    assert result.exhausted
