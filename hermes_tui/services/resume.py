"""Handing a conversation over to Hermes: which command, whether it can be run, and running it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_tui.errors import BrowserError
from hermes_tui.text import shell
from storage import locations
from storage.errors import BadProfile

VARIABLE = "HERMES_TUI_RESUME_COMMAND"
"""Environment variable with the command to run instead of `hermes`, quoted as for a shell."""

_DEFAULT = ("hermes",)
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)


class CannotResume(BrowserError):
    """Hermes cannot pick this conversation up."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the browser ends with: a conversation to go on with."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ResumeCommand:
    """A command that has Hermes continue a conversation."""

    argv: tuple[str, ...]
    home: str = ""
    """HERMES_HOME to run it with; empty leaves the environment as it is."""
    say_home: bool = False
    """Whether a shell needs to be told `home` too, because its own HERMES_HOME leads elsewhere."""

    @property
    def shell_line(self) -> str:
        """The command for a shell (bash, zsh): what is copied and printed. Safe to print."""
        home = f"HERMES_HOME={shell.quote(self.home)} " if self.say_home else ""
        return home + shell.line(self.argv)

    def environment(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The environment to run it in."""
        return {**environ, "HERMES_HOME": self.home} if self.home else dict(environ)

    def why_not(self, environ: Mapping[str, str] = os.environ) -> str:
        """One sentence when the program is not there to be run; otherwise empty."""
        program = self.argv[0]
        if shutil.which(program, path=environ.get("PATH")):
            return ""
        return f"{shell.quote(program)} is not on the PATH; run this where it is:"


def command_for(store: Path, session_id: str, environ: Mapping[str, str] = os.environ) -> ResumeCommand:
    """Say how Hermes resumes a session of this store.

    The profile is always named, the root as `default`: without it Hermes follows its sticky profile (spec 7).

    Raises:
        CannotResume: No `hermes` would open this store, no command line can carry the id, or the configured
            command cannot be read.
    """
    home = locations.home_of(store)
    profile = _profile_of(home, environ) if home else None
    if home is None or profile is None:
        raise CannotResume(
            f"Hermes resumes only from the {locations.STORE_NAME} of a home of its own: put {store} as"
            f" {locations.STORE_NAME} into a directory of its own and open that."
        )
    if not session_id or _unspeakable(session_id):
        raise CannotResume(f"No command line can carry the id {session_id!r}.")
    return ResumeCommand(
        argv=(*_program(home, environ), "-p", profile, *_resume_words(session_id)),
        home=str(home),
        say_home=not _same(locations.root(_environ_of(home, environ)), locations.root(environ)),
    )


def demo_command(session_id: str) -> ResumeCommand:
    """What resuming would run if the demo's conversations were the user's own; only ever printed."""
    return ResumeCommand((*_DEFAULT, "-p", "default", *_resume_words(session_id)))


def exec_resume(command: ResumeCommand) -> None:
    """Become Hermes; the screen must be gone. Comes back only with an error.

    Raises:
        CannotResume: The program could not be started.
    """
    # Python ignores two signals, and what is ignored stays so in the program that follows.
    for number in _IGNORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(command.argv[0], command.argv, command.environment())
    except (OSError, ValueError) as error:
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        raise CannotResume(_failure(command, error)) from error


def run_and_return(command: ResumeCommand) -> int:
    """Run Hermes on the suspended screen's terminal and wait for it; from the main thread.

    Returns:
        Its exit status, negative for a signal.

    Raises:
        CannotResume: The program could not be started.
    """
    import subprocess

    # Ctrl+C is for Hermes. A handler, unlike SIG_IGN, does not outlive exec in the child.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        return subprocess.call(command.argv, env=command.environment())
    except (OSError, ValueError) as error:
        raise CannotResume(_failure(command, error)) from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _failure(command: ResumeCommand, error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) else str(error)
    return f"{shell.quote(command.argv[0])} could not be started: {why}."


def _resume_words(session_id: str) -> tuple[str, ...]:
    # Ids are free text; one with a dash in front would be taken for an option.
    return (f"--resume={session_id}",) if session_id.startswith("-") else ("--resume", session_id)


def _program(home: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The environment's command, else that of `hermes-tui/config.toml`, else `hermes`."""
    if said := environ.get(VARIABLE, "").strip():
        return _words(said, VARIABLE)
    path = home / "hermes-tui" / "config.toml"
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return _DEFAULT
    except (OSError, UnicodeDecodeError) as error:
        raise CannotResume(f"Cannot read {path}: {error}.") from error
    import tomllib

    try:
        resume = tomllib.loads(text).get("resume", {})
    except (ValueError, RecursionError) as error:
        # Beside TOMLDecodeError: numbers that Python refuses to read, and brackets in brackets without end.
        raise CannotResume(f"{path} is not TOML: {error}.") from error
    command = resume.get("command", list(_DEFAULT)) if isinstance(resume, dict) else None
    if isinstance(command, str):
        return _words(command, f"resume.command in {path}")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise CannotResume(f'resume.command in {path} must be a list of words, like ["hermes"].')
    return tuple(command)


def _words(command: str, where: str) -> tuple[str, ...]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CannotResume(f"{where} cannot be read as a command: {error}.") from error
    if not words:
        raise CannotResume(f"{where} names no command.")
    return tuple(words)


def _profile_of(home: Path, environ: Mapping[str, str]) -> str | None:
    """The name that leads Hermes back to this home; None where none does."""
    profile = locations.profile_of(home)
    try:
        leads_to = locations.profile_home(profile, _environ_of(home, environ))
    except BadProfile:
        return None
    return profile if _same(leads_to, home) else None


def _environ_of(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    return {**environ, "HERMES_HOME": str(home)}


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _unspeakable(word: str) -> bool:
    try:
        return b"\0" in os.fsencode(word)
    except UnicodeEncodeError:
        return True
