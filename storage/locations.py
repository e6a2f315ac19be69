"""Where things are: the home of Hermes, its profiles, their stores (spec 7). Nothing is made here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from storage.errors import BadProfile, StoreMissing

STORE_NAME = "state.db"
DEFAULT_PROFILE = "default"
"""What Hermes calls the root itself."""

_PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def native_home(env: Mapping[str, str] = os.environ) -> Path:
    """Where Hermes lives when nobody says otherwise: `~/.hermes`, on Windows `%LOCALAPPDATA%\\hermes`."""
    # Unlike Path.home() it raises nothing for a user without a home; then "~" is what the sentence says.
    user = Path(env.get("HOME") or os.path.expanduser("~"))
    if os.name == "nt":
        local = env.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else user / "AppData" / "Local") / "hermes"
    return user / ".hermes"


def root(env: Mapping[str, str] = os.environ) -> Path:
    """The directory that holds `profiles/` and `active_profile`."""
    given, native = _given_home(env), native_home(env)
    # realpath, for Path.resolve raises where links lead in a circle.
    if given is None or Path(os.path.realpath(given)).is_relative_to(os.path.realpath(native)):
        return native
    return given.parent.parent if given.parent.name == "profiles" else given


def home(env: Mapping[str, str] = os.environ) -> Path:
    """The home that `hermes` without `-p` would use: HERMES_HOME, and the sticky profile where that applies.

    A HERMES_HOME that is itself a profile is trusted; any other gives way to `<root>/active_profile`.

    Raises:
        BadProfile: `active_profile` holds a name that Hermes would refuse.
    """
    given = _given_home(env)
    if given is not None and given.parent.name == "profiles":
        return given
    sticky = _sticky_profile(root(env))
    if sticky and sticky != DEFAULT_PROFILE:
        return profile_home(sticky, env)
    return given or native_home(env)


def profile_home(name: str, env: Mapping[str, str] = os.environ) -> Path:
    """The home of a profile; it need not exist.

    Raises:
        BadProfile: Hermes accepts no such name.
    """
    if name == DEFAULT_PROFILE:
        return root(env)
    if not _PROFILE_NAME.fullmatch(name):
        raise BadProfile(name)
    return root(env) / "profiles" / name


def profile_store(name: str, env: Mapping[str, str] = os.environ) -> Path:
    """The store of a profile, as `profile_home`."""
    return profile_home(name, env) / STORE_NAME


def default_store(env: Mapping[str, str] = os.environ) -> Path:
    """The store that `hermes` without `-p` would open, as `home`."""
    return home(env) / STORE_NAME


def absolute(path: str | Path) -> Path:
    """The path from the root on, links left as they are.

    Raises:
        StoreMissing: It begins at the working directory, and that has been deleted.
    """
    try:
        return Path(os.path.abspath(path))
    except FileNotFoundError:
        raise StoreMissing(Path(path)) from None


def home_of(store_path: str | Path) -> Path | None:
    """The home that a store belongs to: the directory of a `state.db`; any other file has none."""
    path = absolute(store_path)
    return path.parent if path.name == STORE_NAME else None


def trash_dir(store_path: str | Path) -> Path:
    """Where copies of deleted conversations are kept: `trash` in a home, `<file>.trash` beside any other file."""
    path = absolute(store_path)
    return path.with_name("trash" if home_of(path) else f"{path.name}.trash")


def profile_of(home: str | Path) -> str:
    """The name to give `hermes -p` for this home; "default" for one that is not below a `profiles`."""
    path = absolute(home)
    return path.name if path.parent.name == "profiles" else DEFAULT_PROFILE


def _given_home(env: Mapping[str, str]) -> Path | None:
    given = env.get("HERMES_HOME", "").strip()
    return absolute(given) if given else None


def _sticky_profile(root: Path) -> str:
    try:
        return (root / "active_profile").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
