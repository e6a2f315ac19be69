"""Which command resumes a conversation, and when none does."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.options import Options
from hermes_tui.services.resume import (
    CannotResume,
    Choice,
    ResumeCommand,
    command_for,
    demo_command,
    exec_resume,
    run_and_return,
)

ID = "20260101_000007_abcdef"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    return tmp_path / "user"


@pytest.fixture
def environ(user: Path) -> dict[str, str]:
    return {"HOME": str(user), "PATH": os.environ["PATH"]}


def test_the_root_is_named_as_the_default_profile(user: Path, environ: dict[str, str]) -> None:
    home = user / ".hermes"
    command = command_for(home / "state.db", ID, environ)
    assert command == ResumeCommand(("hermes", "-p", "default", "--resume", ID), str(home))
    assert command.shell_line == f"hermes -p default --resume {ID}"
    assert command.environment(environ) == {**environ, "HERMES_HOME": str(home)}


def test_a_profile_is_named(user: Path, environ: dict[str, str]) -> None:
    home = user / ".hermes" / "profiles" / "work"
    command = command_for(home / "state.db", ID, environ)
    assert command == ResumeCommand(("hermes", "-p", "work", "--resume", ID), str(home))


def test_another_root_is_told_to_the_shell_too(tmp_path: Path, environ: dict[str, str]) -> None:
    root = tmp_path / "data of mine"
    command = command_for(root / "state.db", ID, environ)
    assert command == ResumeCommand(("hermes", "-p", "default", "--resume", ID), str(root), say_home=True)
    assert command.shell_line == f"HERMES_HOME='{root}' hermes -p default --resume {ID}"
    profile = command_for(root / "profiles" / "work" / "state.db", ID, environ)
    assert profile.argv[:3] == ("hermes", "-p", "work")
    assert profile.home == str(root / "profiles" / "work")
    # A shell that has this root already needs no telling.
    at_home = {**environ, "HERMES_HOME": str(root / "profiles" / "other")}
    assert not command_for(root / "state.db", ID, at_home).say_home
    # And the user's own root does need it there.
    assert command_for(Path(environ["HOME"], ".hermes", "state.db"), ID, at_home).say_home


@pytest.mark.parametrize(
    "store",
    [
        "copy.db",
        "state.db.bak",
        "user/.hermes/backups/state.db",
        "user/.hermes/profiles/Not A Name/state.db",
    ],
)
def test_no_hermes_opens_this_store(tmp_path: Path, environ: dict[str, str], store: str) -> None:
    with pytest.raises(CannotResume) as refused:
        command_for(tmp_path / store, ID, environ)
    assert str(refused.value) == (
        f"Hermes resumes only from the state.db of a home of its own: put {tmp_path / store} as"
        " state.db into a directory of its own and open that."
    )
    assert command_for(tmp_path / "a directory" / "state.db", ID, environ).home == str(
        tmp_path / "a directory"
    )


def test_a_relative_store_is_found_again(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command_for(Path("state.db"), ID, environ).home == str(tmp_path)


def test_an_id_never_becomes_an_option(user: Path, environ: dict[str, str]) -> None:
    store = user / ".hermes" / "state.db"
    assert command_for(store, "--yolo", environ).argv[3:] == ("--resume=--yolo",)
    assert command_for(store, "a; rm -rf ~", environ).shell_line.endswith("--resume 'a; rm -rf ~'")


@pytest.mark.parametrize("session_id", ["", "nul\0byte", "lone \ud800"])
def test_an_id_that_no_command_line_carries(user: Path, environ: dict[str, str], session_id: str) -> None:
    with pytest.raises(CannotResume, match="No command line can carry the id"):
        command_for(user / ".hermes" / "state.db", session_id, environ)


def test_the_environment_names_another_command(user: Path, environ: dict[str, str]) -> None:
    config = user / ".hermes" / "hermes-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[resume]\ncommand = ["from", "the file"]\n')
    store = user / ".hermes" / "state.db"
    assert command_for(store, ID, environ).argv[:2] == ("from", "the file")
    environ["HERMES_TUI_RESUME_COMMAND"] = "docker exec -it 'my box' hermes"
    assert command_for(store, ID, environ).argv[:5] == ("docker", "exec", "-it", "my box", "hermes")


@pytest.mark.parametrize(
    ("config", "argv"),
    [
        ("", ("hermes",)),
        ("[columns]\nmodel = true", ("hermes",)),
        ("[resume]", ("hermes",)),
        ("[resume]\ncommand = 'uvx hermes'", ("uvx", "hermes")),
    ],
)
def test_configured_commands(user: Path, environ: dict[str, str], config: str, argv: tuple[str, ...]) -> None:
    path = user / ".hermes" / "hermes-tui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(config)
    assert command_for(user / ".hermes" / "state.db", ID, environ).argv == (
        *argv,
        "-p",
        "default",
        "--resume",
        ID,
    )


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("[resume", "is not TOML"),
        ("resume = 3", 'must be a list of words, like ["hermes"]'),
        ("[resume]\ncommand = []", 'must be a list of words, like ["hermes"]'),
        ("[resume]\ncommand = [1]", 'must be a list of words, like ["hermes"]'),
        ("[resume]\ncommand = ''", "names no command"),
        ("[resume]\ncommand = 'a \"b'", "cannot be read as a command: No closing quotation"),
        ("x = " + "9" * 5000, "is not TOML: Exceeds the limit (4300 digits)"),
        ("x = " + "[" * 5000 + "]" * 5000, "is not TOML: maximum recursion depth exceeded"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_configuration_that_cannot_be_read(
    user: Path, environ: dict[str, str], config: str, sentence: str
) -> None:
    path = user / ".hermes" / "hermes-tui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(config)
    with pytest.raises(CannotResume) as refused:
        command_for(user / ".hermes" / "state.db", ID, environ)
    assert sentence in str(refused.value)
    assert str(path) in str(refused.value)


def test_the_demo_prints_what_would_run_at_home() -> None:
    options = Options(Path("/tmp/anywhere/demo.db"), demo=True)
    assert options.resume(ID) == demo_command(ID)
    assert options.resume(ID).shell_line == f"hermes -p default --resume {ID}"
    assert options.resume(ID).environment({"A": "b"}) == {"A": "b"}


def test_the_store_of_the_options_decides(user: Path) -> None:
    with pytest.raises(CannotResume):
        Options(user / "copy.db").resume(ID)
    assert Options(user / "state.db").resume(ID).home == str(user)


def test_a_missing_program_is_said(tmp_path: Path) -> None:
    command = ResumeCommand(("hermes", "--resume", ID))
    assert command.why_not({"PATH": str(tmp_path)}) == "hermes is not on the PATH; run this where it is:"
    program = tmp_path / "hermes"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert command.why_not({"PATH": str(tmp_path)}) == ""


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=3
    )
)
def test_a_shell_reads_back_what_was_quoted(words: list[str]) -> None:
    line = ResumeCommand(("printf", r"%s\0", *words)).shell_line
    assert line.isprintable()
    # POSIX words are read back by shlex, those with control characters only by bash and zsh.
    if all(word.isprintable() for word in words):
        assert shlex.split(line)[2:] == words


def test_bash_reads_back_control_characters() -> None:
    words = ["a\x1b[31m'\\b\n", "\u202ec", "tab\t\U000e0041"]
    line = ResumeCommand(("printf", r"%s\0", *words)).shell_line
    printed = subprocess.run(
        ["bash", "-c", line], capture_output=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"}
    ).stdout
    assert printed.decode().split("\0")[:-1] == words


def test_running_and_coming_back(tmp_path: Path) -> None:
    said = tmp_path / "said"
    code = "import os, sys; open(sys.argv[1], 'w').write(os.environ['HERMES_HOME']); sys.exit(7)"
    command = ResumeCommand((sys.executable, "-c", code, str(said)), home="/srv/hermes")
    assert run_and_return(command) == 7
    assert said.read_text() == "/srv/hermes"


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    command = ResumeCommand((str(tmp_path / "nothing"),))
    sentence = f"{tmp_path / 'nothing'} could not be started: No such file or directory."
    with pytest.raises(CannotResume) as refused:
        run_and_return(command)
    assert str(refused.value) == sentence
    with pytest.raises(CannotResume) as refused:
        exec_resume(command)
    assert str(refused.value) == sentence


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="asks Linux which signals a process ignores"
)
def test_hermes_begins_with_no_signal_ignored() -> None:
    code = (
        "from hermes_tui.services.resume import ResumeCommand, exec_resume\n"
        "exec_resume(ResumeCommand(('grep', 'SigIgn', '/proc/self/status')))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "SigIgn:\t0000000000000000\n"


def test_a_choice_is_an_id() -> None:
    assert Choice(ID).session_id == ID
