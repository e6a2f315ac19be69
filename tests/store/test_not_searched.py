"""What an index knows only in part is found among the newest messages; beyond them the result says what was missed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from storage import SearchResult, SessionDB, parse
from storage.finding import names, routes
from tests.support.layouts import Row, write

GLUED = "修改docker服务端"
BEYOND_THE_CUT = f"{'- ' * 5_000}docker"
WIDE = Row("wide", "一个用中文写的店")
"""Tells that there is CJK in the store at all."""


def looked(path: Path, text: str) -> SearchResult:
    with SessionDB(path, read_only=True) as db:
        return db.search(parse(text, typing=False))


def ids(result: SearchResult) -> list[str]:
    return [hit.entry.id for hit in result.hits]


WITHOUT_TRIGRAMS = ("one column", "inline", "external", "trigrams stale")
KINDS = [
    *((layout, Row("a", GLUED), "words inside CJK") for layout in WITHOUT_TRIGRAMS),
    ("v23", Row("a", GLUED, "tool"), "words inside CJK in tool output"),
    (
        "v29",
        Row("a", "", "assistant", None, f'{{"arguments": "{GLUED}"}}'),
        "words inside CJK in tool output, tool calls, cron and subagent sessions",
    ),
    (
        "v30",
        Row("a", BEYOND_THE_CUT, "tool"),
        "words inside CJK in tool output, tool calls, cron and subagent sessions"
        " and tool output beyond 8,192 characters",
    ),
]


@pytest.mark.parametrize(("layout", "row", "what"), KINDS, ids=[f"{kind[0]}: {kind[2]}" for kind in KINDS])
def test_the_newest_are_found_and_what_lies_deeper_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, row: Row, what: str
) -> None:
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 3)
    rows = [WIDE, row, Row("b", "docker"), Row("c", "else"), row._replace(session_id="d"), Row("e", "docker")]
    result = looked(write(tmp_path / "state.db", layout, rows), "docker")
    assert ids(result) == ["e", "d", "b"]
    old = ("old search index: tool calls not searched",) if layout == "one column" else ()
    assert result.notes == (*old, f"not searched: {what} older than 3 messages")
    assert not result.scanned


@pytest.mark.parametrize(("layout", "row", "what"), KINDS, ids=[f"{kind[0]}: {kind[2]}" for kind in KINDS])
def test_where_all_was_looked_at_nothing_is_said(tmp_path: Path, layout: str, row: Row, what: str) -> None:
    result = looked(write(tmp_path / "state.db", layout, [WIDE, row, Row("b", "docker")]), "docker")
    assert ids(result) == ["b", "a"]
    assert all("older than" not in note for note in result.notes)


@pytest.mark.parametrize("layout", ["inline", "external", "v11", "v23"])
def test_where_there_is_no_cjk_nothing_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 1)
    rows = [Row("a", "docker", "tool"), Row("b", "café"), Row("c", "else")]
    result = looked(write(tmp_path / "state.db", layout, rows), "docker")
    assert (ids(result), result.notes) == (["a"], ())


@pytest.mark.parametrize("layout", ["v11", "v23"])
def test_words_too_short_for_the_trigrams(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 3)
    rows = [WIDE, Row("a", "是ok的"), Row("b", "else"), Row("c", "是ok的"), Row("d", "ok")]
    result = looked(write(tmp_path / "state.db", layout, rows), "ok")
    assert ids(result) == ["d", "c"]
    assert result.notes == ("not searched: short words inside CJK older than 3 messages",)


@pytest.mark.parametrize("layout", ["v11", "v23"])
def test_a_page_that_is_full_before_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 3)
    rows = [WIDE, *(Row(f"s{n}", "ok") for n in range(9))]
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        first = db.search(parse("ok ", typing=False), limit=1)
        assert ids(first) == ["s8", "s7", "s6"]
        assert first.notes == ()
        second = db.search(parse("ok ", typing=False), limit=1, after=first)
        assert second.notes == ("not searched: short words inside CJK older than 3 messages",)


GLUE = ["\0", "\x07", "会", "🦀", "→", "\ufeff", "ⓐ", "\u00ad", "é", "“"]
"""What JSON escapes, so that the index takes it for the beginning of the word behind it."""


@pytest.mark.parametrize("layout", ["inline", "external", "v11", "v23", "v30"])
@pytest.mark.parametrize(
    "text", ["docker", "dock*", "NOT x docker compose", '"docker compose"', "docker 会 OR docker"]
)
def test_a_word_behind_any_escape_of_json(tmp_path: Path, layout: str, text: str) -> None:
    said = [f"see {glue}docker compose" for glue in GLUE]
    rows = [Row(f"s{n}", _encoded([line])) for n, line in enumerate(said)]
    query = parse(text, typing=False)
    expected = [f"s{n}" for n, line in enumerate(said) if query.matches(line)]
    assert len(expected) == len(GLUE) - 1
    assert sorted(ids(looked(write(tmp_path / "state.db", layout, rows), text))) == expected


def _encoded(texts: Sequence[str]) -> str:
    return "\0json:" + json.dumps([{"type": "text", "text": text} for text in texts])


def test_more_ids_than_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MOST", 2)
    sessions = [{"id": f"2026_{n}_{'abc'[n % 3]}xyz", "title": f"talk {n}"} for n in range(9)]
    path = write(tmp_path / "state.db", "external", [], sessions)
    many = looked(path, "2026")
    assert sorted(ids(many)) == ["2026_7_bxyz", "2026_8_cxyz"]
    assert many.notes == ("not searched: ids older than the newest 2 that match",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026 axyz", ["2026_0_axyz", "2026_3_axyz"]),
        ("2026 1", ["2026_1_bxyz"]),
        ("talk 2026_4", ["2026_4_bxyz"]),
        ("2026 nowhere", []),
        ("2026 nowhere OR 2026_2_cxyz", ["2026_2_cxyz"]),
    ],
)
def test_each_word_narrows_the_ids_that_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: list[str]
) -> None:
    monkeypatch.setattr(names, "MOST", 2)
    sessions = [{"id": f"2026_{n}_{'abc'[n % 3]}xyz", "title": f"talk {n}"} for n in range(6)]
    result = looked(write(tmp_path / "state.db", "external", [], sessions), text)
    assert (sorted(ids(result)), result.notes) == (expected, ())


def test_an_excluded_piece_of_ids_excludes_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MOST", 2)
    sessions = [{"id": f"2026_{n}"} for n in range(6)] + [{"id": "other"}]
    with SessionDB(write(tmp_path / "state.db", "external", [], sessions), read_only=True) as db:
        listed = db.listing(parse("NOT 2026", typing=False)).entries
    assert [entry.id for entry in listed] == ["other"]
