"""A copy is a file that anybody may edit, and other things may lie beside it: it is refused in a sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage import SessionDB, StoreError, TrashDamaged
from storage.locations import trash_dir
from tests.support.stores import NOW

DONE, PENDING = ".jsonl", ".jsonl.pending"

ODD: list[Any] = [
    None, 1, -1, 1.5, float("nan"), 10**30, "", "../../x", "a\0", "\ud800", [], [1], [["a"]], {}, {"a": {}},
    {"blob": "!!"}, {"blob": "QQ=="}, {"text": "/w=="}, {"real": "x"}, {"real": "inf"},
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("edited") / "home"
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "b.json").write_text("{}")
    return home


@pytest.fixture(scope="module")
def db(home: Path) -> Iterator[SessionDB]:
    with SessionDB(home / "state.db", clock=lambda: NOW) as db:
        yield db


@pytest.fixture(scope="module")
def lines(db: SessionDB) -> list[bytes]:
    """A copy with every kind of line: a, b and its file have gone, their child c has not."""
    for id_, parent in (("a", None), ("b", None), ("c", "b")):
        db.create_session(id_, "cli", parent_session_id=parent)
        db.append_message(id_, "user", f"words {id_}")
    step = db.trash_sessions([["a"], ["b"]], with_subagents=False).step
    path = trash_dir(db.path) / f"{step}{DONE}"
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    assert {json.loads(line)["kind"] for line in lines} == {"trash", "row", "file", "link", "end"}
    return lines


def signed(lines: list[bytes]) -> bytes:
    """The copy with the sums of what it holds now."""
    header, *rest = lines
    sum_, written = sha256(), [header]
    for line in rest:
        if line.startswith(b'{"kind":"end",'):
            end = {**json.loads(line), "sha256": sum_.hexdigest()}
            written.append(json.dumps(end, separators=(",", ":")).encode() + b"\n")
            sum_ = sha256()
        else:
            sum_.update(line)
            written.append(line)
    return b"".join(written)


@st.composite
def edited(draw: st.DrawFn, value: Any) -> Any:
    """The JSON value with something in it left out or replaced."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: one for name, one in value.items() if name != key}
        return rest if not draw(st.integers(0, 5)) else {**rest, key: draw(edited(value[key]))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(edited(value[place])), *value[place + 1 :]]
    return draw(st.sampled_from(ODD))


def refusal(do: Callable[[], object]) -> str:
    try:
        do()
    except StoreError as error:
        return str(error)
    return ""


@given(data=st.data(), ending=st.sampled_from([DONE, PENDING]))
@settings(max_examples=150, deadline=None)
def test_whatever_is_edited_in_a_copy_it_comes_back_or_is_refused_in_one_line(
    db: SessionDB, lines: list[bytes], home: Path, data: st.DataObject, ending: str
) -> None:
    place = data.draw(st.integers(0, len(lines) - 1))
    line = data.draw(edited(json.loads(lines[place])))
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
    changed = [*lines[:place], text + b"\n", *lines[place + 1 :]]
    step = "20260529T020000000-0123abcd"
    path = trash_dir(db.path) / f"{step}{ending}"
    path.write_bytes(signed(changed) if data.draw(st.booleans()) else b"".join(changed))
    steps: list[Callable[[], object]] = [
        db.list_trash,
        db.interrupted_deletions,
        lambda: db.restore_trash(step, ["a"]),
        lambda: db.restore_trash(step),
        db.empty_trash,
    ]
    for do in steps:
        assert "\n" not in refusal(do)
    with suppress(StoreError):
        db.trash_sessions([["a"], ["b"]], keep_copy=False)
    assert os.listdir(home.parent) == ["home"]
    assert {name.partition("-")[0] for name in os.listdir(home)} == {"state.db", "sessions", "trash"}


@pytest.mark.parametrize("name", ["../x", "/x", "a/b", "..", ""])
def test_a_copy_puts_no_file_anywhere_else(db: SessionDB, lines: list[bytes], name: str) -> None:
    step = "20260529T020000000-0123abcd"
    changed = [line.replace(b'"b.json"', json.dumps(name).encode()) for line in lines]
    path = trash_dir(db.path) / f"{step}{DONE}"
    path.write_bytes(signed(changed))
    with pytest.raises(TrashDamaged, match="was not written so"):
        db.restore_trash(step)
    path.unlink()


@pytest.mark.parametrize("ending", [DONE, PENDING])
@pytest.mark.parametrize("kind", ["directory", "pipe", "link", "circle"])
def test_what_is_no_file_is_no_copy_and_is_never_opened(
    db: SessionDB, lines: list[bytes], kind: str, ending: str
) -> None:
    path = trash_dir(db.path) / f"20260529T020000000-0123abcd{ending}"
    make: dict[str, Callable[[], object]] = {
        "directory": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to("/etc/passwd"),
        "circle": lambda: path.symlink_to(path),
    }
    make[kind]()
    db.create_session("new", "cli")
    done = db.trash_sessions([["new"]])
    assert (done.failed, done.deleted) == (None, ("new",))
    assert [one.step for one in db.list_trash()] == [done.step]
    assert db.interrupted_deletions() == ()
    assert db.restore_trash(done.step).sessions == ("new",)
    assert db.empty_trash() == 0
    db.trash_sessions([["new"]], keep_copy=False)
    assert os.path.lexists(path)
    path.rmdir() if kind == "directory" else path.unlink()
