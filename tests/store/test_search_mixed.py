"""Words beside writing without blanks: the trigrams are asked for both at once, and nothing is missed by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from storage import SessionDB, parse
from storage.finding import routes, sieve, trigrams
from tests.support.layouts import INDEXES, Row, write
from tests.support.searching import found, look

ROWS = [
    Row("apart", "会话里有 Docker 吗？"),
    Row("glued", "用docker会话记录"),
    Row("accent", "关于döcker会话记录"),
    Row("mark", "会话记录 do\u0308cker 用了"),
    Row("accents", "会话记录：ďocker和ḋöcker"),
    Row("phrase", "会话记录 docker build 完了"),
    Row("ends only", "会话记录 document picker"),
    Row("no word", "会话记录"),
    Row("no script", "docker build"),
    *(Row(f"other {n}", "部署失败") for n in range(3)),
]
HOLD = {"apart", "glued", "accent", "mark", "accents", "phrase"}


@pytest.mark.parametrize("layout", ["v11", "v23"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("会话 docker", HOLD),
        ("docker 会话", HOLD),
        ("会话 dock*", HOLD),
        ("会话 döcker", HOLD),
        ('会话 "docker build"', {"phrase"}),
        ("会话 picker document", {"ends only"}),
        ("会 docker", HOLD),
        ("会话 docker OR 部署", {*HOLD, "other 0", "other 1", "other 2"}),
        ("会话 -docker", {"ends only", "no word"}),
        ("话会 docker", set()),
    ],
)
@pytest.mark.parametrize("most", [0, 5_000])
def test_words_and_writing_without_blanks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, text: str, expected: set[str], most: int
) -> None:
    monkeypatch.setattr(routes, "NEWEST_WHOLE", 1)
    monkeypatch.setattr(trigrams, "_MOST_ACCENTED", most)
    with SessionDB(write(tmp_path / "state.db", layout, ROWS), read_only=True) as db:
        found = db.search(parse(text, typing=False))
    assert {hit.entry.id for hit in found.hits} == expected


def test_what_is_asked_of_the_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def noted(table: str, match: str, size: int = sieve.SLICE) -> sieve.Sieve:
        asked.append(match)
        return sieve.Sieve(table, match, size)

    monkeypatch.setattr(routes, "Sieve", noted)
    with SessionDB(write(tmp_path / "state.db", "v11", ROWS), read_only=True) as db:
        db.search(parse("会话 kubernetes", typing=False))
    assert asked == ['("会话记" OR "会话里") AND ("kub" OR "öck" OR "ďoc" OR "\u0308ck" OR "ḋöc")']


def test_a_long_word_is_asked_for_by_its_ends() -> None:
    assert trigrams.ends("kubernetes") == 'NEAR("kub" "tes", 6)'
    assert trigrams.ends("docker") == 'NEAR("doc" "ker", 2)'
    assert trigrams.ends("error") == '"error"'
    assert trigrams.ends("the") == '"the"'


@pytest.mark.parametrize("layout", sorted(INDEXES.keys() - {"damaged trigrams"}))
@pytest.mark.parametrize("begins", ["\0", "\1", "\0json", "\0{"])
@pytest.mark.parametrize("line", ["x ", "x NOT podman "])
def test_text_that_begins_like_what_is_stored_as_json_is_looked_at(
    tmp_path: Path, layout: str, begins: str, line: str
) -> None:
    rows = [Row("other", "nothing")] * 7 + [Row("said", f"{begins}数据库x 店")]
    assert found(look(write(tmp_path / "state.db", layout, rows), line)) == {"said": 1}
