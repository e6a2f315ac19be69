"""`hermes-tui recall`: the answers of `session_search` as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hermes_tui.__main__ import main
from storage import SessionDB, session_search

Recalled = dict[str, Any]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with SessionDB(tmp_path / "home" / "state.db") as db:
        for name, source in (("one", "cli"), ("two", "telegram")):
            db.create_session(name, source)
            for place in range(6):
                db.append_message(name, ("user", "assistant")[place % 2], f"{name} needle {place}")
        db.append_message("two", "tool", "\x1b[31mneedle\x7f 数据库", tool_name="grep")
    return tmp_path / "home" / "state.db"


def recalled(store: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Recalled:
    assert main(["recall", "--db", str(store), *words]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.isascii()
    assert all(char == "\n" or char.isprintable() for char in printed.out)
    answer: Recalled = json.loads(printed.out)
    return answer


def test_it_prints_what_the_function_answers(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SessionDB(store, read_only=True) as db:
        asked: dict[tuple[str, ...], Recalled] = {
            (): session_search(db=db),
            ("needle",): session_search("needle", db=db),
            ("needle", "3"): session_search("needle 3", db=db),
            ("--limit", "1", "--sort", "oldest", "needle"): session_search(
                "needle", limit=1, sort="oldest", db=db
            ),
            ("--role-filter", "tool", "数据库"): session_search("数据库", "tool", db=db),
            ("--current-session-id", "one", "needle"): session_search(
                "needle", db=db, current_session_id="one"
            ),
            ("--session-id", "two"): session_search(db=db, session_id="two"),
            ("--session-id", "one", "--around-message-id", "3", "--window", "1"): session_search(
                db=db, session_id="one", around_message_id=3, window=1
            ),
        }
    modes = []
    for words, answer in asked.items():
        assert recalled(store, capsys, *words) == answer
        modes.append((answer["mode"], answer.get("count", len(answer.get("messages", ())))))
    assert modes == [
        ("browse", 2),
        ("discover", 2),
        ("discover", 2),
        ("discover", 1),
        ("discover", 1),
        ("discover", 1),
        ("read", 7),
        ("scroll", 3),
    ]


def test_nothing_found_is_an_answer(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = recalled(store, capsys, "zzqq")
    assert (answer["count"], answer["message"]) == (0, "No matching sessions found.")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--session-id", "nobody"], 3, "session_id not found: nobody"),
        (
            ["--session-id", "one", "--around-message-id", "99"],
            3,
            "around_message_id 99 not in session_id one",
        ),
        (
            ["--around-message-id", "3"],
            2,
            "--around-message-id names a message of a session: give its --session-id too",
        ),
        (
            ["needle", "--session-id", "one"],
            2,
            "give words to search for, or a --session-id to look into, not both",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(
    store: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, said: str
) -> None:
    assert main(["recall", "--db", str(store), *words]) == status
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", f"hermes-tui: {said}\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sort", "best"], "argument --sort: invalid choice: 'best'"),
        (["--around-message-id", "x"], "argument --around-message-id: invalid int value: 'x'"),
        (["--print"], "unrecognized arguments: --print"),
    ],
)
def test_what_is_not_understood_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["recall", *words])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_store_that_is_missing_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "--db", str(tmp_path / "none.db"), "needle"]) == 3
    assert capsys.readouterr().err.startswith(f"hermes-tui: No session store at {tmp_path / 'none.db'}.")


def test_it_changes_nothing_and_loads_no_screen(store: Path) -> None:
    before = store.read_bytes()
    code = (
        "import sys; from hermes_tui.__main__ import main; status = main(sys.argv[1:]);"
        "print(sorted({'textual', 'rich', 'hermes_tui.app'} & set(sys.modules)), file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "recall", "--db", str(store), "needle"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "[]\n"
    assert json.loads(done.stdout)["count"] == 2
    assert store.read_bytes() == before


def test_the_other_commands_do_not_load_it() -> None:
    code = (
        "import sys; from hermes_tui.cli.parser import parse; parse(['sessions', 'list']); parse([]);"
        "print(sorted(name for name in sys.modules if 'recall' in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
