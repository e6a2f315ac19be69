"""Every route against the definition of a match, on messages of any script in every layout."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import (
    SearchOrder,
    SearchResult,
    SessionQuery,
    parse,
)
from storage.conversation.content import searched
from storage.finding import glue, index, known_names, ranges, routes, scan, sieve, trigrams
from storage.finding import hits as hits_room
from tests.support.layouts import INDEXES, Row, write
from tests.support.searching import (
    ONE_COLUMN,
    PARTS_UNKNOWN,
    PICTURE,
    TALK,
    encoded,
    found,
    look,
    opened,
    text_part,
)

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


def called(told: str, plainly: bool = False) -> str:
    """Tool calls as Hermes stores them, of a model that writes its own JSON plainly, or escapes what is not ASCII."""
    arguments = json.dumps({"command": told}, ensure_ascii=not plainly)
    return json.dumps([{"id": "c1", "function": {"name": "patch", "arguments": arguments}}])


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
            [None, '[{"function":{"name":"patch","arguments":"{}"}}]', "[broken docker", "[broken\\\\ndocker"]
        )
        | st.builds(called, PLAIN, st.booleans()),
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
        st.sampled_from(
            [
                "doc",
                "caf",
                "na",
                "de",
                "Dock",
                "dockerfile deploy",
                "terminal",
                "term",
                "patch",
                "cafe",
                "CAFE",
                "naive",
                "ПРИВЕТ",
                "прив",
                "command",
            ]
        ),
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
        texts = searched(row.content, row.tool_name, row.tool_calls)[:columns]
        shown = (row.active or row.compacted) and row.display_kind != "hidden" and row.role != "session_meta"
        if shown and query.matches(*texts):
            hits[row.session_id] += 1
    return dict(hits)


def assert_defined(layout: str, result: SearchResult, rows: Sequence[Row], query: SessionQuery) -> None:
    """What was found in messages is what the definition finds there."""
    in_messages = {id_: hits for id_, hits in found(result).items() if hits}
    matching = oracle(rows, query, columns=4) if query.is_search else {}
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


def _is_unknown(row: Row) -> bool:
    """Whether its tool calls are what no Hermes writes, where the trigrams do not know them."""
    return not (row.tool_calls or "").isascii() and (str(row.content).startswith("\0") or row.role == "tool")


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
        tool_calls=st.sampled_from([None, '{"name": "patch", "arguments": "用docker部署失败了"}'])
        | st.builds(called, WIDE_TEXTS, st.booleans())
        | SPACED_TEXTS.map(lambda text: json.dumps([{"arguments": {"text": text}}], ensure_ascii=False)),
        active=st.sampled_from([1, 1, 0]),
        compacted=st.sampled_from([0, 1]),
    ).map(lambda row: row._replace(tool_calls=None) if _is_unknown(row) else row),
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
        assert found(db.search(query)) == oracle(rows, query, columns=4)


WAYS = st.fixed_dictionaries(
    {
        (ranges, "MET"): st.sampled_from([-1, 5_000]),
        (ranges, "TOGETHER"): st.sampled_from([1, 3, 5_000]),
        (routes, "NEWEST_FIRST"): st.sampled_from([1, 4, 6_000]),
        (routes, "COMMON"): st.sampled_from([-1, 0.02]),
        (routes, "FEW_MESSAGES"): st.sampled_from([-1, 60_000]),
        (trigrams, "MOST_PLACES"): st.sampled_from([0, 2, 50_000]),
        (trigrams, "DENSE"): st.sampled_from([0, 64]),
        (glue, "FEW"): st.sampled_from([-1, 0.002]),
        (glue, "TIMES"): st.sampled_from([0, 2]),
        (trigrams, "_MOST_ACCENTED"): st.sampled_from([0, 5_000]),
        (hits_room, "_KEPT"): st.sampled_from([0, 2, 20_000]),
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
    assert found(result) == (oracle(left, query, columns=4) if query.is_search else {})
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
