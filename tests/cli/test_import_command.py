"""`hermes-tui sessions import`: files of every kind, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import OnStore
from tests.support.commands import Commands, files
from tests.support.stores import BuildV11

ONE = {"id": "new", "source": "cli", "title": "A", "messages": [{"role": "user", "content": "x"}]}
TWO = {"id": "there", "source": "cli"}


@pytest.fixture
def sessions(build_v11: BuildV11, on_store: OnStore) -> Commands:
    return on_store(
        build_v11("INSERT INTO sessions(id,source,started_at,title) VALUES('there','cli',1,'taken');")
    )


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        f"\n\n{json.dumps(ONE)}\n\n{json.dumps(TWO)}",
        json.dumps([ONE, TWO]),
        json.dumps([ONE, TWO], indent=2),
        "\r\n".join(map(json.dumps, (ONE, TWO))),
    ],
    ids=["lines", "empty lines", "array", "indented array", "CRLF"],
)
def test_lines_or_an_array(sessions: Commands, tmp_path: Path, text: str) -> None:
    said = "1 session.\n1 session skipped: there already, and left alone.\n"
    path = tmp_path / "x"
    path.write_text(text, newline="")
    before = files(sessions.path.parent)
    assert sessions("import", str(path), "--dry-run").out == (
        f"Would import {said}Dry run — nothing imported.\n"
    )
    assert files(sessions.path.parent) == before
    assert sessions("import", "-", given=text.encode()).out == f"Imported {said}"
    assert sessions("import", str(path)).out == (
        "Imported 0 sessions.\n2 sessions skipped: there already, and left alone.\n"
    )


def test_one_indented_object(sessions: Commands) -> None:
    assert sessions("import", "-", given=json.dumps(ONE, indent=2).encode()).out == "Imported 1 session.\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"", "the input is empty: there is nothing to import."),
        (b" \n\n", "the input is empty: there is nothing to import."),
        (b"hello", "Nothing was imported: the input is no export in JSON or JSONL."),
        (b"{", "Nothing was imported: the input is no export in JSON or JSONL."),
        (b"\xff\xfe\x00", "Nothing was imported: the input is no export in JSON or JSONL."),
        (b"[" * 100_000, "Nothing was imported: the input is no export in JSON or JSONL."),
        (b'{"id": "a"}\n{"id": \n', "Nothing was imported: line 2 of the input is no JSON."),
        (b"5", "Nothing was imported: session number 1: session must be an object."),
        (
            b'[{"id": "a"}, {"id": ""}, 7]',
            "Nothing was imported: session number 2: session id is required; 1 more are wrong.",
        ),
        (
            b'{"id": "a\\u001b[2J", "messages": 5}',
            "Nothing was imported: session a: messages must be a list.",
        ),
    ],
)
def test_what_is_no_export(sessions: Commands, text: bytes, complaint: str) -> None:
    before = sessions.path.read_bytes()
    done = sessions("import", "-", given=text)
    assert (done.status, done.out, done.err) == (3, "", f"hermes-tui: {complaint}\n")
    assert sessions.path.read_bytes() == before


def test_a_file_that_is_not_there(sessions: Commands, tmp_path: Path) -> None:
    for name, why in (
        ("no", "No such file or directory"),
        ("", "Is a directory"),
        ("a\0b", "embedded null byte"),
    ):
        done = sessions("import", f"{tmp_path}/{name}")
        assert done.status == 3
        assert done.err.endswith(f": {why}.\n")


def test_what_is_left_out_is_said(sessions: Commands) -> None:
    given = json.dumps(
        {"id": "new", "source": "cli", "title": "taken", "parent_session_id": "nobody", "hat": "\x1b[1m"}
    ).encode()
    assert sessions("import", "-", given=given).out == (
        "Imported 1 session.\n"
        "Session 'new' comes without its title 'taken', which session 'there' has.\n"
        "1 session without the parent, which is not here.\n"
        "Left out, for this store has no column for it: sessions.hat\n"
    )


def test_json(sessions: Commands) -> None:
    answer = sessions("import", "-", "--json", given=json.dumps([ONE, TWO]).encode()).json
    assert answer == {
        "ok": True,
        "imported": 1,
        "skipped": 1,
        "detached": 0,
        "imported_ids": ["new"],
        "skipped_ids": ["there"],
        "detached_ids": [],
        "conflicts": [],
        "left_out": [],
        "errors": [],
        "dry_run": False,
    }
