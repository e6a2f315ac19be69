"""What can be typed, and what starting costs."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hermes_tui import __version__
from hermes_tui.cli.family import PLACES
from hermes_tui.cli.parser import Arguments, parse
from hermes_tui.options import Options
from hermes_tui.services.own_command import option, own_command
from storage.locations import default_store

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("line", "understood"),
    [
        ("", Arguments()),
        ("browse", Arguments()),
        ("sessions browse", Arguments()),
        ("--demo", Arguments(demo=True)),
        ("browse --print", Arguments(print_only=True)),
        ("--print", Arguments(print_only=True)),
        ("sessions browse --print --source cli", Arguments(print_only=True, source="cli")),
        ("-p work", Arguments(profile="work")),
        ("--profile work browse", Arguments(profile="work")),
        ("--db x.db sessions list", Arguments("list", db=Path("x.db"))),
        ("sessions --db x.db list", Arguments("list", db=Path("x.db"))),
        ("sessions list --db x.db", Arguments("list", db=Path("x.db"))),
        ("--db x.db sessions list --db y.db", Arguments("list", db=Path("y.db"))),
        (
            "sessions list --json --source telegram --limit 0",
            Arguments("list", json=True, source="telegram", limit=0),
        ),
        ("--limit 7 browse", Arguments(limit=7)),
        ("sessions list docker after:7d --limit 3", Arguments("list", query=["docker", "after:7d"], limit=3)),
        ("sessions list --json -- -is:empty", Arguments("list", query=["-is:empty"], json=True)),
    ],
)
def test_understood(line: str, understood: Arguments) -> None:
    assert parse(line.split()) == understood


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("brows", "invalid choice: 'brows'"),
        ("sessions", "the following arguments are required: COMMAND"),
        ("sessions prunes", "invalid choice: 'prunes' (choose from 'browse', 'list', 'delete', "),
        ("sessions trash", "the following arguments are required: COMMAND"),
        ("--limit 5 sessions prune", "--limit is not for prune"),
        ("--source cli sessions delete x", "--source is not for delete"),
        ("--print sessions trash list", "--print is not for trash list"),
        ("sessions export x.md --redact --no-redact", "not allowed with argument"),
        ("sessions list --print", "unrecognized arguments: --print"),
        ("--limit -1", "argument --limit: '-1' is not a number of conversations (0 for all)"),
        ("--limit many", "argument --limit: 'many' is not a number of conversations (0 for all)"),
        ("--demo --db x.db", "--db, --profile and --demo each name a store: give one of them"),
        ("-p work sessions list --db x.db", "--db, --profile and --demo each name a store: give one of them"),
        ("--dem", "unrecognized arguments: --dem"),
    ],
)
def test_not_understood(line: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        parse(line.split())
    assert exited.value.code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "has_cure"),
    [
        ("sessions list -error", True),
        ("sessions list docker --force", True),
        ("recall -error", True),
        ("sessions rename 2026 -draft", True),
        ("sessions rename 2026 a -draft", True),
        ("sessions rename --db=x.db 2026", False),
        ("sessions rename 2026", False),
        ("sessions browse -error", False),
        ("sessions pin -error", False),
        ("-error", False),
    ],
)
def test_a_word_with_a_dash_is_cured_where_words_are_taken(
    line: str, has_cure: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        parse(line.split())
    assert exited.value.code == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert complaint.endswith("; put -- before words that begin with a dash") is has_cure


@pytest.mark.parametrize(
    "line", ["sessions list -- -error", "recall -- -error", "sessions rename 2026 -- -draft"]
)
def test_the_cure_works(line: str) -> None:
    understood = parse(line.split())
    said = vars(understood.said) if understood.said else {"query": understood.query}
    assert said.get("query", said.get("title")) == [line.split()[-1]]


@pytest.mark.parametrize(
    "typed", ["--x\x1b]0;pwned\x07", "--limit=\x1b[2J", "\x9b31m", "a\u202eb", "\udcff\n--y"]
)
def test_what_was_typed_is_quoted_safely(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["sessions", "browse", typed])
    *_, complaint = capsys.readouterr().err.splitlines()
    assert complaint.startswith(("hermes-tui sessions browse: error: ", "hermes-tui: error: "))
    assert complaint.isascii()
    assert complaint.isprintable()


def test_the_help_lists_what_exists(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        parse(["--help"])
    assert exited.value.code == 0
    help_text = capsys.readouterr().out
    assert help_text.isascii()
    for word in (
        "--demo",
        "--db PATH",
        "--profile NAME",
        "--source NAME",
        "--limit N",
        "--version",
        "exit status:",
    ):
        assert word in help_text


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__


@pytest.mark.parametrize(
    "line",
    ["--version", "--help", "sessions list --help", "--demo sessions list", "--demo sessions list --json"],
)
def test_nothing_without_a_screen_imports_textual(line: str, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from hermes_tui.__main__ import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    print('loaded:', sorted({'textual', 'asyncio', 'rich.console'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)},
    )
    assert done.stdout.splitlines()[-1] == "loaded: []"


@pytest.mark.parametrize(
    ("line", "loaded"),
    [
        ("--version", []),
        ("--demo sessions list", []),
        ("sessions --demo list delete", []),
        ("sessions -p list list --help", []),
        ("sessions --help", ["family"]),
        ("sessions rename --help", ["asking", "command", "family", "naming", "renaming"]),
    ],
)
def test_a_command_is_loaded_when_it_is_named(line: str, loaded: list[str], tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from hermes_tui.__main__ import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "finally:\n"
        "    prefix = 'hermes_tui.cli.'\n"
        "    names = {name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix)}\n"
        "    print('loaded:', *sorted(names - {'exits', 'listing', 'output', 'parser'}))\n"
        "    rooms = ('storage.keeping.trash', 'storage.keeping.transfer', 'hermes_tui.export')\n"
        "    assert not {name for name in sys.modules if name.startswith(rooms)}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *line.split()],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)},
    )
    assert done.stdout.splitlines()[-1].split() == ["loaded:", *loaded]


def test_every_command_has_its_module_and_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in PLACES:
        with pytest.raises(SystemExit) as exited:
            parse(["sessions", name, "--help"])
        assert exited.value.code == 0
        text = capsys.readouterr().out
        assert text.isascii()
        assert "exit status:\n  0  done\n" in text
        assert ("--json" in text) is (name != "trash")
        assert ("--dry-run" in text) is (name != "trash")


@pytest.mark.parametrize(
    ("command", "words", "flags"),
    [
        ("rename", ("-u", "--x y"), ()),
        ("delete", ("a", "-b"), ("--chain", "--with-subagents", "--purge")),
        (
            "export",
            ("-o/x y.md",),
            ("--format", "md", *option("--session-id", "u"), "--lineage", "logical", "--no-redact"),
        ),
        ("archive", ("a", "\x1b[2J"), ()),
        ("trash", ("restore", "20261129T120000000-ab12cd34"), ()),
    ],
)
def test_the_command_that_a_dialog_shows_is_understood(
    command: str, words: tuple[str, ...], flags: tuple[str, ...], tmp_path: Path
) -> None:
    shown = own_command(Options(tmp_path / "a b.db"), command, *words, flags=flags)
    assert shown.isprintable()
    typed = subprocess.check_output(["bash", "-c", f"printf '%s\\0' {shown}"], text=True).split("\0")[1:-1]
    understood = parse(typed)
    assert understood.command.split()[0] == command
    assert understood.db == tmp_path / "a b.db"


@pytest.mark.parametrize("id_", ["u", "-u", "--", "-", "--redact", "-1", "a b", "", "=", "--x=y"])
def test_an_id_is_taken_as_it_is_wherever_a_shown_command_has_it(id_: str) -> None:
    own = Options(default_store())

    def understood(shown: str) -> Any:
        return vars(parse(shlex.split(shown)[1:]).said or argparse.Namespace())

    exported = own_command(own, "export", "-", flags=(*option("--session-id", id_), "--redact"))
    assert understood(exported)["session_id"] == [id_]
    assert understood(own_command(own, "delete", id_))["id"] == [id_]
    assert understood(own_command(own, "delete", id_, "b"))["id"] == [id_, "b"]
    renamed = understood(own_command(own, "rename", id_, id_))
    assert (renamed["id"], renamed["title"]) == (id_, [id_])


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("sessions trash list", "trash list"),
        ("sessions trash --db x.db restore s", "trash restore"),
        ("--db x.db sessions delete a b", "delete"),
        ("sessions -p sessions rename a b", "rename"),
    ],
)
def test_which_command(line: str, command: str) -> None:
    assert parse(line.split()).command == command


def test_the_version_is_said_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hermes_tui", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
    )
    assert done.stdout == f"hermes-tui {__version__}\n"


def test_the_call_for_programs_is_there_without_the_screen() -> None:
    code = (
        "import sys; from hermes_tui import browse; print('textual' in sys.modules, 'storage' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False False\n"
