"""JSON and JSONL: a store comes back from them as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.export import Format, export
from hermes_tui.text.redact import MASK
from storage import SessionDB
from tests.support.stores import CopyStore

KEY = "sk-proj-abcDEF1234567890abcdefXYZ"
TABLES = ("sessions", "messages", "session_model_usage")


def everything(db: SessionDB) -> dict[str, list[dict[str, Any]]]:
    return {
        table: db.reader.dicts(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in TABLES
        if table in db.reader.layout.columns
    }


def conversations(db: SessionDB) -> list[tuple[str, ...]]:
    """Every session of the store, in its conversation."""
    ids = [row[0] for row in db.reader.rows("SELECT id FROM sessions ORDER BY started_at, id")]
    return list(dict.fromkeys(entry.parts if (entry := db.find(id_)) else (id_,) for id_ in ids))


def read(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    values: list[dict[str, Any]] = (
        json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    )
    return values


def chain(db: SessionDB) -> tuple[str, ...]:
    db.create_session("root", "cli", model="m")
    db.append_message("root", "user", f"my key is {KEY}")
    db.append_message("root", "assistant", [{"type": "text", "text": "数据库"}], tool_calls=[{"id": "c"}])
    db.append_message("root", "tool", b"password=hunter2 \xff", tool_name="terminal")
    db.archive_and_compact("root", [{"role": "user", "content": "summary"}])
    db.set_session_title("root", "talk")
    db.update_token_counts("root", 10, 5, model="m", estimated_cost_usd=0.5)
    db.end_session("root", "compression")
    db.create_session("tip", "cli", parent_session_id="root")
    last = db.append_message("tip", "user", "second")
    db.append_message("tip", "user", "taken back")
    db.rewind_to_message("tip", last + 1)
    return ("root", "tip")


@pytest.mark.parametrize("form", [Format.JSON, Format.JSONL])
def test_a_chain_comes_back_as_it_was(db: SessionDB, tmp_path: Path, form: Format) -> None:
    parts = chain(db)
    path = tmp_path / f"talk.{form}"
    done = export(db, [parts], path, form)
    assert (done.path, done.conversations, done.messages, done.masked) == (str(path), 1, 6, 0)
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert other.import_sessions(read(path))["ok"]
        assert everything(other) == everything(db)


@pytest.mark.parametrize(
    "name",
    [f"state-{name}.db" for name in ("v1", "v11-0.13.0", "v16-0.17.0", "v22-0.19.0", "v23", "v23-extras")],
)
def test_every_store_comes_back(copy_store: CopyStore, tmp_path: Path, name: str) -> None:
    with SessionDB(copy_store(name), read_only=True) as db:
        wanted = conversations(db)
        path = tmp_path / "all.jsonl"
        assert export(db, wanted, path, Format.JSONL).conversations == len(wanted)
        before = everything(db)
    with SessionDB(tmp_path / "other" / "state.db") as other:
        report = other.import_sessions(read(path))
        assert report["ok"]
        after = everything(other)
    for session in before["sessions"]:
        # Their parents were gone before.
        if session["id"] in report["detached_ids"]:
            session["parent_session_id"] = None
    for table, rows in before.items():
        for old, new in zip(rows, after[table], strict=True):
            # An older store lacks columns, and a newer one may have some that this one lacks.
            both = old.keys() & new.keys()
            assert {name: new[name] for name in both} == {name: old[name] for name in both}


def test_the_formats_are_those_of_the_seeds(db: SessionDB, tmp_path: Path) -> None:
    chain(db)
    db.create_session("alone", "telegram")
    export(db, [["root", "tip"], ["alone"]], tmp_path / "two.jsonl", Format.JSONL)
    lines = (tmp_path / "two.jsonl").read_text(encoding="utf-8").splitlines()
    whole = db.export_session_lineage("tip", exact=True)
    assert lines == [
        json.dumps(value, ensure_ascii=False) for value in (whole, db.export_session("alone", exact=True))
    ]
    export(db, [["root", "tip"], ["alone"]], tmp_path / "two.json", Format.JSON)
    assert read(tmp_path / "two.json") == read(tmp_path / "two.jsonl")


def test_one_part_alone_is_that_session(db: SessionDB, tmp_path: Path) -> None:
    chain(db)
    export(db, [["root"]], tmp_path / "part.json", Format.JSON)
    assert read(tmp_path / "part.json") == [db.export_session("root", exact=True)]


def test_secrets_are_masked_when_asked_for_and_counted_once(db: SessionDB, tmp_path: Path) -> None:
    parts = chain(db)
    call = {"id": "c", "function": {"name": "t", "arguments": json.dumps({"password": 123456, "n": 1})}}
    db.append_message("tip", "assistant", None, tool_calls=[call])
    done = export(db, [parts], tmp_path / "talk.json", Format.JSON, redact=True)
    assert done.masked == 3
    text = (tmp_path / "talk.json").read_text(encoding="utf-8")
    assert KEY not in text
    assert "123456" not in text
    (value,) = read(tmp_path / "talk.json")
    assert value["messages"][0]["content"] == f"my key is sk-proj-…{MASK}"
    assert value["messages"] == [message for part in value["segments"] for message in part["messages"]]
    with SessionDB(tmp_path / "other" / "state.db") as other:
        assert other.import_sessions([value])["ok"]
        rows = other.get_messages("root", include_inactive=True)
        assert rows[2]["content"] == f"password={MASK} ".encode() + b"\xff"
        arguments = other.get_messages("tip")[-1]["tool_calls"][0]["function"]["arguments"]
        assert json.loads(arguments) == {"password": MASK, "n": 1}


def test_no_text_commands_the_terminal_that_shows_it_or_ends_a_line(db: SessionDB, tmp_path: Path) -> None:
    db.create_session("s", "cli")
    said = "a\x1b[2J\x9b31m\x7f\u202eb\u2066\u2028c\x85d é 中 🚀"
    db.append_message("s", "user", said)
    export(db, [["s"]], tmp_path / "s.jsonl", Format.JSONL)
    text = (tmp_path / "s.jsonl").read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) is None
    assert "é 中 🚀" in text
    assert read(tmp_path / "s.jsonl")[0]["messages"][0]["content"] == said


def test_a_lone_surrogate_is_written_as_json_writes_it(
    db: SessionDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.create_session("s", "cli")
    exact = {**(db.export_session("s", exact=True) or {}), "title": "a\ud83db 中"}
    monkeypatch.setattr(SessionDB, "export_session", lambda *_, **__: exact)
    export(db, [["s"]], tmp_path / "s.json", Format.JSON)
    assert b'"title": "a\\ud83db \xe4\xb8\xad"' in (tmp_path / "s.json").read_bytes()
    assert read(tmp_path / "s.json")[0]["title"] == "a\ud83db 中"
