"""A slice of messages crosses as one text: whatever they hold, and however SQLite has it stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from storage import parse
from storage.finding import hits
from tests.support.layouts import Row, write
from tests.support.searching import found, look, opened

TEXTS: dict[str, str | bytes | None] = {
    "word": "deploy with docker",
    "no word": "deploy with podman",
    "start of a line": "deploy\ndocker-compose",
    "record separator": "deploy\x1edocker\x1e",
    "between two": "\x1e",
    "mark": "\x03docker",
    "mark and digits": "\x0342",
    "digits": "deploy 42",
    "control": "\x02docker 42",
    "newline": "\ndocker",
    "empty": "",
    "blank": " ",
    "none": None,
    "bytes": b"deploy docker \xff\xfe",
    "accent": "déploy döcker",
    "glued": "修改docker服务端",
    "wide": "部署失败",
    "long": "x " * hits._SHORT + "docker 42",
    "longer": "x " * hits._SHORT + "podman",
}
LINES = (
    "docker ",
    "doc",
    "d",
    "42 ",
    "4",
    "x ",
    "deploy docker ",
    "docker OR 42 ",
    "deploy -docker ",
    '"with docker" ',
    "部署",
)


@pytest.mark.parametrize("apart", ["record separator", "between two", ""])
@pytest.mark.parametrize("line", LINES)
def test_every_text_of_a_slice_is_told_from_the_others(tmp_path: Path, line: str, apart: str) -> None:
    """With a text that holds what is put between two, and without one."""
    texts = {id_: text for id_, text in TEXTS.items() if id_ == apart or "\x1e" not in str(text)}
    path = write(tmp_path / "state.db", "none", [Row(id_, "") for id_ in texts])
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            "UPDATE messages SET content = ? WHERE session_id = ?", [(v, k) for k, v in texts.items()]
        )
        db.execute("UPDATE sessions SET title = NULL")
    query = parse(line)
    read = {
        id_: text.decode(errors="replace") if isinstance(text, bytes) else text or ""
        for id_, text in texts.items()
    }
    matching = {id_ for id_, text in read.items() if query.matches(text)}
    assert matching
    assert {id_ for id_, number in found(look(path, line, typing=True)).items() if number} == matching


@pytest.mark.parametrize(("line", "sifted"), [("d", False), ("z", True), ("doc", True)])
def test_what_is_nearly_everywhere_is_not_sifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, sifted: bool
) -> None:
    path = write(tmp_path / "state.db", "none", [Row(f"s{n}", "deploy with docker") for n in range(4)])
    asked: list[Any] = []
    verified = hits.verified

    def noted(*args: Any, **options: Any) -> Any:
        asked.append(options["sifted"])
        return verified(*args, **options)

    monkeypatch.setattr(hits, "verified", noted)
    with opened(path) as db:
        assert len(db.search(parse(line)).hits) == (0 if line == "z" else 4)
    assert asked == [sifted]
