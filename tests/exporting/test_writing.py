"""Exported files: whole or not at all, for their owner alone, and never over something else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hermes_tui.export import ExportRefused, Format, export
from storage import SessionDB
from tests.exporting.talks import names, talk


def test_only_its_owner_reads_a_file(db: SessionDB, tmp_path: Path) -> None:
    export(db, [talk(db, "s")], tmp_path / "s.html", Format.HTML)
    assert stat.S_IMODE((tmp_path / "s.html").stat().st_mode) == 0o600


@pytest.mark.parametrize("form", Format)
def test_nothing_is_written_over_unless_asked_for(db: SessionDB, tmp_path: Path, form: Format) -> None:
    path = tmp_path / "out"
    path.write_text("mine")
    parts = talk(db, "s")
    with pytest.raises(ExportRefused) as refused:
        export(db, [parts], path, form)
    assert str(refused.value) == f"Nothing was exported: {path} exists already."
    assert path.read_text() == "mine"
    export(db, [parts], path, form, overwrite=True)
    assert "hello" in path.read_text(encoding="utf-8")
    assert names(tmp_path) == ["out"]


def test_what_came_while_it_was_written_is_not_written_over(db: SessionDB, tmp_path: Path) -> None:
    path = tmp_path / "out.json"

    def meanwhile(done: int, total: int) -> None:
        path.write_text("mine")

    with pytest.raises(ExportRefused, match="exists already"):
        export(db, [talk(db, "s")], path, Format.JSON, progress=meanwhile)
    assert path.read_text() == "mine"
    assert names(tmp_path) == ["out.json"]


def test_where_there_are_no_links_it_is_renamed(
    db: SessionDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    export(db, [talk(db, "s")], tmp_path / "out.json", Format.JSON)
    assert names(tmp_path) == ["out.json"]


def test_the_store_itself_is_never_a_target(db: SessionDB, tmp_path: Path) -> None:
    parts = talk(db, "s")
    (tmp_path / "link").symlink_to(db.path)
    for target in (db.path, Path(f"{db.path}-wal"), tmp_path / "link"):
        with pytest.raises(ExportRefused, match="belongs to the store"):
            export(db, [parts], target, Format.JSON, overwrite=True)
    assert db.get_session("s") is not None


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("no/where.md", "Nothing was exported: there is no directory {0}/no."),
        ("file/x.md", "Nothing was exported: {0}/file/x.md cannot be written (Not a directory)."),
        ("fifo", "Nothing was exported: {0}/fifo is no file that could be replaced."),
        ("x" * 300, "Nothing was exported: {0}/" + "x" * 300 + " cannot be written (File name too long)."),
    ],
)
def test_a_place_that_takes_nothing(db: SessionDB, tmp_path: Path, place: str, sentence: str) -> None:
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ExportRefused) as refused:
        export(db, [talk(db, "s")], tmp_path / place, Format.MARKDOWN, overwrite=True)
    assert str(refused.value) == sentence.format(tmp_path)
    assert names(tmp_path) == ["fifo", "file"]


def test_a_full_disk_leaves_nothing(db: SessionDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExportRefused, match="no space is left where"):
        export(db, [talk(db, "s")], tmp_path / "s.md", Format.MARKDOWN)
    assert names(tmp_path) == []


@pytest.mark.parametrize("several", [False, True])
def test_what_a_killed_export_left_goes_a_day_later(db: SessionDB, tmp_path: Path, several: bool) -> None:
    (tmp_path / ".export-d_r3ctry.part").mkdir()
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / ".export-l1nk3d_x.part").symlink_to(tmp_path / "elsewhere")
    for name in (
        ".export-0ld_0ne8.part",
        ".export-fr3sh0n3.part",
        ".export-notes.part",
        "export-0ld_0ne8.part",
    ):
        (tmp_path / name).write_text("half")
        if name != ".export-fr3sh0n3.part":
            os.utime(tmp_path / name, (0, 0))
    before = set(names(tmp_path))
    conversations = [talk(db, "s"), talk(db, "t")]
    if several:
        export(db, conversations, tmp_path, Format.MARKDOWN)
    else:
        export(db, conversations, tmp_path / "all.jsonl", Format.JSONL)
    assert before - set(names(tmp_path)) == {".export-0ld_0ne8.part"}
