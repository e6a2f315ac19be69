"""`hermes-tui sessions list`, to the letter."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.__main__ import main
from hermes_tui.cli.listing import list_conversations
from hermes_tui.cli.output import Output
from hermes_tui.options import Options
from storage import SessionDB

NOW = 1_790_000_000.0
RULE = "─"

Row = dict[str, Any]
FillStore = Callable[..., Path]


@pytest.fixture
def fill_store(tmp_path: Path) -> FillStore:
    """`fill_store(*sessions)`: each with one message, its `said`, at its start."""

    def fill(*sessions: Row) -> Path:
        path = tmp_path / "filled" / "state.db"
        path.parent.mkdir()
        rows = [{"source": "cli", **session} for session in sessions]
        messages = [
            {"session_id": row["id"], "role": "user", "content": said, "timestamp": row["started_at"]}
            for row in rows
            if (said := row.pop("said", None)) is not None
        ]
        with SessionDB(path) as db:
            db.fill(rows, messages)
        return path

    return fill


def listed(
    path: Path,
    *,
    encoding: str = "utf-8",
    limit: int | None = 20,
    source: str | None = None,
    line: str = "",
) -> str:
    """The list as it is printed at NOW."""
    answers, remarks = io.BytesIO(), io.StringIO()
    output = Output(io.TextIOWrapper(answers, encoding=encoding, write_through=True), remarks)
    list_conversations(Options(path, source=source, limit=limit, clock=lambda: NOW), output, line=line)
    return answers.getvalue().decode(encoding) + remarks.getvalue()


def test_titles(fill_store: FillStore) -> None:
    path = fill_store(
        {
            "id": "20260921_140000_aaaaaa",
            "started_at": NOW - 7200,
            "title": "Fix Docker Build",
            "said": "it fails",
        },
        {"id": "t" * 40, "started_at": NOW - 90_000, "title": "T" * 31, "said": "p" * 39},
        {"id": "untitled", "started_at": NOW - 3 * 86400, "said": "two\n lines", "source": "telegram"},
        {"id": "wide", "started_at": NOW - 4 * 86400, "title": "数据库重构" * 4, "said": "语" * 30},
    )
    assert listed(path) == (
        "Title                            Preview                                  Last Active   ID\n"
        + RULE * 110
        + "\n"
        f"{'Fix Docker Build':<32} {'it fails':<40} 2h ago        20260921_140000_aaaaaa\n"
        f"{'T' * 29}…   {'p' * 37}…   yesterday     {'t' * 40}\n"
        "—                                two lines                                3d ago        untitled\n"
        "数据库重构数据库重构数据库重…    语语语语语语语语语语语语语语语语语语…    4d ago        wide\n"
    )


def test_no_titles(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "one", "started_at": NOW - 30, "said": "p" * 60},
        {"id": "two", "started_at": NOW - 60 * 59, "said": "short", "source": "telegram"},
        {"id": "three", "started_at": NOW - 86400 * 9, "source": "sms"},
    )
    assert listed(path) == (
        "Preview                                            Last Active   Src    ID\n" + RULE * 95 + "\n"
        f"{'p' * 47}…   just now      cli    one\n"
        "short                                              59m ago       telegram two\n"
        "                                                   2026-09-12    sms    three\n"
    )


def test_workspaces_and_titles(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "one", "started_at": NOW - 60, "title": "T" * 40, "cwd": "/home/me/shop/", "said": "unseen"},
        {"id": "two", "started_at": NOW - 120, "cwd": "/srv/" + "w" * 20, "said": "unseen"},
        {"id": "three", "started_at": NOW - 180, "title": "no place"},
    )
    assert listed(path) == (
        "Title                        Workspace          Last Active   ID\n" + RULE * 110 + "\n"
        f"{'T' * 25}…   shop               1m ago        one\n"
        f"—                            {'w' * 15}…   2m ago        two\n"
        "no place                     —                  3m ago        three\n"
    )


def test_workspaces_and_no_titles(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "one", "started_at": NOW - 60, "cwd": "/home/me/shop", "said": "p" * 40},
        {"id": "two", "started_at": NOW - 120, "said": "elsewhere", "source": "discord"},
    )
    assert listed(path) == (
        "Preview                                Workspace          Last Active   Src    ID\n"
        + RULE * 100
        + "\n"
        f"{'p' * 35}…   shop               1m ago        cli    one\n"
        "elsewhere                              —                  2m ago        discord two\n"
    )


def test_nothing(fill_store: FillStore) -> None:
    assert listed(fill_store()) == "No sessions found.\n"


def test_a_terminal_without_utf8(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "one", "started_at": NOW - 60, "said": "Größe 数"}, {"id": "two", "started_at": NOW - 61}
    )
    lines = listed(path, encoding="ascii", limit=1).splitlines()
    assert lines[1:] == [
        "-" * 95,
        f"{'Gr??e ?':<50} 1m ago        cli    one",
        "... 1 more not shown (use --limit N to see more)",
    ]


def test_pins_are_not_moved_and_hidden_classes_not_shown(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "newest", "started_at": NOW - 60},
        {"id": "pinned", "started_at": NOW - 120, "pinned": 1},
        {"id": "archived", "started_at": NOW - 30, "archived": 1},
        {"id": "cron", "started_at": NOW - 30, "source": "cron"},
    )
    assert [line.split()[-1] for line in listed(path).splitlines()[2:]] == ["newest", "pinned"]
    assert [line.split()[-1] for line in listed(path, source="cron").splitlines()[2:]] == ["cron"]


def test_the_limit(fill_store: FillStore) -> None:
    path = fill_store(*({"id": f"s{n:02}", "started_at": NOW - n} for n in range(25)))
    twenty = listed(path).splitlines()
    assert len(twenty) == 2 + 20 + 1
    assert twenty[-2:] == [
        " " * 51 + "just now      cli    s19",
        "… 5 more not shown (use --limit N to see more)",
    ]
    assert len(listed(path, limit=None).splitlines()) == 2 + 25
    assert listed(path, limit=1).splitlines()[-1] == "… 24 more not shown (use --limit N to see more)"


def test_the_limit_of_a_large_store_reads_no_more_than_its_newest(fill_store: FillStore) -> None:
    path = fill_store(
        *({"id": f"s{n:04}", "started_at": NOW - n, "said": "x", "pinned": int(n == 3)} for n in range(2100))
    )
    lines = listed(path, limit=5).splitlines()
    assert [line.split()[-1] for line in lines[2:7]] == ["s0000", "s0001", "s0002", "s0003", "s0004"]
    assert lines[7:] == ["… more not shown (use --limit N to see more)"]


def test_json(fill_store: FillStore, capsys: pytest.CaptureFixture[str]) -> None:
    path = fill_store(
        {
            "id": "one",
            "started_at": NOW - 7200.5,
            "ended_at": NOW - 60,
            "end_reason": "user_exit",
            "title": "Ünsafe \x1b[31m\x7f",
            "model": "nous/hermes",
            "cwd": "/srv",
            "said": "hello",
            "pinned": 1,
        },
        {"id": "two", "started_at": "never"},
    )
    assert main(["sessions", "list", "--json", "--db", str(path)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.isascii()
    assert printed.out.replace("\n", "").isprintable()
    assert json.loads(printed.out) == [
        {
            "id": "one",
            "title": "Ünsafe \x1b[31m\x7f",
            "source": "cli",
            "model": "nous/hermes",
            "started_at": NOW - 7200.5,
            "last_active": NOW - 7200.5,
            "ended_at": NOW - 60,
            "status": "interrupted",
            "messages": 1,
            "parts": ["one"],
            "preview": "hello",
            "cwd": "/srv",
            "archived": False,
            "pinned": True,
        },
        {
            "id": "two",
            "title": None,
            "source": "cli",
            "model": "",
            "started_at": None,
            "last_active": None,
            "ended_at": None,
            "status": "empty",
            "messages": 0,
            "parts": ["two"],
            "preview": "",
            "cwd": "",
            "archived": False,
            "pinned": False,
        },
    ]


def test_json_of_nothing(fill_store: FillStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "list", "--json", "--db", str(fill_store())]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_json_says_nothing_else(fill_store: FillStore, capsys: pytest.CaptureFixture[str]) -> None:
    path = fill_store(*({"id": f"s{n}", "started_at": NOW - n} for n in range(3)))
    assert main(["sessions", "list", "--json", "--limit", "1", "--db", str(path)]) == 0
    printed = capsys.readouterr()
    assert [row["id"] for row in json.loads(printed.out)] == ["s0"]
    assert printed.err == ""


def test_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--demo", "sessions", "list", "--limit", "1"]) == 0
    first = capsys.readouterr().out.splitlines()[2]
    assert first.startswith("flaky checkout test          shop               3m ago        20261129_115159_")


def test_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nowhere" / "state.db"
    assert main(["sessions", "list", "--db", str(path)]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        f"hermes-tui: No session store at {path}."
        " Name one with --db PATH or --profile NAME, or look around with --demo.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_not_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "evil\x1b[2J.db"
    path.write_text("hello world" * 500)
    assert main(["sessions", "list", "--db", str(path)]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"hermes-tui: {tmp_path}/evil.db ")
    assert printed.err.count("\n") == 1


def test_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    assert main(["sessions", "list", "-p", "office"]) == 3
    assert f"No session store at {tmp_path}/profiles/office/state.db." in capsys.readouterr().err
    assert main(["sessions", "list", "-p", "Not A Name"]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_the_reader_of_the_output_goes_away(fill_store: FillStore) -> None:
    path = fill_store(*({"id": f"s{n}", "started_at": NOW - n, "said": "word " * 50} for n in range(2000)))
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "hermes_tui", "sessions", "list", "--limit", "0", "--db", str(path)],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_line_of_words_and_filters(fill_store: FillStore) -> None:
    path = fill_store(
        {"id": "a1", "started_at": NOW - 60, "title": "one", "said": "docker build"},
        {"id": "b2", "started_at": NOW - 50, "title": "two", "said": "docker again", "source": "telegram"},
        {"id": "c3", "started_at": NOW - 40, "title": "three", "said": "podman"},
        {"id": "d4", "started_at": NOW - 30, "title": "four", "said": "docker nightly", "source": "cron"},
    )

    def ids(line: str, source: str | None = None, limit: int | None = 20) -> list[str]:
        text = listed(path, line=line, source=source, limit=limit)
        return [row.split()[-1] for row in text.splitlines()[2:] if row[:1] not in "…w"]

    assert ids("docker") == ["b2", "a1"]
    assert ids("dock") == []
    assert ids("docker OR podman") == ["c3", "b2", "a1"]
    assert ids("docker", source="cli") == ["a1"]
    assert ids("docker source:telegram", source="cli") == ["b2"]
    assert ids("-docker") == ["c3"]
    assert ids("source:cron") == ["d4"]
    assert ids("title:t") == ["c3", "b2"]
    assert ids("docker", limit=1) == ["b2"]
    assert ids("docker", limit=None) == ["b2", "a1"]
    assert listed(path, line="docker", limit=1).endswith("\n… 1 more not shown (use --limit N to see more)\n")


def test_what_a_line_asks_for_in_vain_is_said(fill_store: FillStore) -> None:
    path = fill_store({"id": "a1", "started_at": NOW - 60, "said": "docker"})
    assert listed(path, line="source:clii") == "No sessions found.\nno source clii; there is cli\n"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("after:foo", "after:foo — not a date like 7d or 2026-10-01"),
        ("docker msgs:many", "msgs:many — not a number like >50 or 10k"),
        ("-is:cheap source:cli", "-is:cheap — not one of pinned, archived, hidden, running, complete, interrupted,"
         " error, empty, untitled, branch, subagent, cron, tool"),
        ("docker OR", "OR — nothing after it"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("words", [[], ["--json"]], ids=["table", "JSON"])
def test_what_is_not_understood_lists_nothing(
    fill_store: FillStore, capsys: pytest.CaptureFixture[str], line: str, why: str, words: list[str]
) -> None:
    path = fill_store({"id": "a1", "started_at": NOW - 60, "said": "docker"})
    assert main(["sessions", "list", "--db", str(path), *words, "--", *line.split()]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"hermes-tui: Not understood, so nothing was listed: {why}.\n")
