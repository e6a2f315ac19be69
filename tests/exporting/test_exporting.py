"""Many conversations: where they go, what is told of them, and what is left when the export ends early."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.export import Exported, ExportRefused, Format, export, exporting
from storage import Cancel, SessionDB, StoreBusy
from tests.exporting.talks import KEY, names, talk

ROOT = Path(__file__).parents[2]


def test_several_documents_go_into_a_directory_under_names_of_their_own(
    db: SessionDB, tmp_path: Path
) -> None:
    talks = [talk(db, "a", "Talk"), talk(db, "b", "talk"), talk(db, "c"), ["gone"]]
    seen: list[tuple[int, int]] = []
    done = export(
        db, talks, tmp_path / "out", Format.MARKDOWN, progress=lambda *numbers: seen.append(numbers)
    )
    assert done == Exported(str(tmp_path / "out"), conversations=3, messages=6, missing=("gone",))
    assert names(tmp_path / "out") == ["Talk.md", "c.md", "talk-2.md"]
    assert seen == [(1, 4), (2, 4), (3, 4)]
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700
    export(db, talks, tmp_path / "out", Format.MARKDOWN)
    assert len(names(tmp_path / "out")) == 6
    export(db, talks, tmp_path / "out", Format.MARKDOWN, overwrite=True)
    assert len(names(tmp_path / "out")) == 6


def test_a_name_holds_no_secret(db: SessionDB, tmp_path: Path) -> None:
    done = export(db, [talk(db, "s", KEY)], tmp_path, Format.HTML)
    assert done.path == str(tmp_path / "sk-proj-…-masked.html")


@pytest.mark.parametrize(
    ("form", "many", "name"),
    [
        (Format.MARKDOWN, False, "Talk.md"),
        (Format.JSON, False, "Talk.json"),
        (Format.JSONL, True, "conversations.jsonl"),
    ],
)
def test_a_directory_gets_the_file_under_its_suggested_name(
    db: SessionDB, tmp_path: Path, form: Format, many: bool, name: str
) -> None:
    talks = [talk(db, "a", "Talk"), talk(db, "b")]
    assert export(db, talks if many else talks[:1], tmp_path, form).path == str(tmp_path / name)


def cancelling(cancel: Cancel, after: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        if done == after:
            cancel.cancel()

    return progress


@pytest.mark.parametrize("form", [Format.JSON, Format.JSONL])
def test_a_cancelled_file_is_not_there(db: SessionDB, tmp_path: Path, form: Format) -> None:
    cancel = Cancel()
    talks = [talk(db, "a"), talk(db, "b")]
    done = export(db, talks, tmp_path / "out", form, cancel=cancel, progress=cancelling(cancel, 1))
    assert done == Exported("", conversations=0, messages=0, cancelled=True)
    assert names(tmp_path) == []


def test_a_cancelled_directory_keeps_what_is_finished(db: SessionDB, tmp_path: Path) -> None:
    cancel = Cancel()
    talks = [talk(db, "a"), talk(db, "b"), talk(db, "c")]
    done = export(db, talks, tmp_path / "out", Format.MARKDOWN, cancel=cancel, progress=cancelling(cancel, 2))
    assert done == Exported(str(tmp_path / "out"), conversations=2, messages=4, cancelled=True)
    assert names(tmp_path / "out") == ["a.md", "b.md"]


def test_cancelled_at_once_it_leaves_no_directory(db: SessionDB, tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.cancel()
    done = export(db, [talk(db, "a"), talk(db, "b")], tmp_path / "out", Format.HTML, cancel=cancel)
    assert (done.conversations, done.cancelled) == (0, True)
    assert names(tmp_path) == []


def test_a_store_that_fails_in_the_middle_is_accounted_for(
    db: SessionDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = [talk(db, "a"), talk(db, "b")]
    read = SessionDB.transcript

    def transcript(self: SessionDB, parts: list[str]) -> object:
        if parts == ["b"]:
            raise StoreBusy(db.path)
        return read(self, parts)

    monkeypatch.setattr(SessionDB, "transcript", transcript)
    with pytest.raises(ExportRefused) as refused:
        export(db, talks, tmp_path / "out", Format.MARKDOWN)
    assert str(refused.value) == (
        f"Only 1 of 2 conversations were exported to {tmp_path / 'out'}. {StoreBusy(db.path)}"
    )
    assert names(tmp_path / "out") == ["a.md"]


@pytest.mark.parametrize("form", Format)
def test_what_is_gone_is_said(db: SessionDB, tmp_path: Path, form: Format) -> None:
    parts = talk(db, "a")
    done = export(db, [[*parts, "gone"]], tmp_path / "a", form)
    assert (done.conversations, done.missing) == (1, ("gone",))
    with pytest.raises(ExportRefused, match="the store does not hold this any more"):
        export(db, [["gone"]], tmp_path / "b", form)
    with pytest.raises(ExportRefused, match="nothing to export"):
        export(db, [], tmp_path / "b", form)
    assert names(tmp_path) == ["a"]


def test_a_stream_holds_one_document(db: SessionDB) -> None:
    talks = [talk(db, "a"), talk(db, "b")]
    with pytest.raises(ExportRefused, match="Several conversations need a directory"):
        export(db, talks, io.StringIO(), Format.MARKDOWN)
    stream = io.StringIO()
    assert export(db, talks, stream, Format.JSONL) == Exported("", conversations=2, messages=4)
    assert stream.getvalue().count("\n") == 2


@pytest.mark.parametrize(
    ("form", "written"),
    [(Format.JSON, b"\\u4e2d"), (Format.HTML, b"&#20013;"), (Format.MARKDOWN, b"&#20013;")],
)
def test_a_stream_of_another_encoding(db: SessionDB, form: Format, written: bytes) -> None:
    held = io.BytesIO()
    stream = io.TextIOWrapper(held, encoding="latin-1")
    export(db, [talk(db, "a", prompt="中 é")], stream, form)
    stream.flush()
    assert written in held.getvalue()


def test_one_conversation_at_a_time_is_in_memory(
    db: SessionDB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = [talk(db, str(number)) for number in range(5)]
    steps: list[str] = []
    composed = exporting._Run._composed

    def noting(self: exporting._Run, parts: list[str], *, ascii_only: bool) -> object:
        steps.append("read")
        return composed(self, parts, ascii_only=ascii_only)

    monkeypatch.setattr(exporting._Run, "_composed", noting)
    export(db, talks, tmp_path / "out", Format.JSONL, progress=lambda *_: steps.append("written"))
    assert steps == ["read", "written"] * 5


def test_a_backup_needs_no_library_for_documents(db: SessionDB, tmp_path: Path) -> None:
    talk(db, "a")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from hermes_tui.export import Format, export\n"
        "from storage import SessionDB\n"
        f"store = SessionDB({str(db.path)!r}, read_only=True)\n"
        f"export(store, [['a']], Path({str(tmp_path)!r}) / 'a.json', Format.JSON)\n"
        "print(sorted({'markdown_it', 'pygments', 'rich', 'textual'} & set(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
