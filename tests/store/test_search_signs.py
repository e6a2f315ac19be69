"""Emoji, and signs that are younger than the tables of the index: every layout finds them, and what touches them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import SearchOrder, SessionQuery, parse
from storage.conversation.content import flatten
from storage.finding import routes, trigrams
from tests.support.layouts import INDEXES, Row, write
from tests.support.searching import ONE_COLUMN, encoded, found, look, opened, text_part

EMOJI = ["⏰", "⌚", "⏸", "⬛", "🦀", "⚠", "⚠️", "❤️‍🔥", "🇩🇪", "👍🏽", "1️⃣", "©️", "㊗", "👩🏽‍💻"]
SHOWN = ["❤🔥", "1⃣", "👩💻", "©", "🏽"]
"""What is seen of some of them, and is copied from a screen."""
SIGNS = ["₽", "₿", "\u2e3e"]
UNSEEN = ["\u2067", "\u2069", "\u061c"]
TEXT = ["™", "‼", "↔", "▶", "€", "①"]
PIECES = [*EMOJI, *SHOWN, *SIGNS, *UNSEEN, *TEXT, "docker", "Café", "ok", "100", "5", "会", "-", " ", "\n"]
SAID = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
IN_PARTS = st.lists(st.sampled_from([piece for piece in PIECES if piece not in "会㊗"]), max_size=7).map(
    "".join
)
"""What else the index cannot tell of CJK in JSON is another matter."""
ROWS = st.lists(
    st.builds(
        Row,
        session_id=st.sampled_from("abc"),
        content=SAID | IN_PARTS.map(lambda said: encoded(text_part(said))),
        role=st.sampled_from(["user", "assistant", "tool"]),
        tool_name=st.none(),
        tool_calls=st.none(),
        active=st.just(1),
        compacted=st.just(0),
        display_kind=st.none(),
    ),
    min_size=1,
    max_size=8,
)
TERMS = st.one_of(
    st.sampled_from([*EMOJI, *SHOWN, *SIGNS, *TEXT, "docker", "dock*", "ok", "100", "5", "cafe", "会"]),
    st.tuples(
        st.sampled_from(["docker", "ok", "100", "5", "会", ""]),
        st.sampled_from([*EMOJI, *SIGNS, *UNSEEN, *TEXT]),
    ).map("".join),
)
QUERIES = st.lists(
    st.one_of(TERMS, TERMS, TERMS.map("NOT {}".format), st.just("OR")), min_size=1, max_size=3
).map(" ".join)


def oracle(rows: Sequence[Row], query: SessionQuery) -> dict[str, int]:
    """By the definition alone."""
    held = [row.session_id for row in rows if query.matches(flatten(row.content))]
    return {session_id: held.count(session_id) for session_id in held}


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(INDEXES.keys() - {*ONE_COLUMN, "damaged trigrams"})),
    ROWS,
    QUERIES,
    st.booleans(),
    st.sampled_from(SearchOrder),
    st.sampled_from([4, 6_000]),
    st.sampled_from([0, 50_000]),
)
def test_every_layout_agrees_with_the_definition(
    layout: str, rows: list[Row], text: str, typing: bool, order: SearchOrder, newest: int, places: int
) -> None:
    query = parse(text, typing=typing)
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as directory,
        opened(write(Path(directory) / "state.db", layout, rows)) as db,
    ):
        patch.setattr(routes, "NEWEST_FIRST", newest)
        patch.setattr(trigrams, "MOST_PLACES", places)
        result = db.search(query, order=order)
    in_messages = {id_: hits for id_, hits in found(result).items() if hits}
    assert in_messages == (oracle(rows, query) if query.is_search else {})


@pytest.mark.parametrize("layout", ["none", "v11", "v23", "v30"])
@pytest.mark.parametrize(
    "touching",
    [
        "100₽",
        "₽100",
        "x₽100₽y",
        "100⏸",
        "\u2067100\u2069",
        "x\u2067100\u2069y",
        "100\u061c",
        "100🦀",
        "a🦀100🦀b",
    ],
)
def test_a_word_that_touches_a_young_sign_is_found(tmp_path: Path, layout: str, touching: str) -> None:
    path = write(
        tmp_path / "state.db", layout, [Row("a", f"it costs {touching}, he said"), Row("b", "21005")]
    )
    assert found(look(path, "100")) == {"a": 1}


@pytest.mark.parametrize("touching", ["5₽", "₽5", "\u20675\u2069", "5\u061c", "🦀5"])
def test_without_trigrams_or_where_it_is_short_as_well(tmp_path: Path, touching: str) -> None:
    for layout in ("external", "v23"):
        path = write(
            tmp_path / f"{layout}.db", layout, [Row("a", f"it costs {touching}, he said"), Row("b", "25")]
        )
        assert found(look(path, "5")) == {"a": 1}


@pytest.mark.parametrize("layout", ["v11", "v23", "v29", "v30"])
@pytest.mark.parametrize("text", ["ok", "ok OR 部署失败", "5 OR ok", "zebra OR ok OR 🦀"])
def test_a_short_word_inside_cjk_is_found_beside_others(tmp_path: Path, layout: str, text: str) -> None:
    rows = [Row("a", "会ok会"), Row("b", "book")]
    assert found(look(write(tmp_path / "state.db", layout, rows), text)) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("⏰", ["⏰"]),
        ("done⏰", ["done⏰"]),
        ("1️⃣", ["1️⃣"]),
        ("100₽", ["100₽"]),
        ("₽", ["₽"]),
        ("100", ["100"]),
        ("⚠️", ["⚠", "⚠"]),
        ("⚠", ["⚠", "⚠"]),
        ("\u2067done\u2069", ["done", "done"]),
        ("©️", ["©"]),
        ("❤🔥", ["❤️‍🔥"]),
        ("❤️‍🔥", ["❤️‍🔥"]),
        ("1⃣", ["1️⃣"]),
        ("👩💻", ["👩🏽‍💻"]),
        ("👩‍💻", ["👩🏽‍💻"]),
        ("👩🏿‍💻", []),
        ("👩", ["👩"]),
        ('"⚠ or"', ["⚠️ or"]),
        ("\ufe0f", ["\ufe0f"] * 3),
        ("done™", ["done", "done"]),
    ],
)
def test_what_is_marked(text: str, marked: list[str]) -> None:
    said = "done⏰ 1️⃣ of 10, 2100 or 100₽: ⚠️ or ⚠ © done‼ 👩🏽‍💻❤️‍🔥"
    query = parse(text, typing=False)
    assert [said[start:end] for start, end in query.spans(said)] == marked
