"""`hermes-tui sessions import`: files of every kind, and what is said of them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from hermes_tui.__main__ import main
from storage import SessionDB
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
            b'[{"id": "a"}, {"id": ""}, {"title": "no id"}, 7]',
            "Nothing was imported: session number 3: session id is required; 1 more are wrong.",
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


@pytest.mark.parametrize(
    "given", [[{"id": ""}, ONE], [{**ONE, "segments": [ONE, {"id": ""}]}], [{"segments": [{"id": ""}]}, ONE]]
)
def test_an_empty_id_is_left_out(sessions: Commands, given: list[object]) -> None:
    text = json.dumps(given).encode()
    said = "1 session.\n1 session left out, for the id is empty.\n"
    assert sessions("import", "-", "--dry-run", given=text).out == (
        f"Would import {said}Dry run — nothing imported.\n"
    )
    done = sessions("import", "-", given=text)
    assert (done.status, done.out) == (0, f"Imported {said}")
    answer = sessions("import", "-", "--json", given=text).json
    assert (answer["skipped"], answer["without_id"]) == (1, 1)


def test_a_store_with_an_empty_id_comes_over_without_it(
    build_v11: BuildV11, on_store: OnStore, tmp_path: Path
) -> None:
    store = on_store(
        build_v11("INSERT INTO sessions(id,source,started_at) VALUES('','cli',1),('b','cli',1);")
    )
    assert store("export", f"{tmp_path}/x.jsonl").out == f"Exported 2 sessions to {tmp_path}/x.jsonl\n"
    new = on_store(tmp_path / "state.db")
    assert new("import", f"{tmp_path}/x.jsonl", "--yes").out == (
        "Imported 1 session.\n1 session left out, for the id is empty.\n"
    )


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    path = tmp_path / "backup.jsonl"
    path.write_text(json.dumps(ONE))
    return path


def test_where_there_is_no_store_one_is_made(on_store: OnStore, tmp_path: Path, backup: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    new = on_store(home / "state.db")
    assert new("import", str(backup), "--dry-run").out == (
        f"Would make a new store at {new.path}.\nWould import 1 session.\nDry run — nothing imported.\n"
    )
    done = new("import", str(backup))
    assert (done.status, done.err) == (
        1,
        f"hermes-tui: No store at {new.path}, so nothing was imported: there is no terminal to ask on;"
        " add --yes to go ahead without a question.\n",
    )
    assert new("import", str(backup), typed="n\n").status == 1
    assert new("import", "-", "--yes", given=b'{"id": 7}').status == 3
    assert list(home.iterdir()) == []
    done = new("import", str(backup), typed="y\n")
    assert (done.status, done.out) == (0, "Imported 1 session.\n")
    assert done.err.startswith(f"There is no store at {new.path}. Make one? [y/N] ")
    with SessionDB(new.path, read_only=True) as db:
        assert (db.info().version, db.info().sessions) == (23, 1)
    assert new.path.stat().st_mode & 0o777 == 0o600


def test_a_path_that_leads_nowhere_is_no_place_for_a_new_store(
    on_store: OnStore, tmp_path: Path, backup: Path
) -> None:
    lost = on_store(tmp_path / "no" / "where" / "state.db")
    done = lost("import", str(backup), "--yes")
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith(f"hermes-tui: No session store at {lost.path}. ")
    assert not (tmp_path / "no").exists()


def test_a_machine_that_never_ran_hermes(
    tmp_path: Path, backup: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    store = tmp_path / "home" / "state.db"
    streams = {"stdin": io.StringIO("y\n"), "stderr": io.StringIO()}
    for name, stream in streams.items():
        stream.isatty = lambda: True  # type: ignore[method-assign]
        monkeypatch.setattr(sys, name, stream)
    assert main(["sessions", "import", str(backup)]) == 0
    assert (
        f"There is no store at {store}. Make one, and its directory? [y/N] " in streams["stderr"].getvalue()
    )
    assert capsys.readouterr().out == "Imported 1 session.\n"
    assert store.exists()


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
        "without_id": 0,
        "dry_run": False,
    }
