"""What a tool was told is found as it reads, however JSON spells it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_tui.text.matches import find
from storage import SessionDB, parse, session_search
from storage.finding.sieve import MOST_WORDS
from tests.support.layouts import INDEXES, Row, write
from tests.support.searching import ONE_COLUMN, encoded, found, look, text_part

LAYOUTS = sorted(INDEXES.keys() - set(ONE_COLUMN))


def told(command: str, *, plainly: bool = True) -> str:
    """Tool calls as Hermes stores them."""
    arguments = json.dumps({"command": command}, ensure_ascii=not plainly)
    return json.dumps([{"id": "c", "function": {"name": "terminal", "arguments": arguments}}])


def asked(session_id: str, command: str, *, plainly: bool = True) -> Row:
    return Row(session_id, None, "assistant", None, told(command, plainly=plainly))


@pytest.mark.parametrize("plainly", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("会话", "grep 会话 log"),
        ("café", "open café.txt"),
        ("cafe", "open CAFÉ.txt"),
        ("ete", "\tété"),
        ("nai*", "naïvely"),
        ("οδοσ", "ΟΔΟΣ"),
        ("łódź", "ŁÓDŹ"),
        ("docker", "cd x\ndocker ps"),
        ("dock*", "cd x\r\ndocker ps"),
        ("docker", "修改docker服务端"),
        ("docker", "say “docker”"),
        ('"x docker"', "cd x\ndocker ps"),
        ("🦀", "echo 🦀"),
    ],
)
def test_it_is_found_as_it_reads(tmp_path: Path, layout: str, text: str, command: str, plainly: bool) -> None:
    rows = [asked("a", command, plainly=plainly), Row("b", "nothing")]
    assert found(look(write(tmp_path / "state.db", layout, rows), text)) == {"a": 1}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_left_out_is_left_out_as_it_reads(tmp_path: Path, layout: str) -> None:
    rows = [
        asked("a", "build\ndocker ps"),
        asked("b", "build\nnothing"),
        Row("c", "build"),
        Row("d", "build", "assistant", None, told("open café.txt")),
    ]
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        assert found(db.search(parse("build -docker "))) == {"b": 1, "c": 1, "d": 1}
        assert found(db.search(parse("build -cafe "))) == {"a": 1, "b": 1, "c": 1}
        assert {entry.id for entry in db.listing(parse("-docker ")).entries} == {"b", "c", "d"}
        without = {hit["session_id"] for hit in db.search_messages("build NOT docker")}
        assert without == {"b", "c", "d"}


@pytest.mark.parametrize(
    ("text", "said"), [("cafe", "le CAFÉ"), ("οδοσ", "ΟΔΟΣ οδος"), ("naive", "naïve"), ("ete", "ÉTÉ")]
)
@pytest.mark.parametrize("layout", ["v10", "v11", "v23", "v30"])
def test_accents_and_cases_in_content_that_is_stored_as_json(
    tmp_path: Path, layout: str, text: str, said: str
) -> None:
    path = write(tmp_path / "state.db", layout, [Row("a", encoded(text_part(said)))])
    assert found(look(path, text)) == {"a": 1}


@pytest.mark.parametrize("sort", [None, "newest", "oldest"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_programs_find_it_beside_what_the_index_finds(tmp_path: Path, layout: str, sort: str | None) -> None:
    rows = [Row("a", "a docker build"), asked("b", "cd x\ndocker ps"), Row("c", "docker")]
    with SessionDB(write(tmp_path / "state.db", layout, rows), read_only=True) as db:
        hits = db.search_messages("docker", sort=sort)
        recalled = session_search("docker", db=db, sort=sort)
    assert {hit["session_id"] for hit in hits} == {"a", "b", "c"}
    if sort:
        assert [hit["id"] for hit in hits] == ([3, 2, 1] if sort == "newest" else [1, 2, 3])
    assert {result["session_id"] for result in recalled["results"]} == {"a", "b", "c"}


def test_its_excerpt_and_its_marks_are_in_what_it_reads_as(tmp_path: Path) -> None:
    query = parse("docker ")
    path = write(tmp_path / "state.db", "v23", [asked("a", "cd x\ndocker ps 会话")])
    with SessionDB(path, read_only=True) as db:
        (excerpt,) = db.excerpts(query, db.search(query).hits, 60)
        (message,) = db.transcript(["a"]).messages
    assert excerpt is not None
    assert [excerpt.text[start:end] for start, end in excerpt.spans] == ["docker"]
    assert excerpt.text == "terminal command cd x docker ps 会话"
    marked = find(message, query)
    assert [text[start:end] for text, spans in marked.calls for start, end in spans] == ["docker"]


def test_so_many_words_are_not_all_looked_for_and_it_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "state.db", "v23", [asked("a", "cd x\ndocker ps")])
    many = " OR ".join(f"word{n}" for n in range(MOST_WORDS + 1))
    note = f"tool calls: no more than {MOST_WORDS} words are looked for behind line ends and accents"
    assert note in look(path, many).notes
    assert note not in look(path, "docker").notes
