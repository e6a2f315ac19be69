"""Which store `hermes` itself would open (spec 7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import locations
from storage.errors import BadProfile, StoreError, StoreMissing


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def stick(root: Path, name: str) -> None:
    root.mkdir(parents=True, exist_ok=True)
    (root / "active_profile").write_text(name, encoding="utf-8")


@pytest.mark.parametrize("home", [None, "", "  "])
def test_the_native_home(env: dict[str, str], tmp_path: Path, home: str | None) -> None:
    if home is not None:
        env["HERMES_HOME"] = home
    assert locations.home(env) == locations.root(env) == tmp_path / ".hermes"
    assert locations.default_store(env) == tmp_path / ".hermes" / "state.db"
    assert not (tmp_path / ".hermes").exists()


def test_the_home_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "elsewhere"))
    assert locations.default_store() == tmp_path / "elsewhere" / "state.db"


@pytest.mark.parametrize(
    ("home", "root"),
    [
        ("/opt/data", "/opt/data"),
        (" /opt/data/ ", "/opt/data"),
        ("/opt/data/profiles/office", "/opt/data"),
        ("{user}/.hermes", "{user}/.hermes"),
        ("{user}/.hermes/profiles/office", "{user}/.hermes"),
        ("{user}/.hermes/other", "{user}/.hermes"),
    ],
)
def test_the_root(env: dict[str, str], tmp_path: Path, home: str, root: str) -> None:
    env["HERMES_HOME"] = home.format(user=tmp_path)
    assert locations.root(env) == Path(root.format(user=tmp_path))
    assert locations.home(env) == Path(home.format(user=tmp_path).strip())


def test_a_linked_native_home_is_still_native(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / ".hermes").symlink_to(tmp_path / "disk")
    env["HERMES_HOME"] = str(tmp_path / "disk" / "profiles" / "office")
    assert locations.root(env) == tmp_path / ".hermes"


def test_the_sticky_profile_redirects_even_a_given_root(env: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "data"
    stick(root, "office\n")
    env["HERMES_HOME"] = str(root)
    assert locations.default_store(env) == root / "profiles" / "office" / "state.db"


def test_the_sticky_profile_redirects_the_native_home(env: dict[str, str], tmp_path: Path) -> None:
    stick(tmp_path / ".hermes", "office")
    assert locations.home(env) == tmp_path / ".hermes" / "profiles" / "office"


def test_a_given_profile_is_trusted(env: dict[str, str], tmp_path: Path) -> None:
    stick(tmp_path / "data", "office")
    env["HERMES_HOME"] = str(tmp_path / "data" / "profiles" / "lab")
    assert locations.home(env) == tmp_path / "data" / "profiles" / "lab"


@pytest.mark.parametrize("name", ["", " \n", "default"])
def test_no_sticky_profile(env: dict[str, str], tmp_path: Path, name: str) -> None:
    stick(tmp_path / ".hermes", name)
    assert locations.home(env) == tmp_path / ".hermes"


@pytest.mark.parametrize("name", ["0", "office", "a-b_c", "x" * 64])
def test_a_named_profile(env: dict[str, str], tmp_path: Path, name: str) -> None:
    assert locations.profile_store(name, env) == tmp_path / ".hermes" / "profiles" / name / "state.db"


def test_the_default_profile_is_the_root_whatever_is_sticky(env: dict[str, str], tmp_path: Path) -> None:
    stick(tmp_path / "data", "office")
    env["HERMES_HOME"] = str(tmp_path / "data" / "profiles" / "lab")
    assert locations.profile_store("default", env) == tmp_path / "data" / "state.db"


@pytest.mark.parametrize("name", ["", "Office", "-x", "_x", "a b", "../evil", "a/b", "ü", "a\n", "x" * 65])
def test_a_bad_name_is_refused_in_one_sentence(env: dict[str, str], name: str) -> None:
    with pytest.raises(BadProfile) as refusal:
        locations.profile_store(name, env)
    assert isinstance(refusal.value, StoreError)
    assert str(refusal.value) == (
        f"{name!r} is no profile name: small letters, digits, - and _ (not first), at most 64 characters."
    )


def test_a_bad_sticky_name_is_refused_too(env: dict[str, str], tmp_path: Path) -> None:
    stick(tmp_path / ".hermes", "../evil")
    with pytest.raises(BadProfile):
        locations.default_store(env)


def test_the_home_of_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locations.home_of(tmp_path / "h" / "state.db") == tmp_path / "h"
    assert locations.home_of("state.db") == tmp_path
    assert locations.home_of(tmp_path / "h" / "copy.db") is None
    assert locations.home_of(tmp_path / "h" / "state.db.malformed-backup-20260101_000000") is None


def test_the_profile_of_a_home() -> None:
    assert locations.profile_of("/opt/data/profiles/office") == "office"
    assert locations.profile_of("/opt/data") == "default"
    assert locations.profile_of(Path("/opt/data/profiles")) == "default"


def test_a_path_from_a_working_directory_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(StoreMissing, match=r"^No session store at x\.db\.$"):
        locations.absolute("x.db")
    assert locations.absolute("/x.db") == Path("/x.db")
