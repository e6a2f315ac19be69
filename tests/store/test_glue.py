"""Words that are parts of many others: only what CJK or a younger sign touches is looked at."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import SessionDB, parse
from storage.engine.connection import Cancel
from storage.finding import glue
from storage.finding.query import SessionQuery
from storage.finding.standing import standing
from tests.support.layouts import Row, write
from tests.support.searching import found, look

CROWD = [Row("crowd", f"years of research, number {number}") for number in range(20)]
LAYOUTS = ["v11", "v23"]


def offered(path: Path, query: SessionQuery) -> str | None:
    """MATCH for what may hold the words beside CJK."""
    with SessionDB(path, read_only=True) as db:
        sieve = glue.glued(standing(db.searcher), query, Cancel())
    return sieve.match if sieve else None


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("said", "text", "match"),
    [
        ("会话 ear", "ear", None),
        ("会ear话", "ear", '(("会ear" OR "ear话") AND ("ear"))'),
        ("会ear", "search ear", '(("会ear") AND (NEAR("sea" "rch", 2) AND "ear"))'),
        ("₽ear", "ear", '(("₽ear") AND ("ear"))'),
        (
            "会ear 会search",
            "ear OR search",
            '(("会ear") AND ("ear")) OR (("会search") AND (NEAR("sea" "rch", 2)))',
        ),
    ],
)
def test_what_touches_them_is_asked_for(
    tmp_path: Path, layout: str, said: str, text: str, match: str | None
) -> None:
    path = write(tmp_path / "state.db", layout, [*CROWD, Row("a", f"{said} 会")])
    assert offered(path, parse(text, typing=False)) == match


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("v11", "éar OR ear"),
        ("v11", " OR ".join(f"ear{number}" for number in range(17))),
        ("v23", "x ear"),
    ],
)
def test_what_cannot_be_told_is_looked_for_everywhere(tmp_path: Path, layout: str, text: str) -> None:
    """Other accents, very many words, a letter that may stand at the end of a text that ends without blanks."""
    path = write(tmp_path / "state.db", layout, [*CROWD, Row("a", "会ear")])
    match = offered(path, parse(text, typing=False))
    assert match is not None
    assert "会" not in match


@pytest.mark.parametrize(
    "said", ["会x ear", "x会 ear", "x会话 ear", "会x会 ear", "会xear会", "ear 会x", "ear x会"]
)
def test_a_letter_that_is_touched_is_found_beside_a_word(tmp_path: Path, said: str) -> None:
    path = write(tmp_path / "state.db", "v11", [*CROWD, Row("a", said)])
    match = offered(path, parse("x ear", typing=False))
    assert match is not None
    assert "会" in match
    assert found(look(path, "x ear")) == {"a": 1}


EDGES = st.lists(
    st.sampled_from(
        ["会", "話", "ー", "한", "🦀", "₽", "ear", "Ear", "ears", "é", " ", "-", "\n", "\\", "9"]
    ),
    max_size=6,
).map("".join)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(LAYOUTS),
    st.lists(EDGES, min_size=1, max_size=5),
    st.sampled_from(["ear", "ear*", "ears", '"ear ear"', "ear ears", "ear OR 9", "9 ear", "9 ear*"]),
)
def test_the_same_is_found_as_by_looking_at_all(layout: str, texts: list[str], text: str) -> None:
    rows = [*CROWD, Row("wide", "会"), *(Row(f"s{place}", said) for place, said in enumerate(texts))]
    query = parse(text, typing=False)
    with tempfile.TemporaryDirectory() as directory:
        path = write(Path(directory) / "state.db", layout, rows)
        with SessionDB(path, read_only=True) as db:
            closely = db.search(query)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(glue, "FEW", 1)
            with SessionDB(path, read_only=True) as db:
                everywhere = db.search(query)
    assert closely.hits == everywhere.hits
    assert found(closely) == {row.session_id: 1 for row in rows if query.matches(str(row.content))}
