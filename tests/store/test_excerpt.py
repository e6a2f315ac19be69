"""Excerpts: one line around the match, of the message that was said, however long or oddly stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import Entry, Excerpt, SessionDB, parse
from storage.engine.connection import Reader
from storage.finding.excerpt import around
from storage.readings import ConversationHit
from tests.support.layouts import Row, write


def excerpt_of(
    tmp_path: Path, rows: list[Row], text: str, width: int = 40, layout: str = "external"
) -> Excerpt:
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        query = parse(text, typing=False)
        (found,) = db.excerpts(query, db.search(query).hits, width)
        assert found is not None
        return found


def marked(excerpt: Excerpt) -> list[str]:
    return [excerpt.text[start:end] for start, end in excerpt.spans]


@pytest.mark.parametrize(
    ("query", "text", "width", "line", "spans"),
    [
        ("docker", "run docker now", 40, "run docker now", ((4, 10),)),
        ("docker", "  run\n\n\tdocker  now \n", 40, "run docker now", ((4, 10),)),
        ("docker", "docker", 3, "doc…", ((0, 3),)),
        (
            "docker",
            "one two three four five six seven docker eight nine ten eleven twelve",
            24,
            "…seven docker eight nine…",
            ((7, 13),),
        ),
        ("会话", "数据库部署失败" * 9 + "会话" + "部署" * 30, 12, "…署失败会话部署部署部署部…", ((4, 6),)),
        (
            "docker ps",
            "docker " + "x " * 40 + "docker then ps",
            40,
            "…x x x x x x x x x x x x x docker then ps",
            ((27, 33), (39, 41)),
        ),
        ("main.py", "see src/main py", 40, "see src/main py", ((8, 15),)),
        ("cafe", "un cafe\u0301 noir", 40, "un cafe\u0301 noir", ((3, 8),)),
        ("a a", "a  b  a", 40, "a b a", ((0, 1), (4, 5))),
    ],
)
def test_around(query: str, text: str, width: int, line: str, spans: tuple[tuple[int, int], ...]) -> None:
    assert around(parse(query, typing=False), text, width) == (line, spans)


def test_around_nothing() -> None:
    assert around(parse("docker"), "podman", 40) is None


def test_what_was_said_comes_before_what_a_tool_returned(tmp_path: Path) -> None:
    rows = [
        Row("a", "docker, please"),
        Row("a", "docker it is", "assistant"),
        *[Row("a", f"docker output {n}", "tool", "terminal") for n in range(20)],
    ]
    assert excerpt_of(tmp_path, rows, "docker") == Excerpt("docker it is", ((0, 6),), 2, "a", "assistant")
    (tmp_path / "state.db").unlink()
    assert excerpt_of(tmp_path, rows[2:], "docker") == Excerpt("docker output 19", ((0, 6),), 20, "a", "tool")


CALLS = json.dumps(
    [
        {
            "id": "call_1",
            "function": {"name": "terminal", "arguments": '{"command": "docker ps", "dir": "a/b.py"}'},
        },
        {"id": "call_2", "function": {"name": "patch", "arguments": '{"diff": "+ x\\n+ café", "mode": 7}'}},
    ]
)
"""In the first no word is written otherwise than it reads."""
READS = "terminal command docker ps dir a/b.py patch diff + x + café mode 7"


@pytest.mark.parametrize("layout", ["inline", "external", "v11", "v30", "none"])
@pytest.mark.parametrize(
    ("text", "line", "marks"),
    [
        ("docker", READS, ["docker"]),
        ("a/b.py", READS, ["a/b.py"]),
        ("cafe", READS, ["café"]),
        ("terminal patch", READS, ["terminal", "patch"]),
        ('"command docker"', READS, ["command docker"]),
        (
            "call_2",
            "…name terminal arguments command docker ps dir a/b.py "
            "id call_2 function name patch arguments diff + x + café mode 7",
            ["call_2"],
        ),
    ],
)
def test_a_match_in_tool_calls_shows_them_as_they_read(
    tmp_path: Path, layout: str, text: str, line: str, marks: list[str]
) -> None:
    found = excerpt_of(tmp_path, [Row("a", None, "assistant", None, CALLS)], text, 120, layout)
    assert (found.text, marked(found)) == (line, marks)


@pytest.mark.parametrize("calls", [CALLS[:100], f"{CALLS} and more", "[" * 5_000 + " docker ps"])
def test_tool_calls_that_are_no_json_are_shown_as_they_are(tmp_path: Path, calls: str) -> None:
    found = excerpt_of(tmp_path, [Row("a", None, "assistant", None, calls)], "docker ps")
    assert marked(found) == ["docker", "ps"]
    assert found.text.strip("…") in calls


def test_tool_calls_of_a_long_message_are_shown_as_they_read(tmp_path: Path) -> None:
    found = excerpt_of(tmp_path, [Row("a", "x " * 50_000, "assistant", None, CALLS)], "docker", 120)
    assert (found.text, marked(found)) == (READS, ["docker"])


def test_a_match_in_the_name_of_a_tool_shows_it(tmp_path: Path) -> None:
    assert excerpt_of(tmp_path, [Row("a", "", "tool", "docker_tool")], "docker").text == "docker_tool"


def test_encoded_content_is_decoded_first(tmp_path: Path) -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "data:" + "A" * 100_000}},
        {"type": "text", "text": "a zebra"},
    ]
    found = excerpt_of(tmp_path, [Row("a", "\x00json:" + json.dumps(parts))], "zebra")
    assert (found.text, found.spans) == ("[image] a zebra", ((10, 15),))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("x " * 50_000 + "the docker daemon " + "y " * 50_000, "docker"),
        ("dockers " * 10_000 + "the docker daemon " + "y " * 50_000, "docker"),
        ("é" * 50_000 + " the DÖCKER daemon " + "y " * 50_000, "docker"),
        ("数" * 50_000 + "the docker会话 daemon " + "y " * 50_000, "docker会话"),
    ],
)
def test_a_long_message_is_found_in(tmp_path: Path, text: str, query: str) -> None:
    found = excerpt_of(tmp_path, [Row("a", text)], query)
    assert [word.lower().replace("ö", "o") for word in marked(found)] == [query]
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert "daemon" in found.text


def test_a_page_crosses_in_two_statements_and_long_messages_are_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Row(f"s{n}", "a " * 100_000 + f"docker {n} " + "b " * 100_000) for n in range(60)]
    with SessionDB(write(tmp_path / "state.db", "external", rows), read_only=True) as db:
        query = parse("docker")
        hits = db.search(query).hits
        crossed: list[int] = []
        one = Reader.one

        def watched(self: Reader, sql: str, *args: object) -> tuple[object, ...] | None:
            row = one(self, sql, *args)  # type: ignore[arg-type]
            crossed.append(len(str(row)))
            return row

        monkeypatch.setattr(Reader, "one", watched)
        excerpts = db.excerpts(query, hits)
    assert [excerpt.session_id for excerpt in excerpts if excerpt] == [f"s{n}" for n in reversed(range(60))]
    assert len(crossed) == 2
    assert max(crossed) < 60 * 5_000


def test_none_where_there_is_no_message(tmp_path: Path) -> None:
    with SessionDB(write(tmp_path / "state.db", "external", [Row("a", "docker")]), read_only=True) as db:
        entry = Entry("a", ("a",), None, "cli")
        hits = [
            ConversationHit(entry, 0, by_name=True),
            ConversationHit(entry, 1, (99,)),
            ConversationHit(entry, 1, (1,)),
        ]
        excerpts = db.excerpts(parse("docker"), hits)
        assert [excerpt and excerpt.text for excerpt in excerpts] == [None, None, "docker"]
        assert db.excerpts(parse("docker"), []) == ()


@given(
    st.text(st.sampled_from("ab é\u0301会 \n\t.x"), max_size=300),
    st.text(st.sampled_from("ab é\u0301会."), min_size=1, max_size=4),
    st.integers(1, 60),
)
def test_an_excerpt_is_one_line_of_the_text_with_its_matches(text: str, words: str, width: int) -> None:
    query = parse(words)
    found = around(query, text, width)
    assert (found is None) is (query.spans(text) == ())
    if found is None:
        return
    line, spans = found
    assert len(line) <= width + 2
    assert " ".join(line.split()) == line
    assert line.strip("…") in " ".join(text.split()) or line.strip("…").strip() in " ".join(text.split())
    assert spans
    assert all(0 <= start < end <= len(line) for start, end in spans)
